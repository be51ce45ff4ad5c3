// What is read from the database, turned into the records of the ports.

import type { SQLOutputValue } from 'node:sqlite';
import type { QueuedCommand } from '../../../ports/queue.ts';
import type { ChargerRecord, CommandRecord, ConnectorLayout, FleetMember } from '../../../ports/store.ts';

/** Values in the order of the columns: SQLite's row objects are slow dictionaries, five times the cost of a record. */
export type Row = readonly SQLOutputValue[];

// Each list of columns has its twin below, in the same order. The tables are strict and written by this adapter alone, so the types
// of a row are known.
export const chargerColumns = `chargers.id, org, identity, name, vendor_name, model, ocpp_version, layout, connector_type,
  max_charging_power_w, location_id, ws_url, seed, desired, created_at, updated_at`;
type ChargerRow = readonly [
  id: string,
  org: string,
  identity: string,
  name: string | null,
  vendorName: string | null,
  model: string | null,
  ocppVersion: ChargerRecord['ocppVersion'],
  layout: string,
  connectorType: string | null,
  maxChargingPowerW: number,
  locationId: string | null,
  wsUrl: string | null,
  seed: number,
  desired: ChargerRecord['desired'],
  createdAtMs: number,
  updatedAtMs: number,
];

export const memberColumns = `memory, ${chargerColumns}`;
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

const layoutsKept = 1_000;

/** Reads chargers; those of the same layout share one object, which in a large fleet is most of what a record weighs. */
export class ChargerRows {
  readonly #layouts = new Map<string, readonly ConnectorLayout[]>();

  charger(row: Row): ChargerRecord {
    const [id, org, identity, name, vendorName, model, ocppVersion, layout, connectorType, maxChargingPowerW, ...rest] =
      row as unknown as ChargerRow;
    const [locationId, wsUrl, seed, desired, createdAtMs, updatedAtMs] = rest;
    return {
      id,
      org,
      identity,
      name,
      vendorName,
      model,
      ocppVersion,
      layout: this.#layout(layout),
      connectorType,
      maxChargingPowerW,
      locationId,
      wsUrl,
      seed,
      desired,
      createdAtMs,
      updatedAtMs,
    };
  }

  member(row: Row): FleetMember {
    const [memory, ...charger] = row as unknown as MemberRow;
    return { record: this.charger(charger), memory };
  }

  #layout(text: string): readonly ConnectorLayout[] {
    const known = this.#layouts.get(text);
    if (known !== undefined) return known;
    if (this.#layouts.size >= layoutsKept) this.#layouts.clear();
    const layout = JSON.parse(text) as readonly ConnectorLayout[];
    this.#layouts.set(text, layout);
    return layout;
  }
}

export function queuedCommand(row: Row): QueuedCommand {
  const [, id, org, chargerId, identity, ocppVersion, eventType, payload, acceptedAtMs] = row as unknown as QueuedRow;
  return { id, org, chargerId, identity, ocppVersion, eventType, payload: JSON.parse(payload), acceptedAtMs };
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
