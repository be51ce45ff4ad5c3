// Charge point operators and their locations as clients see them, and what they send to create them.

import Type from 'typebox';
import type { CpoRecord } from '../ports/store.ts';
import { identityPrefixPattern, maxChargersPerLocation, maxPrefixLength } from '../templates/expand-location.ts';
import type { OcpiLocation, OcpiStatus } from '../templates/ocpi-location.ts';
import { ocppVersions, wsUrl, wsUrlTold } from './charger-schema.ts';
import { closed, instant, optional, pageOf, text, timestamp, word } from './schema.ts';

export const countryCodePattern = '^[A-Za-z]{2}$';
export const partyIdPattern = '^[A-Za-z0-9]{3}$';

export const cpo = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    country_code: Type.String({ description: 'ISO 3166-1, two letters.' }),
    party_id: Type.String({ description: 'Three characters, as OCPI wants them.' }),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  { title: 'Cpo' },
);
export type CpoResource = Type.Static<typeof cpo>;

export const cpoPage = pageOf('CpoPage', cpo);

export const newCpo = closed(
  {
    name: text(100),
    country_code: Type.String({
      pattern: countryCodePattern,
      description: 'ISO 3166-1, two letters; kept in capitals.',
    }),
    party_id: Type.String({ pattern: partyIdPattern, description: 'Three letters or digits; kept in capitals.' }),
    template: optional(text(64), 'The slug of a CPO template: its locations are created too, with all their chargers.'),
  },
  { title: 'NewCpo' },
);
export type NewCpo = Type.Static<typeof newCpo>;

export const cpoView = ({ id, name, countryCode, partyId, createdAtMs, updatedAtMs }: CpoRecord): CpoResource => ({
  id,
  name,
  country_code: countryCode,
  party_id: partyId,
  created_at: instant(createdAtMs),
  updated_at: instant(updatedAtMs),
});

export const cpoExample: CpoResource = {
  id: '019a8b1c-2b11-7c55-9d3e-6f0a1b2c3d4e',
  name: 'Sunny Charging',
  country_code: 'NL',
  party_id: 'SUN',
  created_at: '2026-11-14T09:00:00.000Z',
  updated_at: '2026-11-14T09:00:00.000Z',
};

export const newLocation = closed(
  {
    template: text(64, { description: 'The slug of a location template.' }),
    name: optional(text(255), 'The template’s when left out.'),
    ws_url: optional(wsUrl, `For all chargers. ${wsUrlTold} The gateway’s default when left out.`),
    identity_prefix: optional(
      Type.String({ minLength: 1, maxLength: maxPrefixLength, pattern: identityPrefixPattern }),
      'Identities are this, a hyphen and a number of four digits. Made of the template’s slug and a part by chance when left out.',
    ),
    ocpp_version: optional(word(ocppVersions), 'For all chargers; as the template says when left out.'),
    count_multiplier: optional(
      Type.Number({ minimum: 1, maximum: maxChargersPerLocation }),
      `Makes every group of chargers that much larger, rounded; at most ${maxChargersPerLocation} chargers in all.`,
    ),
  },
  { title: 'NewLocation' },
);
export type NewLocation = Type.Static<typeof newLocation>;

const ocpiConnector = Type.Object(
  {
    id: Type.String(),
    standard: Type.String(),
    format: word(['SOCKET', 'CABLE']),
    power_type: word(['AC_1_PHASE', 'AC_3_PHASE', 'DC']),
    max_voltage: Type.Integer({ description: 'In volts; from line to neutral where there are three phases.' }),
    max_amperage: Type.Integer({ description: 'In amperes.' }),
    max_electric_power: Type.Integer({ description: 'In watts.' }),
    last_updated: timestamp(),
  },
  { title: 'OcpiConnector' },
);

const statuses = [
  'AVAILABLE',
  'BLOCKED',
  'CHARGING',
  'INOPERATIVE',
  'OUTOFORDER',
  'PLANNED',
  'REMOVED',
  'RESERVED',
  'UNKNOWN',
] as const satisfies readonly OcpiStatus[];

const ocpiEvse = Type.Object(
  {
    uid: Type.String(),
    evse_id: Type.Optional(Type.String({ description: 'What drivers read; left out where the identity gives none.' })),
    status: word(statuses, {
      description: 'Live. `PLANNED`: no CSMS has accepted the charger yet. `UNKNOWN`: it does not run.',
    }),
    capabilities: Type.Array(Type.String()),
    connectors: Type.Array(ocpiConnector),
    last_updated: timestamp(),
  },
  { title: 'OcpiEvse' },
);

export const location = Type.Unsafe<OcpiLocation>(
  Type.Object(
    {
      country_code: Type.String(),
      party_id: Type.String(),
      id: Type.String(),
      publish: Type.Boolean(),
      name: Type.String(),
      address: Type.String(),
      city: Type.String(),
      postal_code: Type.Optional(Type.String()),
      state: Type.Optional(Type.String()),
      country: Type.String({ description: 'ISO 3166-1, three letters.' }),
      coordinates: Type.Object({ latitude: Type.String(), longitude: Type.String() }),
      parking_type: Type.String(),
      evses: Type.Array(ocpiEvse),
      operator: Type.Object({ name: Type.String() }),
      time_zone: Type.String(),
      opening_times: Type.Object({ twentyfourseven: Type.Boolean() }),
      charging_when_closed: Type.Boolean(),
      last_updated: timestamp(),
    },
    { title: 'OcpiLocation', description: 'A Location of OCPI 2.2.1.' },
  ),
);

export const locationPage = pageOf('OcpiLocationPage', location);

export const locationProvisioning = Type.Object(
  {
    total: Type.Integer({ description: 'Chargers of the location.' }),
    ready: Type.Integer(),
    failed: Type.Integer(),
  },
  { title: 'LocationProvisioning' },
);

export const createdLocation = Type.Object(
  {
    location,
    charger_ids: Type.Array(Type.String(), { description: 'The deployment ids, in the order of the template.' }),
    provisioning: locationProvisioning,
  },
  { title: 'CreatedLocation' },
);

export const locationExample: OcpiLocation = {
  country_code: 'NL',
  party_id: 'SUN',
  id: '019a8b1d-0a20-7e10-8f00-1a2b3c4d5e6f',
  publish: true,
  name: 'Home with two chargers',
  address: 'Dorpsstraat 1',
  city: 'Utrecht',
  postal_code: '3511 AA',
  country: 'NLD',
  coordinates: { latitude: '52.090000', longitude: '5.120000' },
  parking_type: 'ON_DRIVEWAY',
  evses: [
    {
      uid: '019a8b1e6c3f7d20b7a50c9d5b1e7f42-1',
      evse_id: 'NL*SUN*EHOME*0001*1',
      status: 'AVAILABLE',
      capabilities: ['REMOTE_START_STOP_CAPABLE', 'RFID_READER'],
      connectors: [
        {
          id: '1',
          standard: 'IEC_62196_T2',
          format: 'SOCKET',
          power_type: 'AC_3_PHASE',
          max_voltage: 230,
          max_amperage: 32,
          max_electric_power: 22_000,
          last_updated: '2026-11-14T10:00:00.000Z',
        },
      ],
      last_updated: '2026-11-14T10:00:00.000Z',
    },
  ],
  operator: { name: 'Sunny Charging' },
  time_zone: 'Europe/Amsterdam',
  opening_times: { twentyfourseven: true },
  charging_when_closed: true,
  last_updated: '2026-11-14T10:00:00.000Z',
};
