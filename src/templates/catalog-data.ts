// The catalog as it stands in its files: what each file must look like, and its content under that type.

import Type from 'typebox';
import brandsFile from '../../catalog/brands.json' with { type: 'json' };
import countriesFile from '../../catalog/countries.json' with { type: 'json' };
import cposFile from '../../catalog/cpos.json' with { type: 'json' };
import locationsFile from '../../catalog/locations.json' with { type: 'json' };

export const ocppVersions = ['1.6', '2.0.1', '2.1'] as const;
export type OcppVersion = (typeof ocppVersions)[number];

export const connectorTypes = ['Type1', 'Type2', 'CCS1', 'CCS2', 'CHAdeMO', 'NACS'] as const;
export type ConnectorType = (typeof connectorTypes)[number];

export const connectorFormats = ['SOCKET', 'CABLE'] as const;
export type ConnectorFormat = (typeof connectorFormats)[number];

/** OCPI's words. */
export const parkingTypes = [
  'ALONG_MOTORWAY',
  'PARKING_GARAGE',
  'PARKING_LOT',
  'ON_DRIVEWAY',
  'ON_STREET',
  'UNDERGROUND_GARAGE',
] as const;
export type ParkingType = (typeof parkingTypes)[number];

/** One of a few words. */
export const word = <const Words extends readonly string[]>(words: Words, options: Type.TSchemaOptions = {}) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });

const closed = <Properties extends Type.TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

const slug = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 40 });
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const country = Type.String({ pattern: '^[A-Z]{2}$' });
const instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
const id = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });
const kilowatts = Type.Number({ exclusiveMinimum: 0, maximum: 4_000 });

const connectorData = closed({ type: word(connectorTypes), format: word(connectorFormats), max_kw: kilowatts });

const modelData = closed({
  id,
  slug,
  name: text(50),
  current: word(['AC', 'DC']),
  phases: Type.Integer({ minimum: 1, maximum: 3 }),
  max_kw: kilowatts,
  evses: Type.Array(closed({ connectors: Type.Array(connectorData, { minItems: 1 }) }), { minItems: 1 }),
  ocpp_versions: Type.Array(word(ocppVersions), { minItems: 1, uniqueItems: true }),
  created_at: instant,
});

export const brandsSchema = Type.Array(
  closed({ id, slug, name: text(50), country, created_at: instant, models: Type.Array(modelData, { minItems: 1 }) }),
);

// The lengths of address, city, state and postal code are OCPI's.
const siteData = closed({
  country,
  city: text(45),
  address: text(255),
  postal_code: Type.Optional(text(10)),
  state: Type.Optional(text(45)),
  parking_type: word(parkingTypes),
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
  time_zone: Type.String({ pattern: '^[A-Za-z]+(/[A-Za-z_]+)+$' }),
});

const groupData = closed({
  brand: slug,
  model: slug,
  ocpp_version: word(ocppVersions),
  count: Type.Integer({ minimum: 1, maximum: 2_000 }),
  nominal_kw: kilowatts,
});

export const locationsSchema = Type.Array(
  closed({
    slug,
    name: text(60),
    description: text(200),
    ocpp_version: word([...ocppVersions, 'mixed']),
    site: siteData,
    charger_groups: Type.Array(groupData, { minItems: 1 }),
  }),
);

export const cposSchema = Type.Array(
  closed({
    slug,
    name: text(60),
    description: text(200),
    country_code: country,
    party_id: Type.String({ pattern: '^[A-Z0-9]{3}$' }),
    locations: Type.Array(closed({ template: slug, count: Type.Integer({ minimum: 1, maximum: 100 }) }), {
      minItems: 1,
    }),
  }),
);

export type BrandData = Type.Static<typeof brandsSchema>[number];
export type ModelData = BrandData['models'][number];
export type LocationData = Type.Static<typeof locationsSchema>[number];
export type CpoData = Type.Static<typeof cposSchema>[number];

// The tests hold the files against the schemas, so that a start need not.
export const brandsData = brandsFile as readonly BrandData[];
export const locationsData = locationsFile as readonly LocationData[];
export const cposData = cposFile as readonly CpoData[];
/** ISO 3166-1: from two letters to three. */
export const countriesData = countriesFile as Readonly<Record<string, string>>;
