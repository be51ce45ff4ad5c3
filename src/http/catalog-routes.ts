// The catalog of charger brands and their models.

import { type Brand, brand, brands, type Model, model, modelsOf } from '../templates/brands.ts';
import { brandResource, brandView, modelResource, modelView } from '../templates/resources.ts';
import type { HttpDependencies } from './dependencies.ts';
import { type Mount, mount } from './operation.ts';
import { notFound } from './problem.ts';
import { closed, pageOf, pageQuery } from './schema.ts';

const brandPage = pageOf('CatalogBrandPage', brandResource);
const modelPage = pageOf('CatalogModelPage', modelResource);
const listQuery = closed(pageQuery);
const brandParam = { brand: 'The id or the slug of the brand.' };
/** Where the examples of the description are. */
const exampleUrl = 'http://127.0.0.1:8080';

export function mountCatalog(on: Mount, { defaults }: Pick<HttpDependencies, 'defaults'>): void {
  const [exampleBrand] = brands().map((each) => brandView(each, exampleUrl));
  const [exampleModel] = brands()
    .flatMap(modelsOf)
    .map((each) => modelView(each, exampleUrl));
  if (exampleBrand === undefined || exampleModel === undefined) throw new Error('bug: the catalog is empty');

  mount(on, {
    method: 'GET',
    path: '/ocpp/catalog/brands',
    id: 'listCatalogBrands',
    tag: 'catalog',
    summary: 'List charger brands',
    description: 'Ordered by name. A page past the end is empty.',
    scope: 'catalog:read',
    query: listQuery,
    answer: {
      status: 200,
      description: 'A page of brands.',
      schema: brandPage,
      example: { data: [exampleBrand], total: brands().length, page: 1, limit: 20 },
    },
    problems: [],
    handle: ({ query }) => pageFrom(brands(), query, (each) => brandView(each, defaults.publicUrl())),
  });

  mount(on, {
    method: 'GET',
    path: '/ocpp/catalog/brands/{brand}/models',
    id: 'listCatalogBrandModels',
    tag: 'catalog',
    summary: 'List the models of a brand',
    description: 'Ordered by name. A page past the end is empty.',
    scope: 'catalog:read',
    params: brandParam,
    query: listQuery,
    answer: {
      status: 200,
      description: 'A page of models.',
      schema: modelPage,
      example: { data: [exampleModel], total: 1, page: 1, limit: 20 },
    },
    problems: [404],
    handle: ({ params, query }) =>
      pageFrom(modelsOf(brandCalled(params.brand)), query, (each) => modelView(each, defaults.publicUrl())),
  });

  mount(on, {
    method: 'GET',
    path: '/ocpp/catalog/brands/{brand}/models/{model}',
    id: 'getCatalogBrandModel',
    tag: 'catalog',
    summary: 'Get a model',
    description: 'Its `id` is what a charger is created with as `model_id`.',
    scope: 'catalog:read',
    params: { ...brandParam, model: 'The id or the slug of the model.' },
    answer: { status: 200, description: 'The model.', schema: modelResource, example: exampleModel },
    problems: [404],
    handle: ({ params }) => modelView(modelCalled(brandCalled(params.brand), params.model), defaults.publicUrl()),
  });
}

function brandCalled(idOrSlug: string): Brand {
  const found = brand(idOrSlug);
  if (found === null) throw notFound(`brand ${idOrSlug} does not exist`);
  return found;
}

function modelCalled(of: Brand, idOrSlug: string): Model {
  const found = model(of, idOrSlug);
  if (found === null) throw notFound(`model ${idOrSlug} does not exist among those of ${of.name}`);
  return found;
}

interface PageWish {
  readonly page: number;
  readonly limit: number;
}

function pageFrom<Item, View>(all: readonly Item[], { page, limit }: PageWish, view: (item: Item) => View) {
  const data = all.slice((page - 1) * limit, page * limit).map(view);
  return { data, total: all.length, page, limit };
}
