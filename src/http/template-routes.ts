// The galleries of templates: single locations, and networks of them.

import Type from 'typebox';
import { ocppVersions } from '../templates/catalog-data.ts';
import { cpoTemplates } from '../templates/cpo-templates.ts';
import { locationTemplates } from '../templates/location-templates.ts';
import {
  cpoTemplateResource,
  cpoTemplateView,
  locationTemplateResource,
  locationTemplateView,
  powerFamilies,
} from '../templates/resources.ts';
import type { HttpDependencies } from './dependencies.ts';
import { type Mount, mount } from './operation.ts';
import { closed, word } from './schema.ts';

const galleryOf = <Item extends Type.TSchema>(title: string, item: Item) =>
  Type.Object({ data: Type.Array(item), total: Type.Integer({ description: 'How many there are.' }) }, { title });

const locationGallery = galleryOf('LocationTemplateGallery', locationTemplateResource);
const cpoGallery = galleryOf('CpoTemplateGallery', cpoTemplateResource);

const locationQuery = closed({
  type: Type.Optional(word(powerFamilies, { description: 'Only sites of this power family.' })),
  ocpp_version: Type.Optional(
    word(ocppVersions, { description: 'Only templates of this version; those of mixed versions match every one.' }),
  ),
});

export function mountTemplates(on: Mount, { defaults }: Pick<HttpDependencies, 'defaults'>): void {
  const [exampleLocation] = locationTemplates().map((each) => locationTemplateView(each, 'http://127.0.0.1:8080'));
  const [exampleCpo] = cpoTemplates().map(cpoTemplateView);
  if (exampleLocation === undefined || exampleCpo === undefined) throw new Error('bug: a gallery is empty');

  mount(on, {
    method: 'GET',
    path: '/ocpp/templates/locations',
    id: 'listLocationTemplates',
    tag: 'templates',
    summary: 'Show the gallery of location templates',
    description:
      'Presets of a site and the groups of chargers that it provisions, from the smallest site to the largest; those of one size by name.',
    scope: 'catalog:read',
    query: locationQuery,
    answer: {
      status: 200,
      description: 'The gallery.',
      schema: locationGallery,
      example: { data: [exampleLocation], total: 1 },
    },
    problems: [],
    handle({ query: { type, ocpp_version } }) {
      const url = defaults.publicUrl();
      const found = locationTemplates({ type, ocppVersion: ocpp_version });
      return { data: found.map((each) => locationTemplateView(each, url)), total: found.length };
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpp/templates/cpos',
    id: 'listCpoTemplates',
    tag: 'templates',
    summary: 'Show the gallery of CPO templates',
    description:
      'Presets of a charge point operator with several locations, from the smallest network to the largest; those of one size by name.',
    scope: 'catalog:read',
    answer: {
      status: 200,
      description: 'The gallery.',
      schema: cpoGallery,
      example: { data: [exampleCpo], total: 1 },
    },
    problems: [],
    handle: () => ({ data: cpoTemplates().map(cpoTemplateView), total: cpoTemplates().length }),
  });
}
