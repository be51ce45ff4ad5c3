// Brands, models and templates as clients see them: the shape of each, and how it is made.

import Type from 'typebox';
import type { Brand, Model } from './brands.ts';
import { connectorFormats, connectorTypes, ocppVersions, parkingTypes, word } from './catalog-data.ts';
import type { CpoTemplate } from './cpo-templates.ts';
import { brandImagePath, imageUrl, locationImagePath, modelImagePath } from './images.ts';
import { maxChargingPowerW } from './layout.ts';
import type { LocationTemplate } from './location-templates.ts';

export const powerFamilies = ['AC', 'DC', 'AC-DC'] as const;

const imageUrlField = Type.String({ description: 'A drawing of our own as SVG, never a logo.' });
const createdAt = Type.String({ format: 'date-time' });

export const brandResource = Type.Object(
  { id: Type.String(), slug: Type.String(), name: Type.String(), image_url: imageUrlField, created_at: createdAt },
  { title: 'CatalogBrand' },
);
export type BrandResource = Type.Static<typeof brandResource>;

export const modelResource = Type.Object(
  {
    id: Type.String(),
    slug: Type.String({ description: 'Unique within the brand.' }),
    brand_id: Type.String(),
    name: Type.String(),
    current: word(['AC', 'DC'], { description: 'What the model is mainly for; a DC model may have an AC outlet too.' }),
    evses: Type.Array(
      Type.Object({
        connectors: Type.Array(
          Type.Object({
            type: word(connectorTypes),
            format: word(connectorFormats),
            max_kw: Type.Number(),
          }),
          { description: 'One of them is in use at a time.' },
        ),
      }),
    ),
    max_charging_power: Type.Integer({ description: 'Of the whole station, in watts, shared by its EVSEs.' }),
    phases: Type.Integer({ description: 'Of the supply.' }),
    ocpp_versions: Type.Array(word(ocppVersions), {
      description: 'As published; any model can be run on any version.',
    }),
    image_url: imageUrlField,
    created_at: createdAt,
  },
  { title: 'CatalogModel', description: 'Figures are nominal and indicative.' },
);
export type ModelResource = Type.Static<typeof modelResource>;

const totalChargers = Type.Integer();
const totalPowerKw = Type.Number({ description: 'All chargers at their nominal power.' });

export const locationTemplateResource = Type.Object(
  {
    slug: Type.String({ description: 'Passed as `template` when a location is created.' }),
    name: Type.String(),
    description: Type.String(),
    type: word(powerFamilies, { description: 'Derived from the connectors.' }),
    ocpp_version: word([...ocppVersions, 'mixed']),
    image_url: imageUrlField,
    site: Type.Object({
      country: Type.String({ description: 'ISO 3166-1, two letters.' }),
      city: Type.String(),
      parking_type: word(parkingTypes),
      latitude: Type.Number(),
      longitude: Type.Number(),
    }),
    charger_groups: Type.Array(
      Type.Object({
        brand: Type.String(),
        model: Type.String(),
        connector_type: word(connectorTypes, { description: 'Of the strongest connector.' }),
        ocpp_version: word(ocppVersions),
        count: Type.Integer(),
        nominal_kw: Type.Number({ description: 'Of one charger as installed here.' }),
      }),
    ),
    total_chargers: totalChargers,
    total_power_kw: totalPowerKw,
  },
  { title: 'LocationTemplate' },
);
export type LocationTemplateResource = Type.Static<typeof locationTemplateResource>;

export const cpoTemplateResource = Type.Object(
  {
    slug: Type.String({ description: 'Passed as `template` when a CPO is created.' }),
    name: Type.String(),
    description: Type.String(),
    country_code: Type.String({ description: 'A suggestion; ISO 3166-1, two letters.' }),
    party_id: Type.String({ description: 'A suggestion.' }),
    locations: Type.Array(
      Type.Object({
        template: Type.String({ description: 'The slug of a location template.' }),
        name: Type.String(),
        count: Type.Integer(),
      }),
    ),
    total_locations: Type.Integer(),
    total_chargers: totalChargers,
    total_power_kw: totalPowerKw,
  },
  { title: 'CpoTemplate' },
);
export type CpoTemplateResource = Type.Static<typeof cpoTemplateResource>;

/** `publicUrl` is how clients reach this server; the addresses of images are absolute. */
export const brandView = (brand: Brand, publicUrl: string): BrandResource => ({
  id: brand.id,
  slug: brand.slug,
  name: brand.name,
  image_url: imageUrl(publicUrl, brandImagePath(brand)),
  created_at: brand.createdAt,
});

export const modelView = (model: Model, publicUrl: string): ModelResource => ({
  id: model.id,
  slug: model.slug,
  brand_id: model.brandId,
  name: model.name,
  current: model.current,
  evses: model.evses.map(({ connectors }) => ({
    connectors: connectors.map(({ type, format, maxKw }) => ({ type, format, max_kw: maxKw })),
  })),
  max_charging_power: maxChargingPowerW(model),
  phases: model.phases,
  ocpp_versions: [...model.ocppVersions],
  image_url: imageUrl(publicUrl, modelImagePath(model)),
  created_at: model.createdAt,
});

export const locationTemplateView = (template: LocationTemplate, publicUrl: string): LocationTemplateResource => ({
  slug: template.slug,
  name: template.name,
  description: template.description,
  type: template.type,
  ocpp_version: template.ocppVersion,
  image_url: imageUrl(publicUrl, locationImagePath(template)),
  site: {
    country: template.site.country,
    city: template.site.city,
    parking_type: template.site.parkingType,
    latitude: template.site.latitude,
    longitude: template.site.longitude,
  },
  charger_groups: template.groups.map(({ model, connectorType, ocppVersion, count, nominalKw }) => ({
    brand: model.brandName,
    model: model.name,
    connector_type: connectorType,
    ocpp_version: ocppVersion,
    count,
    nominal_kw: nominalKw,
  })),
  total_chargers: template.totalChargers,
  total_power_kw: template.totalPowerKw,
});

export const cpoTemplateView = (template: CpoTemplate): CpoTemplateResource => ({
  slug: template.slug,
  name: template.name,
  description: template.description,
  country_code: template.countryCode,
  party_id: template.partyId,
  locations: template.locations.map(({ template: { slug, name }, count }) => ({ template: slug, name, count })),
  total_locations: template.totalLocations,
  total_chargers: template.totalChargers,
  total_power_kw: template.totalPowerKw,
});
