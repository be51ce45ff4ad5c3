// A bad day and its proofs as a suite, with a stream of numbered commands all day long.

import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { type Client, type Json, token } from '../flows/gateway.ts';
import { CommandStream, type StreamCharger } from './command-stream.ts';
import { type BadDayName, badDays, maxFileBytes } from './days.ts';
import { fatesOf, lossProblems, refusalsOf, repetitionProblems } from './proofs.ts';
import { numbersFrom, openStage, type Stage, untilConnected } from './stage.ts';

const chargers = 45;
const everyMs = 600;
const limitMs = 400_000;

export function badDaySuite(name: BadDayName, seed: number): void {
  const canDo = inject('canStartPostgres') && inject('canStartNats');
  describe.skipIf(!canDo)(`a day when ${name} (BAD_DAY_SEED=${seed})`, () => {
    it(
      'no accepted command is lost, repeated or late, one process acts for a charger, and all is well afterwards',
      async () => {
        const delay = numbersFrom(seed, 'answers');
        // The CSMS takes its time, so that calls are under way whenever something happens.
        const answers = { DataTransfer: async () => void (await pause(delay() * 25)) };
        const isFull = name === 'the disk of the message server is full';
        const stage = await openStage({ seed, chargers, csms: { answers }, ...(isFull ? { maxFileBytes } : {}) });
        try {
          await live(name, stage, numbersFrom(seed, 'stream'));
        } catch (error) {
          console.error(
            [...stage.workers, ...stage.apis].map(({ stderr, log }) => log.slice(-3_000) + stderr).join('\n'),
          );
          throw error;
        } finally {
          await stage.close();
        }
      },
      limitMs,
    );
  });
}

async function live(name: BadDayName, stage: Stage, next: () => number): Promise<void> {
  const bearer = await token();
  const urls = () => stage.apis.map(({ url }) => url);
  await untilConnected(await stage.client(), stage);
  const stream = new CommandStream({ chargers: stage.chargers, urls, bearer, everyMs, next });
  await pause(2_000 + stage.next() * 2_000);
  const struckMs = performance.now();
  const done = await badDays[name](stage);
  const backMs = performance.now();
  const client = await stage.client();
  await untilConnected(client, stage);
  const healedMs = performance.now();
  await pause(1_000);
  await stream.stop();
  await untilEnded(client);
  const last = await lastWords(client, stream, stage.chargers);
  const commands = await commandsOf(client, stage.chargers);
  const times = { awayMs: Math.round(backMs - struckMs), healedAfterMs: Math.round(healedMs - backMs) };
  const slowestMs = Math.max(...stream.answers.map(({ tookMs }) => tookMs));
  const seen = { name, done, ...times, slowestMs, fates: fatesOf(commands), refusals: refusalsOf(stream) };
  console.log(JSON.stringify(seen));

  expect(stream.problems, 'what callers heard').toEqual([]);
  expect(stage.watch.problems, 'words of a former owner').toEqual([]);
  expect(lossProblems(stream, commands), 'commands on record').toEqual([]);
  expect(repetitionProblems(stage.recorder, commands), 'commands on the wire').toEqual([]);
  expect(
    last.filter(({ status }) => status !== 'succeeded'),
    'chargers that take no command',
  ).toEqual([]);
  expect(stage.recorder.violations(), 'violations of OCPP').toEqual([]);
  for (const { url } of [...stage.workers, ...stage.apis]) {
    await client.until(`${url} is ready`, async () => (await fetch(`${url}/readyz`)).status === 200);
  }
}

const untilEnded = (client: Client): Promise<void> =>
  client.until(
    'all commands have ended',
    async () => {
      for (const status of ['queued', 'running']) {
        if ((await client.get(`/ocpp/commands?limit=1&status=${status}`)).total > 0) return false;
      }
      return true;
    },
    60_000,
  );

/** One more for each, when all is over. */
const lastWords = (client: Client, stream: CommandStream, all: readonly StreamCharger[]): Promise<Json[]> =>
  Promise.all(all.map(async (charger) => client.get(`/ocpp/commands/${await stream.send(charger)}?wait_s=20`)));

async function commandsOf(client: Client, all: readonly StreamCharger[]): Promise<Map<string, readonly Json[]>> {
  const commands = new Map<string, readonly Json[]>();
  for (const { id, identity } of all) {
    const found: Json[] = [];
    for (let page = 1; ; page++) {
      const { data } = await client.get(`/ocpp/commands?charger_id=${id}&limit=100&page=${page}`);
      found.push(...data);
      if (data.length < 100) break;
    }
    commands.set(identity, found.reverse());
  }
  return commands;
}
