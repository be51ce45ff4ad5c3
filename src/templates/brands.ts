// The brands of the catalog and their models: found by id or slug, ordered by name.

import {
  brandsData,
  type ConnectorFormat,
  type ConnectorType,
  type ModelData,
  type OcppVersion,
} from './catalog-data.ts';

export interface ModelConnector {
  readonly type: ConnectorType;
  readonly format: ConnectorFormat;
  readonly maxKw: number;
}

/** Serves one car at a time, whichever of its connectors that car takes. */
export interface ModelEvse {
  readonly connectors: readonly ModelConnector[];
}

export interface Model {
  readonly id: string;
  readonly slug: string;
  readonly brandId: string;
  readonly brandSlug: string;
  readonly brandName: string;
  readonly name: string;
  readonly current: 'AC' | 'DC';
  /** Of the supply. */
  readonly phases: number;
  readonly evses: readonly ModelEvse[];
  /** Of the whole station, all its EVSEs at work. */
  readonly maxKw: number;
  /** As published; any model can be run on any version. */
  readonly ocppVersions: readonly OcppVersion[];
  readonly createdAt: string;
}

export interface Brand {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** Where its maker is at home, in two letters. */
  readonly country: string;
  readonly createdAt: string;
  /** Ordered by name. */
  readonly models: readonly Model[];
}

/** All brands, by name. */
export const brands = (): readonly Brand[] => allBrands;

export const brand = (idOrSlug: string): Brand | null => brandByKey.get(idOrSlug) ?? null;

/** The models of a brand, by name. */
export const modelsOf = (of: Brand): readonly Model[] => of.models;

export const model = (of: Brand, idOrSlug: string): Model | null =>
  of.models.find(({ id, slug }) => id === idOrSlug || slug === idOrSlug) ?? null;

export const modelById = (id: string): Model | null => modelOfId.get(id) ?? null;

/** The same everywhere: upper and lower case alike, whatever the language of the machine. */
export function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  const [left, right] = [one.name.toLowerCase(), other.name.toLowerCase()];
  return left < right ? -1 : left > right ? 1 : 0;
}

const allBrands: readonly Brand[] = brandsData
  .map(({ id, slug, name, country, created_at, models }) => ({
    id,
    slug,
    name,
    country,
    createdAt: created_at,
    models: models.map((data) => modelFrom(data, { id, slug, name })).sort(byName),
  }))
  .sort(byName);

const brandByKey: ReadonlyMap<string, Brand> = new Map(
  allBrands.flatMap((each) => [[each.id, each] as const, [each.slug, each] as const]),
);
const modelOfId: ReadonlyMap<string, Model> = new Map(
  allBrands.flatMap(({ models }) => models).map((each) => [each.id, each]),
);

function modelFrom(data: ModelData, of: Pick<Brand, 'id' | 'slug' | 'name'>): Model {
  return {
    id: data.id,
    slug: data.slug,
    brandId: of.id,
    brandSlug: of.slug,
    brandName: of.name,
    name: data.name,
    current: data.current,
    phases: data.phases,
    evses: data.evses.map(({ connectors }) => ({
      connectors: connectors.map(({ type, format, max_kw }) => ({ type, format, maxKw: max_kw })),
    })),
    maxKw: data.max_kw,
    ocppVersions: data.ocpp_versions,
    createdAt: data.created_at,
  };
}
