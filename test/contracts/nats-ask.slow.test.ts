// Runs the contract of asking over NATS, on chargers of a whole gateway, and looks at what happens when owners come and go.

import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { NatsAsk } from '../../src/adapters/ask/nats.ts';
import { NatsAnswers } from '../../src/adapters/ask/nats-answers.ts';
import { SystemClock } from '../../src/adapters/clock/system.ts';
import type { Nats } from '../../src/adapters/nats/connection.ts';
import { Failure } from '../../src/errors.ts';
import type { Ask, FleetCensus, Question, Statuses } from '../../src/ports/ask.ts';
import { partitionCount, partitionOf } from '../../src/ports/partition.ts';
import { gatewayHere } from '../flows/gateway.ts';
import { describeAsk, type OpenedAsk } from './ask-contract.ts';
import { natsUrl, newPrefix, openNats } from './nats-connection.ts';
import { idOf } from './store-samples.ts';

const clock = new SystemClock();
const everything = Array.from({ length: partitionCount }, (_, partition) => ({ partition, epoch: 1 }));
const half = (rest: number) => everything.filter(({ partition }) => partition % 2 === rest);

async function open(workers: '0' | '1'): Promise<OpenedAsk> {
  const { gateway, client, close } = await gatewayHere({ WORKERS: workers });
  const prefix = newPrefix();
  const [near, far] = await Promise.all([openNats(prefix), openNats(prefix)]);
  const answers = new NatsAnswers({ nats: far, fleet: gateway.ask });
  answers.open(everything);
  const ask = new NatsAsk({ nats: near, clock });
  await far.connection.flush();
  const identities = new Map<string, string>();
  return {
    ask,
    async addCharger() {
      const { id, identity } = await client.create({});
      identities.set(id, identity);
      return id;
    },
    async stopCharger(id) {
      await client.fetch('POST', `/ocpp/simulators/${identities.get(id)}/stop`);
    },
    killRunner: workers === '0' ? null : () => gateway.pids().forEach((pid) => void process.kill(pid, 'SIGKILL')),
    async close() {
      ask.stop();
      answers.stop();
      await Promise.all([near.close(), far.close()]);
      await close();
    },
  };
}

describe.skipIf(natsUrl === null)('over NATS', () => {
  describeAsk('of a process with its chargers', () => open('0'));
  describeAsk('of a process with processes of its own', () => open('1'));

  describe('asking among many processes', () => {
    const undo: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const step of undo.splice(0).toReversed()) await step();
    });

    /** A fleet that answers as it is told to. */
    class Echo implements Ask {
      readonly heard: Question[] = [];
      answer: (chargerId: string, question: Question) => Promise<unknown> = async (_, question) => question;

      ask(chargerId: string, question: Question): Promise<never> {
        this.heard.push(question);
        return this.answer(chargerId, question) as Promise<never>;
      }

      async statuses(chargerIds: readonly string[]): Promise<ReadonlyMap<string, Statuses>> {
        return new Map(chargerIds.map((id) => [id, ['Available']]));
      }

      async census(): Promise<FleetCensus> {
        return { processes: { alive: 2, expected: 3 }, running: 10, connected: 7, framesIn: 100, framesOut: 200 };
      }
    }

    async function connected(prefix: string): Promise<Nats> {
      const nats = await openNats(prefix);
      undo.push(() => nats.close());
      return nats;
    }

    async function owner(prefix: string, tenures: typeof everything) {
      const nats = await connected(prefix);
      const fleet = new Echo();
      const answers = new NatsAnswers({ nats, fleet });
      answers.open(tenures);
      await nats.connection.flush();
      return { nats, fleet, answers };
    }

    const asker = async (prefix: string) => new NatsAsk({ nats: await connected(prefix), clock });
    const upload = (text: string) =>
      ({ kind: 'run', eventType: 'local_auth_list', payload: { text }, withinMs: 1_000 }) as const;

    it('reaches whoever owns the charger', async () => {
      const prefix = newPrefix();
      const owners = await Promise.all([0, 1].map((rest) => owner(prefix, half(rest))));
      const ask = await asker(prefix);
      for (let number = 0; number < 20; number += 1) {
        await ask.ask(idOf(number), { kind: 'live' });
        const { fleet } = owners[partitionOf(idOf(number)) % 2] ?? owners[0] ?? { fleet: new Echo() };
        expect(fleet.heard.splice(0)).toEqual([{ kind: 'live' }]);
      }
      expect(owners.flatMap(({ fleet }) => fleet.heard)).toEqual([]);
    });

    it('brings questions and answers that are larger than any message', async () => {
      const prefix = newPrefix();
      const { fleet } = await owner(prefix, everything);
      const ask = await asker(prefix);
      const text = 'ü"\n'.repeat(1_500_000);
      const question = upload(text);
      const answers = await Promise.all([1, 2, 3].map((number) => ask.ask(idOf(number), question, 20_000)));
      for (const answer of answers) expect((answer as unknown as typeof question).payload.text === text).toBe(true);
      expect(fleet.heard).toHaveLength(3);
    });

    it('says of an answer that is too large for anything that a limit is reached', async () => {
      const prefix = newPrefix();
      const { fleet } = await owner(prefix, everything);
      fleet.answer = async () => 'x'.repeat(70 * 1024 ** 2);
      await expect((await asker(prefix)).ask(idOf(1), { kind: 'live' })).rejects.toMatchObject({
        code: 'limit_reached',
      });
    });

    it('fails with the code that the owner’s process failed with', async () => {
      const prefix = newPrefix();
      const { fleet } = await owner(prefix, everything);
      fleet.answer = async () => {
        throw new Failure('not_running');
      };
      await expect((await asker(prefix)).ask(idOf(1), { kind: 'live' })).rejects.toMatchObject({ code: 'not_running' });
    });

    it('waits for an owner where there is none, and asks the next one when the owner falls silent', async () => {
      const prefix = newPrefix();
      const ask = await asker(prefix);
      const live = ask.ask(idOf(1), { kind: 'live' }, 20_000);
      const run = ask.ask(idOf(2), upload('x'), 20_000);
      await pause(300);
      const first = await owner(prefix, everything);
      expect(await live).toEqual({ kind: 'live' });
      expect(await run).toEqual(upload('x'));
      first.fleet.answer = () => new Promise(() => {});
      const again = ask.ask(idOf(1), { kind: 'live' }, 20_000);
      await pause(100);
      first.answers.stop();
      await owner(prefix, everything);
      expect(await again).toEqual({ kind: 'live' });
    });

    it('never has a command run twice: when the owner falls silent nobody knows', async () => {
      const prefix = newPrefix();
      const ask = await asker(prefix);
      const first = await owner(prefix, everything);
      first.fleet.answer = () => new Promise(() => {});
      const failing = expect(ask.ask(idOf(1), upload('x'), 3_000)).rejects.toMatchObject({ code: 'no_answer' });
      await pause(100);
      first.answers.stop();
      const second = await owner(prefix, everything);
      await failing;
      expect([first.fleet.heard.length, second.fleet.heard.length]).toEqual([1, 0]);
    });

    it('fails as no_answer where there is no owner', async () => {
      const ask = await asker(newPrefix());
      await expect(ask.ask(idOf(1), { kind: 'live' }, 300)).rejects.toMatchObject({ code: 'no_answer' });
      expect(await ask.statuses([idOf(1)])).toEqual(new Map());
    });

    it('gathers statuses and a census from all', async () => {
      const prefix = newPrefix();
      await Promise.all([0, 1].map((rest) => owner(prefix, half(rest))));
      const ask = await asker(prefix);
      const ids = Array.from({ length: 12_000 }, (_, number) => idOf(number));
      const statuses = await ask.statuses(ids);
      expect([statuses.size, statuses.get(idOf(7))]).toEqual([12_000, ['Available']]);
      expect(await ask.census()).toEqual({
        processes: { alive: 4, expected: 6 },
        running: 20,
        connected: 14,
        framesIn: 200,
        framesOut: 400,
        partitions: partitionCount,
      });
    });

    it('leaves those out that nobody owns, and expects one more process', async () => {
      const prefix = newPrefix();
      await owner(prefix, half(0));
      const ask = await asker(prefix);
      const ids = Array.from({ length: 50 }, (_, number) => idOf(number));
      expect([...(await ask.statuses(ids)).keys()]).toEqual(ids.filter((id) => partitionOf(id) % 2 === 0));
      expect((await ask.census()).processes).toEqual({ alive: 2, expected: 4 });
    });
  });
});
