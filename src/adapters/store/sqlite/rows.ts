// What is read from the database, turned into the records of the ports.

import type { SQLOutputValue } from 'node:sqlite';
import type { QueuedCommand } from '../../../ports/queue.ts';
import type {
  ChargerRecord,
  CommandRecord,
  ConnectorLayout,
  CpoRecord,
  EndedCommand,
  FleetMember,
  LocationRecord,
  Receipt,
  WebhookProgress,
  WebhookRecord,
} from '../../../ports/store.ts';

type Provisioning = ChargerRecord['provisioning'];

/** Values in the order of the columns: SQLite's row objects are slow dictionaries, five times the cost of a record. */
export type Row = readonly SQLOutputValue[];

// Each list of columns has its twin below, in the same order. The tables are strict and written by this adapter alone, so the types
// of a row are known.
export const chargerColumns = `chargers.id, org, identity, name, vendor_name, model, model_id, ocpp_version, connector_type,
  max_charging_power_w, location_id, ws_url, seed, desired, generation, provisioning_status, provisioning_step,
  provisioning_attempts, provisioning_error, provisioning_started_at, provisioning_finished_at, created_at, updated_at,
  features, layout, security`;
type ChargerRow = readonly [
  id: string,
  org: string,
  identity: string,
  name: string | null,
  vendorName: string | null,
  model: string | null,
  modelId: string | null,
  ocppVersion: ChargerRecord['ocppVersion'],
  connectorType: string | null,
  maxChargingPowerW: number,
  locationId: string | null,
  wsUrl: string | null,
  seed: number,
  desired: ChargerRecord['desired'],
  generation: number,
  status: Provisioning['status'],
  step: Provisioning['step'],
  attempts: number,
  error: string | null,
  startedAtMs: number,
  finishedAtMs: number | null,
  createdAtMs: number,
  updatedAtMs: number,
  features: string,
  layout: string,
  security: string | null,
];

// An addendum stands behind the memory on a line of its own.
export const memberColumns = `memory || coalesce('\n' || addendum, ''), ${chargerColumns}`;
type MemberRow = readonly [memory: string | null, ...charger: ChargerRow];

export const queuedColumns = 'seq, id, org, charger_id, identity, ocpp_version, event_type, payload, accepted_at';
type QueuedRow = readonly [
  seq: number,
  id: string,
  org: string,
  chargerId: string,
  identity: string,
  ocppVersion: string,
  eventType: string,
  payload: string,
  acceptedAtMs: number,
];

export const commandColumns = `status, started_at, finished_at, error_code, error, result, exchanges, ${queuedColumns}`;
type CommandRow = readonly [
  status: CommandRecord['status'],
  startedAtMs: number | null,
  finishedAtMs: number | null,
  errorCode: string | null,
  error: string | null,
  result: string | null,
  exchanges: string | null,
  ...queued: QueuedRow,
];

/** Of a command that ends without its charger, in the statement that ends it. */
export const endedColumns = `(SELECT location_id FROM chargers WHERE chargers.id = charger_id), error_code, error, ${queuedColumns}`;
type EndedRow = readonly [locationId: string | null, errorCode: string, error: string, ...queued: QueuedRow];

export const cpoColumns = 'id, org, name, country_code, party_id, created_at, updated_at';
type CpoRow = readonly [
  id: string,
  org: string,
  name: string,
  countryCode: string,
  partyId: string,
  createdAtMs: number,
  updatedAtMs: number,
];

export const locationColumns = 'id, org, cpo_id, name, template, site, created_at, updated_at';
type LocationRow = readonly [
  id: string,
  org: string,
  cpoId: string,
  name: string,
  template: string,
  site: string,
  createdAtMs: number,
  updatedAtMs: number,
];

export const receiptColumns = 'org, key, fingerprint, status, headers, body, at';
type ReceiptRow = readonly [
  org: string,
  key: string,
  fingerprint: string,
  status: number,
  headers: string,
  body: string,
  atMs: number,
];

export const webhookColumns = `id, org, url, types, charger_id, location_id, secret, created_at,
  state, after_event, failures, failing_since, last_error, delivered_at`;
type WebhookRow = readonly [
  id: string,
  org: string,
  url: string,
  types: string,
  chargerId: string | null,
  locationId: string | null,
  secret: string,
  createdAtMs: number,
  state: WebhookProgress['state'],
  after: string,
  failures: number,
  failingSinceMs: number | null,
  lastError: string | null,
  deliveredAtMs: number | null,
];

const textsKept = 1_000;

/** Reads chargers; those of the same layout or features share one object, which in a large fleet is most of what a record weighs. */
export class ChargerRows {
  readonly #layouts = new SharedJson<readonly ConnectorLayout[]>();
  readonly #features = new SharedJson<readonly string[]>();

  charger(row: Row): ChargerRecord {
    const [
      id,
      org,
      identity,
      name,
      vendorName,
      model,
      modelId,
      ocppVersion,
      connectorType,
      maxChargingPowerW,
      ...more
    ] = row as unknown as ChargerRow;
    const [locationId, wsUrl, seed, desired, generation, status, step, attempts, error, ...rest] = more;
    const [startedAtMs, finishedAtMs, createdAtMs, updatedAtMs, features, layout, security] = rest;
    return {
      id,
      org,
      identity,
      name,
      vendorName,
      model,
      ocppVersion,
      layout: this.#layouts.read(layout),
      connectorType,
      maxChargingPowerW,
      locationId,
      wsUrl,
      modelId,
      security: security === null ? null : JSON.parse(security),
      features: this.#features.read(features),
      seed,
      desired,
      generation,
      provisioning: { status, step, attempts, error, startedAtMs, finishedAtMs },
      createdAtMs,
      updatedAtMs,
    };
  }

  member(row: Row): FleetMember {
    const [memory, ...charger] = row as unknown as MemberRow;
    return { record: this.charger(charger), memory };
  }
}

/** Reads each text once and gives the same value for it again. */
class SharedJson<Value> {
  readonly #known = new Map<string, Value>();

  read(text: string): Value {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= textsKept) this.#known.clear();
    const value = JSON.parse(text) as Value;
    this.#known.set(text, value);
    return value;
  }
}

export function cpoRecord(row: Row): CpoRecord {
  const [id, org, name, countryCode, partyId, createdAtMs, updatedAtMs] = row as unknown as CpoRow;
  return { id, org, name, countryCode, partyId, createdAtMs, updatedAtMs };
}

export function locationRecord(row: Row): LocationRecord {
  const [id, org, cpoId, name, template, site, createdAtMs, updatedAtMs] = row as unknown as LocationRow;
  return { id, org, cpoId, name, template, site: JSON.parse(site), createdAtMs, updatedAtMs };
}

export function webhookRecord(row: Row): WebhookRecord {
  const [id, org, url, types, chargerId, locationId, secret, createdAtMs, ...rest] = row as unknown as WebhookRow;
  const [state, after, failures, failingSinceMs, lastError, deliveredAtMs] = rest;
  const progress = { state, after, failures, failingSinceMs, lastError, deliveredAtMs };
  return { id, org, url, types: JSON.parse(types), chargerId, locationId, secret, createdAtMs, progress };
}

export function keptReceipt(row: Row): Receipt {
  const [org, key, fingerprint, status, headers, body, atMs] = row as unknown as ReceiptRow;
  return { org, key, fingerprint, status, headers: JSON.parse(headers), body, atMs };
}

export function queuedCommand(row: Row): QueuedCommand {
  const [, id, org, chargerId, identity, ocppVersion, eventType, payload, acceptedAtMs] = row as unknown as QueuedRow;
  return { id, org, chargerId, identity, ocppVersion, eventType, payload: payloadOf(payload), acceptedAtMs };
}

/** One that no program has written must not keep all others from being read: null, which every charger refuses. */
function payloadOf(text: string): QueuedCommand['payload'] {
  try {
    return JSON.parse(text);
  } catch {
    return null as unknown as QueuedCommand['payload'];
  }
}

export function endedCommand(row: Row): EndedCommand {
  const [locationId, errorCode, error, ...queued] = row as unknown as EndedRow;
  return { command: queuedCommand(queued), locationId, errorCode, error };
}

/** Where a command stands in the order of acceptance. */
export function placeInQueue(row: Row): number {
  const [seq] = row as unknown as QueuedRow;
  return seq;
}

export function commandRecord(row: Row): CommandRecord {
  const [status, startedAtMs, finishedAtMs, errorCode, error, result, exchanges, ...queued] =
    row as unknown as CommandRow;
  return {
    ...queuedCommand(queued),
    status,
    startedAtMs,
    finishedAtMs,
    errorCode,
    error,
    result: result === null ? null : JSON.parse(result),
    exchanges: exchanges === null ? [] : JSON.parse(exchanges),
  };
}
