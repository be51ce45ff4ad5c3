// A charger's deployment as clients see it, and what they send to create one.

import Type from 'typebox';
import type { OcppVersion } from '../ports/store.ts';
import { closed, identityPattern, nullable, optional, pageOf, text, timestamp, word } from './schema.ts';

export const ocppVersions = ['1.6', '2.0.1', '2.1'] as const satisfies readonly OcppVersion[];
export const defaultOcppVersion: OcppVersion = '1.6';

/** As the catalog writes them. */
export const connectorTypes = ['Type1', 'Type2', 'CCS1', 'CCS2', 'CHAdeMO', 'NACS'] as const;

export const charger = Type.Object(
  {
    id: Type.String({ description: 'The deployment id: names the charger in paths and command targets.' }),
    identity: Type.String({ description: 'The OCPP identity, unique within the tenant.' }),
    name: nullable(Type.String()),
    vendor_name: nullable(Type.String()),
    model: nullable(Type.String()),
    image_url: nullable(Type.String()),
    ocpp_version: nullable(Type.String(), 'One of 1.6, 2.0.1, 2.1.'),
    number_of_connectors: nullable(Type.Integer()),
    max_charging_power: nullable(Type.Integer(), 'Of the whole station, in watts.'),
    connector_type: nullable(Type.String(), 'Of the strongest connector.'),
    location_id: nullable(Type.String()),
    created_at: nullable(timestamp()),
    updated_at: nullable(timestamp()),
    ws_url: nullable(Type.String(), 'The base address of its CSMS; the identity is appended.'),
    model_id: nullable(Type.String(), 'The model in the catalog.'),
  },
  { title: 'Charger' },
);
export type ChargerResource = Type.Static<typeof charger>;

export const chargerPage = pageOf('ChargerPage', charger);

export const securityProfile = closed({
  profile: Type.Integer({ minimum: 0, maximum: 3, description: 'The OCPP security profile.' }),
  basic_password: optional(text(64)),
  ca_pem: optional(Type.String({ maxLength: 65_536 })),
  client_cert_pem: optional(Type.String({ maxLength: 65_536 })),
  client_key_pem: optional(Type.String({ maxLength: 65_536 })),
});

const features = ['iso15118', 'v2x', 'der', 'battery_swap'] as const;

export const newCharger = closed(
  {
    identity: optional(
      Type.String({ minLength: 1, maxLength: 48, pattern: identityPattern }),
      'The OCPP identity, unique within the tenant; made up when left out.',
    ),
    name: optional(text(255)),
    vendor_name: optional(text(50), 'As told to the CSMS, cut to the length that the OCPP version allows.'),
    model: optional(text(50), 'As told to the CSMS, cut to the length that the OCPP version allows.'),
    model_id: optional(text(64), 'A model of the catalog, instead of describing one.'),
    ocpp_version: optional(word(ocppVersions), '1.6 when left out.'),
    number_of_connectors: optional(
      Type.Integer({ minimum: 1, maximum: 16 }),
      'That many EVSEs with one connector each; 1 when left out.',
    ),
    connector_type: optional(word(connectorTypes), 'Type2 when left out.'),
    max_charging_power: optional(
      Type.Integer({ minimum: 1, maximum: 10_000_000 }),
      'In watts, shared by the connectors; 22000 when left out.',
    ),
    location_id: optional(text(64)),
    ws_url: optional(
      text(2_048),
      'The base address (ws or wss) of the CSMS: "/" and the percent-encoded identity are appended, unless it contains {identity}, which is replaced. The gateway’s default when left out.',
    ),
    security: optional(securityProfile, 'How the charger proves who it is. Never readable again.'),
    features: optional(
      Type.Array(word(features), { uniqueItems: true, maxItems: features.length }),
      'What the charger can beyond charging; nothing when left out.',
    ),
    seed: optional(
      Type.Integer({ minimum: 0, maximum: 4_294_967_295 }),
      'The same seed tells the same story; chosen by the gateway when left out.',
    ),
    autostart: optional(Type.Boolean(), 'Whether it runs at once; true when left out.'),
  },
  { title: 'NewCharger' },
);
export type NewCharger = Type.Static<typeof newCharger>;

export const chargerExample: ChargerResource = {
  id: '019a8b1e-6c3f-7d20-b7a5-0c9d5b1e7f42',
  identity: 'CP-1',
  name: 'Car park, north',
  vendor_name: null,
  model: null,
  image_url: null,
  ocpp_version: '1.6',
  number_of_connectors: 2,
  max_charging_power: 22_000,
  connector_type: 'Type2',
  location_id: null,
  created_at: '2026-11-14T10:00:00.000Z',
  updated_at: '2026-11-14T10:00:00.000Z',
  ws_url: 'ws://127.0.0.1:8080/csms/demo',
  model_id: null,
};
