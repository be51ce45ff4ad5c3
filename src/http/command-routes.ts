// Sending commands to chargers, one route for each command of the list, and reading what became of them.

import Type from 'typebox';
import type { Command } from '../commands/command.ts';
import { commands } from '../commands/index.ts';
import { isFailure } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedCommand } from '../ports/queue.ts';
import type { CommandRecord, Store } from '../ports/store.ts';
import { requireScope } from './access.ts';
import { versionOf } from './charger-view.ts';
import {
  type CommandFailure,
  commandExample,
  commandPage,
  commandRequest,
  commandResponse,
  command as commandSchema,
  commandStatuses,
  operationId,
  requestExample,
  responseExample,
} from './command-schema.ts';
import { obstacles, refuseHalfStation, singleCharger, targetedChargers } from './command-target.ts';
import { commandResponseView, commandView } from './command-view.ts';
import type { HttpDependencies } from './dependencies.ts';
import { commandPollMs, longestWaitS } from './limits.ts';
import { type Mount, mount } from './operation.ts';
import { contradiction, notFound } from './problem.ts';
import { closed, pageQuery, text, word } from './schema.ts';

const waitQuery = closed({
  wait_s: Type.Integer({
    minimum: 0,
    maximum: longestWaitS,
    default: 0,
    description: 'Holds the answer until the command has ended, for this many seconds at most.',
  }),
});

const listQuery = closed({
  ...pageQuery,
  charger_id: Type.Optional(text(64, { description: 'Only commands for this charger.' })),
  status: Type.Optional(word(commandStatuses, { description: 'Only commands of this status.' })),
});

export function mountCommands(on: Mount, deps: HttpDependencies): void {
  for (const command of commands) {
    if (command.answer === undefined) mountCommand(on, deps, command);
    else mountAnsweredCommand(on, deps, command, command.answer);
  }
  refuseUnknownNames(on);

  mount(on, {
    method: 'GET',
    path: '/ocpp/commands',
    id: 'listCommands',
    tag: 'commands',
    summary: 'List commands',
    description:
      'Newest first, as far back as they are kept. A page past the end is empty. The two that a charger answers itself, `local-auth-list` and `clear-local-auth-list`, are not among them.',
    scope: 'commands:read',
    query: listQuery,
    answer: {
      status: 200,
      description: 'A page of commands.',
      schema: commandPage,
      example: { data: [commandExample], total: 1, page: 1, limit: 20 },
    },
    problems: [],
    async handle({ caller: { org }, query: { page, limit, charger_id, status } }) {
      const filter = {
        ...(charger_id === undefined ? {} : { chargerId: charger_id }),
        ...(status === undefined ? {} : { status }),
      };
      const { items, total } = await deps.store.listCommands(org, filter, page, limit);
      return { data: items.map(commandView), total, page, limit };
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpp/commands/{command_id}',
    id: 'getCommand',
    tag: 'commands',
    summary: 'Read what became of a command',
    description: 'Its status, its outcome, and the OCPP calls that it caused.',
    scope: 'commands:read',
    params: { command_id: 'As told when the command was accepted.' },
    query: waitQuery,
    answer: { status: 200, description: 'The command.', schema: commandSchema, example: commandExample },
    problems: [404],
    async handle(call) {
      const {
        caller,
        query: { wait_s },
        params: { command_id },
      } = call;
      const read = () => readCommand(deps.store, caller.org, command_id);
      const record = await read();
      if (wait_s === 0 || hasEnded(record)) return commandView(record);
      return commandView(await waitForEnd(deps.clock, read, wait_s * 1000, call.signal));
    },
  });
}

function mountCommand(on: Mount, deps: HttpDependencies, command: Command): void {
  const { store, queue, clock, newId, settings } = deps;
  const obstacleOf = obstacles(command);
  const isFull = `its queue is full: ${settings.queueLimit} commands wait for it`;
  mount(on, {
    method: 'POST',
    path: `/ocpp/commands/${command.name}`,
    id: operationId(command),
    tag: 'commands',
    summary: command.summary,
    description: `${command.description}\n\nAnswers when the command is on the durable queue of each charger, without waiting for its end. A charger that cannot take it is in \`failed\`; that, too, is a 202.`,
    scope: 'commands:write',
    body: { schema: commandRequest(command), example: requestExample(command) },
    answer: {
      status: 202,
      description: 'What is queued and what is not.',
      schema: commandResponse,
      example: responseExample(command),
    },
    problems: [404],
    idempotent: true,
    async handle({ caller: { org }, body: { target, event }, receipt }) {
      refuseHalfStation(command, event);
      const { chargers, failed: unknown } = await targetedChargers(store, org, target);
      const crowded = await queue.crowded(
        chargers.map(({ id }) => id),
        settings.queueLimit,
      );
      const acceptedAtMs = clock.nowMs();
      const queued: QueuedCommand[] = [];
      const failed: CommandFailure[] = [...unknown];
      for (const charger of chargers) {
        const { id: chargerId, identity } = charger;
        const error = obstacleOf(charger, event) ?? (crowded.has(chargerId) ? isFull : null);
        if (error !== null) {
          failed.push({ identity, error });
          continue;
        }
        const ocppVersion = versionOf(charger);
        const { eventType } = command;
        queued.push({ id: newId(), org, chargerId, identity, ocppVersion, eventType, payload: event, acceptedAtMs });
      }
      const view = commandResponseView(queued, failed);
      await queue.enqueue(queued, receipt(view));
      return view;
    },
  });
}

const answerWithinMs = 8_000;
/** Longer than the charger has to begin: what is answered with 400 is not done later. */
const giveUpAfterMs = 10_000;

/** Put to one charger in its turn; it answers itself. */
function mountAnsweredCommand(
  on: Mount,
  { store, ask }: HttpDependencies,
  command: Command,
  answer: NonNullable<Command['answer']>,
): void {
  mount(on, {
    method: 'POST',
    path: `/ocpp/commands/${command.name}`,
    id: operationId(command),
    tag: 'commands',
    summary: command.summary,
    description: `${command.description}\n\nFor one charger only. Runs behind the commands that were accepted before; 400 when the charger is stopped or does not answer in time, and then nothing is done later.`,
    scope: 'commands:write',
    body: { schema: commandRequest(command), example: requestExample(command) },
    answer: { status: 200, description: 'What the charger says.', schema: answer.schema, example: answer.example },
    problems: [400, 404],
    idempotent: true,
    async handle({ caller: { org }, body: { target, event } }) {
      const charger = await singleCharger(store, org, target);
      const { eventType } = command;
      const question = { kind: 'run', eventType, payload: event, withinMs: answerWithinMs } as const;
      const answered = await ask.ask(charger.id, question, giveUpAfterMs).catch((error: unknown) => {
        if (isFailure(error, 'not_running')) throw contradiction('the charger is stopped');
        if (isFailure(error, 'no_answer')) throw contradiction('the charger did not answer in time');
        throw error;
      });
      if ('refused' in answered) throw contradiction(answered.sentence);
      return answered.result;
    },
  });
}

/** Among the commands, a name that none of them has is not a method that is not allowed. */
function refuseUnknownNames({ app, verifyToken }: Mount): void {
  const names = commands.map(({ name }) => name).join(', ');
  app.post<{ Params: { name: string } }>(
    '/ocpp/commands/:name',
    { schema: { hide: true }, onRequest: requireScope(verifyToken, 'commands:write') },
    async ({ params: { name } }) => {
      throw notFound(`there is no command ${name}; there are: ${names}`);
    },
  );
}

async function readCommand(store: Store, org: string, id: string): Promise<CommandRecord> {
  const record = await store.command(org, id);
  if (record === null) throw notFound(`command ${id} does not exist`);
  return record;
}

const hasEnded = ({ status }: CommandRecord): boolean => status === 'succeeded' || status === 'failed';

/** Looks at it again and again until it has ended, the time is up or nobody waits any more. */
async function waitForEnd(
  clock: Clock,
  read: () => Promise<CommandRecord>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CommandRecord> {
  const untilMs = clock.nowMs() + timeoutMs;
  let record = await read();
  while (!hasEnded(record) && clock.nowMs() < untilMs && !signal.aborted) {
    await pause(clock, Math.min(clock.nowMs() + commandPollMs, untilMs), signal);
    record = await read();
  }
  return record;
}

function pause(clock: Clock, untilMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.at(untilMs, done);
    signal.addEventListener('abort', done);
  });
}
