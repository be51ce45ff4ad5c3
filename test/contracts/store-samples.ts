// Chargers, commands and outcomes to put into stores and queues under test.

import type { Queue, QueuedCommand } from '../../src/ports/queue.ts';
import type {
  ChargerRecord,
  CommandOutcome,
  CpoRecord,
  LocationRecord,
  Receipt,
  Store,
  WebhookRecord,
} from '../../src/ports/store.ts';
import { newProvisioning } from '../../src/provisioning/provisioning.ts';

/** A store and the queue that belongs to it, fresh and empty when opened by a test. */
export interface Opened {
  readonly store: Store;
  readonly queue: Queue;
  /** Closes both, then opens the same data again, as after a restart. */
  reopen(): Promise<Opened>;
  close(): Promise<void>;
}

/** Ids as the product makes them: sortable, greater for a greater number. */
export function idOf(number: number): string {
  return `0199e2f0-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

export function chargerRecord(number: number, changes: Partial<ChargerRecord> = {}): ChargerRecord {
  return {
    id: idOf(number),
    org: 'acme',
    identity: `CP-${number}`,
    name: `Charger ${number}`,
    vendorName: 'Voltwerk',
    model: 'V2',
    ocppVersion: '1.6',
    layout: [
      { evseId: 1, connectorId: 1, type: 'IEC_62196_T2', format: 'SOCKET', maxPowerW: 22_000 },
      { evseId: 2, connectorId: 1, type: 'IEC_62196_T2_COMBO', format: 'CABLE', maxPowerW: 150_000 },
    ],
    connectorType: 'IEC_62196_T2',
    maxChargingPowerW: 22_000.5,
    locationId: null,
    wsUrl: null,
    modelId: null,
    security: null,
    features: [],
    seed: 4_294_967_295,
    desired: 'running',
    generation: 0,
    provisioning: newProvisioning(1_760_000_000_000 + number),
    createdAtMs: 1_760_000_000_000 + number,
    updatedAtMs: 1_760_000_000_001 + number,
    ...changes,
  };
}

export function chargerRecords(from: number, count: number, changes: Partial<ChargerRecord> = {}): ChargerRecord[] {
  return Array.from({ length: count }, (_, index) => chargerRecord(from + index, changes));
}

export function cpoRecord(number: number, changes: Partial<CpoRecord> = {}): CpoRecord {
  return {
    id: idOf(2_000_000 + number),
    org: 'acme',
    name: `Operator ${number}`,
    countryCode: 'DE',
    partyId: 'VWK',
    createdAtMs: 1_760_000_300_000 + number,
    updatedAtMs: 1_760_000_300_001 + number,
    ...changes,
  };
}

export function locationRecord(number: number, changes: Partial<LocationRecord> = {}): LocationRecord {
  return {
    id: idOf(3_000_000 + number),
    org: 'acme',
    cpoId: idOf(2_000_001),
    name: `Car park ${number}`,
    template: 'car-park',
    site: { city: 'Köln', coordinates: { latitude: 50.941_357, longitude: 6.958_307 }, tags: ['covered', null] },
    createdAtMs: 1_760_000_400_000 + number,
    updatedAtMs: 1_760_000_400_001 + number,
    ...changes,
  };
}

export function webhookRecord(number: number, changes: Partial<WebhookRecord> = {}): WebhookRecord {
  return {
    id: idOf(4_000_000 + number),
    org: 'acme',
    url: `https://hooks.example/${number}?q=ü`,
    types: ['transaction.ended', 'command.failed'],
    chargerId: null,
    locationId: null,
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    createdAtMs: 1_760_000_600_000 + number,
    progress: {
      state: 'active',
      after: '000001-0000000001',
      failures: 0,
      failingSinceMs: null,
      lastError: null,
      deliveredAtMs: null,
    },
    ...changes,
  };
}

export function receipt(key: string, changes: Partial<Receipt> = {}): Receipt {
  return {
    org: 'acme',
    key,
    fingerprint: `fingerprint of ${key}`,
    status: 201,
    headers: { location: '/chargers/1', 'x-note': 'üñí ☕' },
    body: '{"id":"1"}',
    atMs: 1_760_000_500_000,
    ...changes,
  };
}

export function queuedCommand(number: number, changes: Partial<QueuedCommand> = {}): QueuedCommand {
  return {
    id: idOf(1_000_000 + number),
    org: 'acme',
    chargerId: idOf(1),
    identity: 'CP-1',
    ocppVersion: '1.6',
    eventType: 'power_update',
    payload: { evse_id: 1, connector_id: 1, power_w: 7_000.5, note: 'üñí ☕', nested: { list: [1, null, true] } },
    acceptedAtMs: 1_760_000_100_000 + number,
    ...changes,
  };
}

export function queuedCommands(from: number, count: number, changes: Partial<QueuedCommand> = {}): QueuedCommand[] {
  return Array.from({ length: count }, (_, index) => queuedCommand(from + index, changes));
}

export function succeeded(command: QueuedCommand, changes: Partial<CommandOutcome> = {}): CommandOutcome {
  return {
    commandId: command.id,
    status: 'succeeded',
    errorCode: null,
    error: null,
    result: { status: 'Accepted' },
    startedAtMs: 1_760_000_200_000,
    finishedAtMs: 1_760_000_200_250,
    exchanges: [
      {
        atMs: 1_760_000_200_001,
        action: 'MeterValues',
        messageId: 'm-1',
        request: { connectorId: 1 },
        response: {},
        error: null,
      },
    ],
    ...changes,
  };
}

/** What something failed with, or null when it did not. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (reason: unknown) => reason,
  );
}

/** How often the event loop came round while something was under way: next to never when that something blocked it. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  const count = () => {
    if (over) return;
    turns += 1;
    setImmediate(count);
  };
  count();
  try {
    await work;
  } finally {
    over = true;
  }
  return turns;
}
