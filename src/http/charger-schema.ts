// A charger's deployment as clients see it, and what they send to create one.

import Type from 'typebox';
import type { OcppVersion } from '../ports/store.ts';
import type { ProvisioningStatus, ProvisioningStep } from '../provisioning/provisioning.ts';
import { connectorTypes } from '../templates/catalog-data.ts';
import { closed, identityPattern, nullable, optional, pageOf, text, timestamp, word } from './schema.ts';

export const ocppVersions = ['1.6', '2.0.1', '2.1'] as const satisfies readonly OcppVersion[];
export const defaultOcppVersion: OcppVersion = '1.6';

export const provisioningStatuses = [
  'pending',
  'provisioning',
  'ready',
  'failed',
] as const satisfies readonly ProvisioningStatus[];

export const charger = Type.Object(
  {
    id: Type.String({ description: 'The deployment id: names the charger in paths and command targets.' }),
    identity: Type.String({ description: 'The OCPP identity, unique within the tenant.' }),
    name: nullable(Type.String()),
    vendor_name: nullable(Type.String()),
    model: nullable(Type.String()),
    image_url: nullable(Type.String(), 'A drawing of its model; null for one that is not of the catalog.'),
    ocpp_version: nullable(Type.String(), 'One of 1.6, 2.0.1, 2.1.'),
    number_of_connectors: nullable(Type.Integer()),
    max_charging_power: nullable(Type.Integer(), 'Of the whole station, in watts.'),
    connector_type: nullable(Type.String(), 'Of the strongest connector.'),
    location_id: nullable(Type.String()),
    created_at: nullable(timestamp()),
    updated_at: nullable(timestamp()),
    ws_url: nullable(Type.String(), 'The base address of its CSMS; the identity is appended.'),
    model_id: nullable(Type.String(), 'The model in the catalog; null for one described by hand.'),
    provisioning_status: word(provisioningStatuses, {
      description: '`ready` once its CSMS has accepted it, or at once when it shall not run.',
    }),
  },
  { title: 'Charger' },
);
export type ChargerResource = Type.Static<typeof charger>;

export const chargerPage = pageOf('ChargerPage', charger);

const pem = (what: string) => optional(Type.String({ maxLength: 65_536 }), what);

export const securityProfile = closed({
  profile: Type.Integer({ minimum: 0, maximum: 3, description: 'The OCPP security profile.' }),
  basic_password: optional(text(64), 'With the profiles 1 and 2, where it is required.'),
  ca_pem: pem('With the profiles 2 and 3: the authority that vouches for the CSMS; the system’s when left out.'),
  client_cert_pem: pem('With profile 3, where it is required.'),
  client_key_pem: pem('With profile 3, where it is required; not encrypted.'),
});
export type SecurityProfile = Type.Static<typeof securityProfile>;

const features = ['iso15118', 'v2x', 'der', 'battery_swap'] as const;

export const wsUrl = text(2_048);
export const wsUrlTold =
  'The base address (ws or wss) of the CSMS: "/" and the percent-encoded identity are appended, unless it contains {identity}, which is replaced.';

export const newCharger = closed(
  {
    identity: optional(
      Type.String({ minLength: 1, maxLength: 48, pattern: identityPattern }),
      'The OCPP identity, unique within the tenant, and not `.` or `..`; made up when left out.',
    ),
    name: optional(text(255)),
    vendor_name: optional(text(50), 'As told to the CSMS, cut to the length that the OCPP version allows.'),
    model: optional(text(50), 'As told to the CSMS, cut to the length that the OCPP version allows.'),
    model_id: optional(
      text(64),
      'A model of the catalog: gives layout, vendor, model, power and connector type. Not together with number_of_connectors; max_charging_power may only lower the model’s, connector_type only repeat its strongest connector’s.',
    ),
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
    location_id: optional(text(64), 'A location that exists.'),
    ws_url: optional(wsUrl, `${wsUrlTold} The gateway’s default when left out.`),
    security: optional(
      securityProfile,
      'How the charger proves who it is. Never readable again. The profiles 2 and 3 need a wss:// address.',
    ),
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

export const chargerChange = closed(
  {
    name: optional(text(255), 'Null clears it.'),
    charge_point_name: optional(text(255), 'The older name of `name`: both given and different is 400.'),
    connector_type: optional(
      word(connectorTypes),
      'Of all connectors of a charger described by hand; one of the catalog keeps its own. Null: that of the strongest connector.',
    ),
    ocpp_version: optional(word(ocppVersions), 'Null: the default, 1.6.'),
    ws_url: optional(wsUrl, `${wsUrlTold} Null: the gateway’s default.`),
    location_id: optional(text(64), 'Null: in no location.'),
    location_name: optional(
      text(255),
      'Names the location instead of location_id: unknown, ambiguous or another one than location_id says is 400. Null: in no location.',
    ),
  },
  { title: 'ChargerChange' },
);
export type ChargerChangeBody = Type.Static<typeof chargerChange>;

const steps = ['register', 'start', 'connect', 'boot', 'done'] as const satisfies readonly ProvisioningStep[];

export const chargerProvisioning = Type.Object(
  {
    charger_id: Type.String(),
    identity: Type.String(),
    status: word(provisioningStatuses),
    step: word(steps, { description: 'What is being done or has last failed.' }),
    attempts: Type.Integer({ description: 'How often the present step has failed.' }),
    error: nullable(Type.String(), 'Why it last failed.'),
    started_at: timestamp(),
    finished_at: nullable(timestamp()),
  },
  { title: 'ChargerProvisioning' },
);

export const provisioningExample: Type.Static<typeof chargerProvisioning> = {
  charger_id: '019a8b1e-6c3f-7d20-b7a5-0c9d5b1e7f42',
  identity: 'CP-1',
  status: 'provisioning',
  step: 'connect',
  attempts: 2,
  error: 'connection refused',
  started_at: '2026-11-14T10:00:00.000Z',
  finished_at: null,
};

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
  provisioning_status: 'pending',
};
