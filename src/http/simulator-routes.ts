// Reading how chargers are right now and what they have said and heard.

import { isFailure } from '../errors.ts';
import type { LiveState } from '../ports/ask.ts';
import type { ChargerRecord, Store } from '../ports/store.ts';
import type { HttpDependencies } from './dependencies.ts';
import { askTimeoutMs } from './limits.ts';
import { journalQuery, logEntryView } from './log-view.ts';
import { type Mount, mount } from './operation.ts';
import { notFound } from './problem.ts';
import { logEntryExample, logPage, logQuery, simulator, simulatorExample } from './simulator-schema.ts';
import { liveView, type Silence, silentView } from './simulator-view.ts';

export const simulatorParams = { identity: 'The OCPP identity, percent-encoded where a path needs it.' };

export async function chargerCalled(store: Store, org: string, identity: string): Promise<ChargerRecord> {
  const record = await store.chargerByIdentity(org, identity);
  if (record === null) throw notFound(`simulator ${identity} does not exist`);
  return record;
}

export function mountSimulators(on: Mount, { store, ask, logs, urlOf }: HttpDependencies): void {
  mount(on, {
    method: 'GET',
    path: '/ocpp/simulators/{identity}',
    id: 'getSimulator',
    tag: 'simulators',
    summary: 'Get the live state of a charger',
    description:
      'Asks the charger itself. Of one that does not run, only the deployment is known: its connectors read `Unavailable`, and nothing is said of cars and meters.',
    scope: 'chargers:read',
    params: simulatorParams,
    answer: { status: 200, description: 'How it is right now.', schema: simulator, example: simulatorExample },
    problems: [404],
    async handle({ caller, params: { identity } }) {
      const record = await chargerCalled(store, caller.org, identity);
      const live = await ask.ask(record.id, { kind: 'live' }, askTimeoutMs).catch(silenceOf);
      return typeof live === 'string' ? silentView(record, urlOf(record), live) : liveView(record, live);
    },
  });

  mount(on, {
    method: 'GET',
    path: '/ocpp/simulators/{identity}/logs',
    id: 'listSimulatorLogs',
    tag: 'simulators',
    summary: 'Read the log of a charger',
    description:
      'Every OCPP frame in and out, every event of the charger’s life and every command, newest first. Old entries are dropped by age and number.',
    scope: 'chargers:read',
    params: simulatorParams,
    query: logQuery,
    answer: {
      status: 200,
      description: 'A piece of the log.',
      schema: logPage,
      example: { data: [logEntryExample], next_cursor: '1-2s' },
    },
    problems: [404, 503],
    async handle({ caller, params: { identity }, query }) {
      const record = await chargerCalled(store, caller.org, identity);
      const { entries, next } = await logs.read(record.id, journalQuery(query));
      return { data: entries.map(logEntryView), next_cursor: next };
    },
  });
}

/** For a question that nobody answered. */
export function silenceOf(error: unknown): LiveState | Silence {
  if (isFailure(error, 'not_running')) return 'not_running';
  if (isFailure(error, 'no_answer')) return 'no_answer';
  throw error;
}
