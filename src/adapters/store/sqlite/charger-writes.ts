// What the calls about chargers write.

import type { SQLInputValue } from 'node:sqlite';
import type { ChargerChange, ChargerRecord, Receipt } from '../../../ports/store.ts';
import { provisioningValues } from './command-writes.ts';
import { receiptStatements, workOfReceipt } from './receipt-writes.ts';
import type { StatementName } from './statements.ts';
import { idLists, type Statement, type Write } from './write.ts';

/** With its indexes and totals, inserting or deleting a charger is as much work as this many plain statements. */
export const workPerCharger = 3;

export function chargerCreation(records: readonly ChargerRecord[], receipt?: Receipt): Write {
  return {
    size: workOfReceipt(receipt) + workPerCharger * records.length,
    refusable: true,
    *statements() {
      yield* receiptStatements(receipt);
      for (const record of records) yield insertCharger(record);
    },
  };
}

/** The same change to all of these that exist. */
export function chargerChange(org: string, ids: readonly string[], change: ChargerChange, atMs: number): Write {
  // Twice in two lists, it would be restarted twice.
  const each = [...new Set(ids)];
  const fields = [...changedFields(change)];
  return {
    size: each.length * (1 + fields.length),
    refusable: false,
    *statements() {
      for (const list of idLists(each)) {
        yield ['touchChargers', [org, list, atMs, change.restart === true ? 1 : 0]];
        for (const [name, values] of fields) yield [name, [org, list, ...values]];
      }
    },
  };
}

/** A change to one charger, answered by its row afterwards, refused when there is none. */
export function soleChargerChange(
  org: string,
  id: string,
  change: ChargerChange,
  atMs: number,
  receipt?: Receipt,
): Write {
  const { size, statements } = chargerChange(org, [id], change, atMs);
  return {
    size: workOfReceipt(receipt) + size + 1,
    refusable: true,
    *statements() {
      yield* receiptStatements(receipt);
      yield* statements();
      yield ['readCharger', [org, id]];
    },
  };
}

export function chargerDeletion(org: string, ids: readonly string[], atMs: number): Write {
  return {
    size: workPerCharger * ids.length,
    refusable: false,
    *statements() {
      for (const list of idLists(ids)) {
        yield ['failCommands', [org, list, atMs]];
        yield ['deleteChargers', [org, list]];
      }
    },
  };
}

export function insertCharger(record: ChargerRecord): Statement {
  const { name, identity, security } = record;
  return [
    'insertCharger',
    [
      record.id,
      record.org,
      identity,
      name,
      record.vendorName,
      record.model,
      record.modelId,
      record.ocppVersion,
      record.connectorType,
      record.maxChargingPowerW,
      record.locationId,
      record.wsUrl,
      record.seed,
      record.desired,
      record.generation,
      ...provisioningValues(record.provisioning),
      record.createdAtMs,
      record.updatedAtMs,
      identity.toLowerCase(),
      name?.toLowerCase() ?? null,
      JSON.stringify(record.features),
      JSON.stringify(record.layout),
      security === null ? null : JSON.stringify(security),
    ],
  ];
}

/** The statements that change what is given, without the chargers they are about. */
function* changedFields(change: ChargerChange): Iterable<readonly [StatementName, readonly SQLInputValue[]]> {
  const { name, connectorType, layout, ocppVersion, wsUrl, locationId, desired } = change;
  if (name !== undefined) yield ['changeNames', [name, name?.toLowerCase() ?? null]];
  if (connectorType !== undefined) yield ['changeConnectorTypes', [connectorType]];
  if (layout !== undefined) yield ['changeLayouts', [JSON.stringify(layout)]];
  if (ocppVersion !== undefined) yield ['changeVersions', [ocppVersion]];
  if (wsUrl !== undefined) yield ['changeUrls', [wsUrl]];
  if (locationId !== undefined) yield ['changeLocations', [locationId]];
  if (desired !== undefined) yield ['changeDesired', [desired]];
}
