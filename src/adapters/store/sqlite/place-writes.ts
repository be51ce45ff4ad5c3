// What the calls about CPOs and locations write.

import type { CpoRecord, LocationRecord, Receipt, Store } from '../../../ports/store.ts';
import { insertCharger, workPerCharger } from './charger-writes.ts';
import { receiptStatements, workOfReceipt } from './receipt-writes.ts';
import type { Statement, Write } from './write.ts';

export type LocationCreation = Parameters<Store['createLocations']>[0];

export function cpoCreation(record: CpoRecord, receipt?: Receipt): Write {
  return {
    size: workOfReceipt(receipt) + 1,
    refusable: true,
    statements: () => [...receiptStatements(receipt), insertCpo(record)],
  };
}

/** Refused while it has locations and when there is none. */
export function cpoDeletion(org: string, id: string): Write {
  return { size: 1, refusable: true, statements: () => [['deleteCpo', [org, id]]] };
}

/** Refused by a charger whose identity is taken, and by a location whose CPO does not exist. */
export function locationCreation({ cpo, locations, chargers }: LocationCreation, receipt?: Receipt): Write {
  return {
    size: workOfReceipt(receipt) + 1 + locations.length + workPerCharger * chargers.length,
    refusable: true,
    *statements() {
      yield* receiptStatements(receipt);
      if (cpo !== undefined) yield insertCpo(cpo);
      for (const location of locations) yield insertLocation(location);
      for (const charger of chargers) yield insertCharger(charger);
    },
  };
}

/** Refused when there is none. */
export function locationDeletion(org: string, id: string, chargers: number): Write {
  return {
    size: 1 + chargers,
    refusable: true,
    statements: () => [
      ['deleteLocation', [org, id]],
      ['leaveLocation', [org, id]],
    ],
  };
}

function insertCpo(record: CpoRecord): Statement {
  const { id, org, name, countryCode, partyId, createdAtMs, updatedAtMs } = record;
  return ['insertCpo', [id, org, name, countryCode, partyId, createdAtMs, updatedAtMs]];
}

function insertLocation(record: LocationRecord): Statement {
  const { id, org, cpoId, name, template, site, createdAtMs, updatedAtMs } = record;
  return ['insertLocation', [id, org, cpoId, name, template, JSON.stringify(site), createdAtMs, updatedAtMs]];
}
