// Random calls that do not wait for each other, against a store and a model of a few lines: both must tell the same story.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueuedCommand } from '../../src/ports/queue.ts';
import type { CommandRecord } from '../../src/ports/store.ts';
import { chargerRecord, idOf, type Opened, queuedCommand, succeeded } from './store-samples.ts';

type Call =
  | { readonly kind: 'create'; readonly charger: number }
  | { readonly kind: 'enqueue'; readonly chargers: readonly number[]; readonly times: number }
  | { readonly kind: 'keep'; readonly charger: number }
  | { readonly kind: 'apply'; readonly command: number }
  | { readonly kind: 'end'; readonly command: number }
  | { readonly kind: 'interrupt'; readonly chargers: readonly number[] }
  | { readonly kind: 'wait' };

const chargerCount = 5;
const runs = 15;
// Many stores are opened and closed: on a busy machine that takes its time.
const patienceMs = 60_000;
const seed = 26;

const charger = fc.nat(chargerCount - 1);
const command = fc.nat(60);
const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('create' as const), charger }),
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
    fc.record({ kind: fc.constant('wait' as const) }),
  ),
  { minLength: 1, maxLength: 40 },
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
  readonly commands: CommandRecord[] = [];

  change(id: string | undefined, from: readonly CommandRecord['status'][], changes: Partial<CommandRecord>): void {
    const index = this.commands.findIndex((one) => one.id === id);
    const found = this.commands[index];
    if (found !== undefined && from.includes(found.status)) this.commands[index] = { ...found, ...changes };
  }
}

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
      if (taken === null) model.memories.set(id, null);
      // A second one of this identity would have an id of its own.
      const record = chargerRecord(call.charger, taken === null ? {} : { id: idOf(10_000 + index) });
      return store.createChargers([record]).then((answer) => expect(answer).toEqual({ taken }));
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
      if (model.memories.has(id)) model.memories.set(id, `memory ${index}`);
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
      for (const one of model.commands.filter(({ chargerId }) => ids.includes(chargerId))) {
        const error = { errorCode: 'interrupted', error: 'interrupted by a restart' };
        model.change(one.id, ['running'], { status: 'failed', finishedAtMs: index, ...error });
      }
      return store.interrupt(ids, index);
    }
  }
}

async function compare({ store, queue }: Opened, model: Model): Promise<void> {
  const fleet = await store.fleetAfter(null, 100);
  expect(new Map(fleet.map(({ record, memory }) => [record.id, memory]))).toEqual(model.memories);
  expect(await Promise.all(model.commands.map(({ id }) => store.command('acme', id)))).toEqual(model.commands);
  const ids = Array.from({ length: chargerCount }, (_, number) => idOf(number));
  const queued = model.commands.filter(({ status }) => status === 'queued').map(({ id }) => id);
  expect((await queue.pending(ids)).map(({ id }) => id)).toEqual(queued);
}
