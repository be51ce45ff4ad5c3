// Random calls that do not wait for each other, against a store and a model of a few lines: both must tell the same story.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueuedCommand } from '../../src/ports/queue.ts';
import type {
  ChargerChange,
  ChargerFilter,
  ChargerRecord,
  CommandRecord,
  EndedCommand,
} from '../../src/ports/store.ts';
import type { ProvisioningStatus } from '../../src/provisioning/provisioning.ts';
import { chargerRecord, idOf, type Opened, queuedCommand, receipt, succeeded } from './store-samples.ts';

type Call =
  | { readonly kind: 'create'; readonly charger: number; readonly change: ChargerChange }
  | { readonly kind: 'change'; readonly charger: number; readonly change: ChargerChange; readonly key: number }
  | { readonly kind: 'delete'; readonly chargers: readonly number[] }
  | { readonly kind: 'provision'; readonly charger: number; readonly status: ProvisioningStatus }
  | { readonly kind: 'enqueue'; readonly chargers: readonly number[]; readonly times: number }
  | { readonly kind: 'keep'; readonly charger: number }
  | { readonly kind: 'apply'; readonly command: number }
  | { readonly kind: 'end'; readonly command: number }
  | { readonly kind: 'interrupt'; readonly chargers: readonly number[] }
  | { readonly kind: 'expire' }
  | { readonly kind: 'wait' };

const chargerCount = 5;
const locations = ['L-1', 'L-2', null];
const versions = ['1.6', '2.1', null] as const;
const desires = ['running', 'stopped'] as const;
const statuses = ['pending', 'provisioning', 'ready', 'failed'] as const;
const runs = 15;
// Many stores are opened and closed: on a busy machine that takes its time.
const patienceMs = 60_000;
const seed = 26;

const charger = fc.nat(chargerCount - 1);
const command = fc.nat(60);
const change: fc.Arbitrary<ChargerChange> = fc.record(
  {
    name: fc.constantFrom('one', 'two', null),
    locationId: fc.constantFrom(...locations),
    ocppVersion: fc.constantFrom(...versions),
    desired: fc.constantFrom(...desires),
    restart: fc.boolean(),
  },
  { requiredKeys: [] },
);
const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), charger, change }) },
    fc.record({ kind: fc.constant('change' as const), charger, change, key: fc.nat(3) }),
    fc.record({ kind: fc.constant('delete' as const), chargers: fc.array(charger, { maxLength: 2 }) }),
    fc.record({ kind: fc.constant('provision' as const), charger, status: fc.constantFrom(...statuses) }),
    // Up to 150 at a time: short and long writes go different ways in some stores.
    fc.record({
      kind: fc.constant('enqueue' as const),
      chargers: fc.array(charger, { minLength: 1, maxLength: 3 }),
      times: fc.constantFrom(1, 1, 1, 50),
    }),
    fc.record({ kind: fc.constant('keep' as const), charger }),
    fc.record({ kind: fc.constant('apply' as const), command }),
    fc.record({ kind: fc.constant('end' as const), command }),
    fc.record({ kind: fc.constant('interrupt' as const), chargers: fc.array(charger, { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('expire' as const) }),
    fc.record({ kind: fc.constant('wait' as const) }),
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
);

export function describeStoreModel(name: string, open: () => Promise<Opened>): void {
  describe(`any calls in any order (${name})`, () => {
    it(
      'leave what the same calls one after the other would leave, also over a restart',
      async () => {
        await fc.assert(
          fc.asyncProperty(calls, async (list) => {
            let opened = await open();
            try {
              const model = new Model();
              const under_way: Promise<unknown>[] = [];
              for (const [index, call] of list.entries()) {
                if (call.kind === 'wait') await Promise.all(under_way);
                else under_way.push(perform(opened, model, call, index));
              }
              await Promise.all(under_way);
              await compare(opened, model);
              opened = await opened.reopen();
              await compare(opened, model);
            } finally {
              await opened.close();
            }
          }),
          { numRuns: runs, seed },
        );
      },
      patienceMs,
    );
  });
}

class Model {
  readonly memories = new Map<string, string | null>();
  readonly records = new Map<string, ChargerRecord>();
  readonly keys = new Set<string>();
  readonly commands: CommandRecord[] = [];

  /** What a charger has become, or null when there is none. */
  alter(id: string, { restart, ...changes }: Partial<ChargerRecord> & ChargerChange): ChargerRecord | null {
    const found = this.records.get(id);
    if (found === undefined) return null;
    const after = { ...found, ...changes, generation: found.generation + (restart === true ? 1 : 0) };
    this.records.set(id, after);
    return after;
  }

  change(id: string | undefined, from: readonly CommandRecord['status'][], changes: Partial<CommandRecord>): void {
    const index = this.commands.findIndex((one) => one.id === id);
    const found = this.commands[index];
    if (found !== undefined && from.includes(found.status)) this.commands[index] = { ...found, ...changes };
  }

  /** Ends these without their charger; which they were. */
  fail(
    which: (command: CommandRecord) => boolean,
    finishedAtMs: number,
    error: { readonly errorCode: string; readonly error: string },
  ): ReadonlySet<string> {
    const failed = this.commands.filter(which).map(({ id }) => id);
    for (const id of failed) this.change(id, ['queued', 'running'], { status: 'failed', finishedAtMs, ...error });
    return new Set(failed);
  }
}

const isOpen = (status: CommandRecord['status']): boolean => status === 'queued' || status === 'running';
const idsOf = (ended: readonly EndedCommand[]): ReadonlySet<string> => new Set(ended.map(({ command: { id } }) => id));

function perform(
  { store, queue }: Opened,
  model: Model,
  call: Exclude<Call, { kind: 'wait' }>,
  index: number,
): Promise<unknown> {
  switch (call.kind) {
    case 'create': {
      const id = idOf(call.charger);
      const taken = model.memories.has(id) ? `CP-${call.charger}` : null;
      const { restart: _, ...fields } = call.change;
      // A second one of this identity would have an id of its own.
      const record = chargerRecord(call.charger, {
        ...fields,
        ...(taken === null ? {} : { id: idOf(10_000 + index) }),
      });
      if (taken === null) {
        model.memories.set(id, null);
        model.records.set(id, record);
      }
      return store.createChargers([record]).then((answer) => expect(answer).toEqual({ taken }));
    }
    case 'change': {
      const id = idOf(call.charger);
      const kept = call.key === 0 ? undefined : receipt(`key ${call.key}`);
      const changing = store.changeCharger('acme', id, call.change, index, kept);
      if (kept !== undefined && model.keys.has(kept.key)) {
        return expect(changing).rejects.toMatchObject({ code: 'receipt_taken' });
      }
      const after = model.alter(id, { ...call.change, updatedAtMs: index });
      if (after !== null && kept !== undefined) model.keys.add(kept.key);
      return changing.then((answer) => expect(answer).toEqual(after));
    }
    case 'delete': {
      const ids = call.chargers.map(idOf);
      const gone = new Set(ids.filter((id) => model.records.delete(id)));
      for (const id of gone) model.memories.delete(id);
      const error = { errorCode: 'deleted', error: 'the charger was deleted' };
      const ended = model.fail(({ chargerId, status }) => gone.has(chargerId) && isOpen(status), index, error);
      return store.deleteChargers('acme', ids, index).then((answer) => {
        expect(answer.deleted).toBe(gone.size);
        expect(idsOf(answer.ended)).toEqual(ended);
      });
    }
    case 'provision': {
      const provisioning = { ...chargerRecord(call.charger).provisioning, status: call.status, attempts: index };
      model.alter(idOf(call.charger), { provisioning });
      return store.commit([{ chargerId: idOf(call.charger), provisioning }]);
    }
    case 'enqueue': {
      const commands = Array.from({ length: call.times }, () => call.chargers)
        .flat()
        .map(
          (number, offset): QueuedCommand => queuedCommand(model.commands.length + offset, { chargerId: idOf(number) }),
        );
      for (const one of commands) {
        const none = {
          startedAtMs: null,
          finishedAtMs: null,
          errorCode: null,
          error: null,
          result: null,
          exchanges: [],
        };
        model.commands.push({ ...one, ...none, status: 'queued' });
      }
      return queue.enqueue(commands);
    }
    case 'keep': {
      const id = idOf(call.charger);
      const before = model.memories.get(id);
      // Of one that has a memory every third is an addendum.
      if (typeof before === 'string' && index % 3 === 0) {
        model.memories.set(id, `${before.split('\n')[0]}\nmore ${index}`);
        return store.commit([{ chargerId: id, addendum: `more ${index}` }]);
      }
      if (before !== undefined) model.memories.set(id, `memory ${index}`);
      return store.commit([{ chargerId: id, memory: `memory ${index}` }]);
    }
    case 'apply': {
      const one = model.commands[call.command];
      if (one === undefined) return Promise.resolve();
      if (model.memories.has(one.chargerId))
        model.change(one.id, ['queued'], { status: 'running', startedAtMs: index });
      return store.commit([{ chargerId: one.chargerId, applied: [{ commandId: one.id, startedAtMs: index }] }]);
    }
    case 'end': {
      const one = model.commands[call.command];
      if (one === undefined) return Promise.resolve();
      const outcome = succeeded(one, { result: index, startedAtMs: index, finishedAtMs: index });
      const { commandId, ...changes } = outcome;
      model.change(commandId, ['queued', 'running'], changes);
      return store.commit([{ chargerId: one.chargerId, outcomes: [outcome] }]);
    }
    case 'interrupt': {
      const ids = call.chargers.map(idOf);
      const error = { errorCode: 'interrupted', error: 'interrupted by a restart' };
      const ended = model.fail(
        ({ chargerId, status }) => ids.includes(chargerId) && status === 'running',
        index,
        error,
      );
      return store.interrupt(ids, index).then((answer) => expect(idsOf(answer)).toEqual(ended));
    }
    case 'expire': {
      const isStopped = (id: string): boolean => model.records.get(id)?.desired === 'stopped';
      const expired = model.fail(({ chargerId, status }) => status === 'queued' && isStopped(chargerId), index, {
        errorCode: 'expired',
        error: 'the charger stayed stopped for too long',
      });
      const orphans = model.fail(({ chargerId, status }) => isOpen(status) && !model.records.has(chargerId), index, {
        errorCode: 'deleted',
        error: 'the charger was deleted',
      });
      return store
        .expireCommands(Number.MAX_SAFE_INTEGER, index)
        .then((answer) => expect(idsOf(answer)).toEqual(expired.union(orphans)));
    }
  }
}

async function compare({ store, queue }: Opened, model: Model): Promise<void> {
  const fleet = await store.fleetAfter(null, 100);
  expect(new Map(fleet.map(({ record, memory }) => [record.id, memory]))).toEqual(model.memories);
  expect(new Map(fleet.map(({ record }) => [record.id, record]))).toEqual(model.records);
  expect(await listsOf(store)).toEqual(listsIn([...model.records.values()]));
  for (const key of [1, 2, 3].map((number) => `key ${number}`)) {
    expect((await store.receipt('acme', key)) !== null, key).toBe(model.keys.has(key));
  }
  expect(await Promise.all(model.commands.map(({ id }) => store.command('acme', id)))).toEqual(model.commands);
  for (const filter of [{}, { status: 'queued' }, { status: 'failed' }, { chargerId: idOf(1) }] as const) {
    const { items, total } = await store.listCommands('acme', filter, 1, 10);
    const wanted = model.commands.filter((one) =>
      Object.entries(filter).every(([key, value]) => one[key as keyof CommandRecord] === value),
    );
    expect(total).toBe(wanted.length);
    expect(items).toEqual(wanted.slice(-10).reverse());
  }
  const ids = Array.from({ length: chargerCount }, (_, number) => idOf(number));
  const queued = model.commands.filter(({ status }) => status === 'queued').map(({ id }) => id);
  expect((await queue.pending(ids)).map(({ id }) => id)).toEqual(queued);
}

/** Which chargers there are of each kind, newest first, as the store's pages tell it. */
async function listsOf(store: Opened['store']): Promise<Record<string, unknown>> {
  const lists: Record<string, unknown> = {};
  for (const filter of filters()) {
    const { items, total } = await store.listChargers('acme', filter, 1, 100);
    lists[JSON.stringify(filter)] = [total, ...items.map(({ identity }) => identity)];
  }
  return lists;
}

/** The same, by looking at each. */
function listsIn(records: readonly ChargerRecord[]): Record<string, unknown> {
  const lists: Record<string, unknown> = {};
  for (const filter of filters()) {
    const found = records.filter(
      ({ locationId, ocppVersion, provisioning: { status } }) =>
        (filter.locationId ?? locationId) === locationId &&
        (filter.ocppVersion ?? ocppVersion) === ocppVersion &&
        (filter.provisioningStatus ?? status) === status,
    );
    const identities = found.toSorted((one, other) => (one.id < other.id ? 1 : -1)).map(({ identity }) => identity);
    lists[JSON.stringify(filter)] = [found.length, ...identities];
  }
  return lists;
}

function* filters(): Iterable<ChargerFilter> {
  for (const locationId of locations) {
    for (const ocppVersion of versions) {
      for (const provisioningStatus of [...statuses, null]) {
        yield {
          ...(locationId === null ? {} : { locationId }),
          ...(ocppVersion === null ? {} : { ocppVersion }),
          ...(provisioningStatus === null ? {} : { provisioningStatus }),
        };
      }
    }
  }
}
