// A large fleet that many processes share: how soon it goes on when one of them dies, and how quietly when one is told to stop.

import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { partitionCount } from '../../src/ports/partition.ts';
import { CommandStream, type StreamCharger } from '../bad-days/command-stream.ts';
import { metricsOf, numbersFrom, openStage, type Stage, signalAll, sumOf, treeOf } from '../bad-days/stage.ts';
import { type Client, type GatewayProcess, type Json, token } from '../flows/gateway.ts';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const limitMs = 400_000;
const connected = 'chargesim_chargers_connected';

async function start(chargers: number, workers = 3): Promise<{ stage: Stage; client: Client }> {
  const stage = await openStage({ seed: 7, chargers, workers, csms: { heartbeatIntervalS: 30 } });
  cleanUps.push(() => stage.close());
  const client = await stage.client();
  await client.until('all are connected', () => areConnected(stage.workers, chargers), 180_000);
  return { stage, client };
}

const areConnected = async (workers: readonly GatewayProcess[], count: number): Promise<boolean> =>
  (await sumOf(workers, connected)) === count;

async function expectEvenShares(workers: readonly GatewayProcess[]): Promise<void> {
  const shares = await Promise.all(workers.map((each) => metricsOf(each)));
  const owned = shares.map((share) => share.get('chargesim_partitions_owned') ?? 0);
  const even = partitionCount / workers.length;
  expect(owned.reduce((sum, each) => sum + each)).toBe(partitionCount);
  for (const each of owned) expect(Math.abs(each - even) / even).toBeLessThan(0.1);
}

async function order(client: Client, { id }: StreamCharger, name: string, event: Json): Promise<void> {
  const { status } = await client.fetch('POST', `/ocpp/commands/${name}`, { target: { charger_id: id }, event });
  expect(status).toBe(202);
}

async function untilAllSucceeded(client: Client): Promise<void> {
  const total = async (status: string) => (await client.get(`/ocpp/commands?limit=1&status=${status}`)).total;
  const areOver = async () => (await total('queued')) + (await total('running')) === 0;
  await client.until('all commands have ended', areOver, 180_000);
  expect(await total('failed')).toBe(0);
}

/** The chargers that speak on another line than before. */
function moved(stage: Stage, before: ReadonlyMap<string, number>): readonly StreamCharger[] {
  const after = stage.watch.lines;
  return stage.chargers.filter(({ identity }) => (after.get(identity) ?? 0) > (before.get(identity) ?? 0));
}

describe.skipIf(!inject('canStartPostgres') || !inject('canStartNats'))('a large fleet that processes share', () => {
  it(
    'goes on elsewhere within 30 s of the death of one of three processes, also on a busy machine, and takes commands there',
    async () => {
      const { stage, client } = await start(3_000);
      await expectEvenShares(stage.workers);
      const [dying, ...others] = stage.workers as [GatewayProcess, GatewayProcess, GatewayProcess];
      const own = (await metricsOf(dying)).get(connected) ?? 0;
      const urls = () => stage.apis.map(({ url }) => url);
      const some = stage.chargers.filter((_, index) => index % 30 === 0);
      const next = numbersFrom(7, 'stream');
      const stream = new CommandStream({ chargers: some, urls, bearer: await token(), everyMs: 1_000, next });
      await pause(3_000);
      const before = stage.watch.lines;
      const killedMs = performance.now();
      signalAll(treeOf(dying), 'SIGKILL');
      await client.until('all are connected', () => areConnected(others, stage.chargers.length), 120_000);
      const backMs = Math.round(performance.now() - killedMs);
      await stream.stop();
      const came = moved(stage, before);
      const sample = came.filter((_, index) => index % 10 === 0);
      const bearer = await token();
      const last = new CommandStream({ chargers: [], urls, bearer, everyMs: 0, next });
      const ended = await Promise.all(
        sample.map(async ({ id, identity }) =>
          client.get(`/ocpp/commands/${await last.send({ id, identity: `after-${identity}` })}?wait_s=20`),
        ),
      );
      const usableMs = Math.round(performance.now() - killedMs);
      console.log(JSON.stringify({ own, moved: came.length, backMs, usableMs }));
      expect(came).toHaveLength(own);
      expect(ended.filter(({ status }) => status !== 'succeeded')).toEqual([]);
      expect([...stream.problems, ...last.problems]).toEqual([]);
      expect(stage.watch.problems).toEqual([]);
      await expectEvenShares(others);
      // The promise is 10 s; a machine that has other things to do as well gets three times as long.
      expect(usableMs).toBeLessThan(30_000);
    },
    limitMs,
  );

  it(
    'is handed on by a process that is told to stop: nothing boots anew, and sessions go on',
    async () => {
      const { stage, client } = await start(2_200, 2);
      for (let at = 0; at < stage.chargers.length; at += 100) {
        const some = stage.chargers.slice(at, at + 100);
        await Promise.all(some.map((charger) => order(client, charger, 'start-session', { id_tag: 'TAG' })));
      }
      await untilAllSucceeded(client);
      const [leaving, ...others] = stage.workers as [GatewayProcess, GatewayProcess];
      const own = (await metricsOf(leaving)).get('chargesim_chargers_running') ?? 0;
      expect(own).toBeGreaterThan(1_000);
      const [before, cursor] = [stage.watch.lines, stage.recorder.cursor()];
      const toldMs = performance.now();
      expect(await leaving.end('SIGTERM')).toBe(0);
      await client.until('all are connected', () => areConnected(others, stage.chargers.length), 60_000);
      const backMs = Math.round(performance.now() - toldMs);
      const came = moved(stage, before);
      console.log(JSON.stringify({ own, moved: came.length, backMs }));
      const since = (identity: string, action: string) =>
        stage.recorder.calls(identity, action).filter(({ order }) => order >= cursor);
      for (const { identity } of stage.chargers) {
        expect(since(identity, 'BootNotification'), identity).toEqual([]);
        expect(since(identity, 'StopTransaction'), identity).toEqual([]);
        const ends = since(identity, 'TransactionEvent').filter(({ payload }) => payload['eventType'] === 'Ended');
        expect(ends, identity).toEqual([]);
      }
      // Each ends at its new owner as the session that it was.
      const sample = came.filter((_, index) => index % 25 === 0);
      expect(sample.length).toBeGreaterThan(10);
      await Promise.all(sample.map((charger) => order(client, charger, 'stop-session', {})));
      await untilAllSucceeded(client);
      expect(stage.watch.problems).toEqual([]);
      expect(stage.recorder.violations()).toEqual([]);
      await expectEvenShares(others);
    },
    limitMs,
  );
});
