// Starting, stopping and restarting chargers: what shall be is stored, what runs them follows.

import Type from 'typebox';
import type { Runtime } from '../ports/ask.ts';
import type { ChargerChange, ChargerRecord } from '../ports/store.ts';
import type { HttpDependencies } from './dependencies.ts';
import { runtimeAskTimeoutMs } from './limits.ts';
import { type Mount, mount } from './operation.ts';
import { notFound } from './problem.ts';
import { word } from './schema.ts';
import { chargerCalled, silenceOf, simulatorParams } from './simulator-routes.ts';
import type { Silence } from './simulator-view.ts';

const runtimeAnswer = Type.Object(
  {
    identity: Type.String(),
    desired: word(['running', 'stopped'], { description: 'What shall be.' }),
    actual: word(['starting', 'running', 'stopping', 'stopped'], { description: 'What is, or is coming about.' }),
  },
  { title: 'RuntimeState' },
);
type RuntimeAnswer = Type.Static<typeof runtimeAnswer>;

/** How the charger is before anything is changed. */
type Before = Runtime['actual'] | Silence;

interface Control {
  readonly name: 'start' | 'stop' | 'restart';
  readonly summary: string;
  readonly description: string;
  /** What the deployment must change for it; null when it is so already. */
  change(record: ChargerRecord, before: Before): ChargerChange | null;
  actual(record: ChargerRecord, before: Before): RuntimeAnswer['actual'];
}

const controls: readonly Control[] = [
  {
    name: 'start',
    summary: 'Start a charger',
    description:
      'It connects, boots and goes on where it stopped. Of a charger that is to run already nothing changes, unless it has crashed: then it starts anew.',
    change: ({ desired }, before) => {
      if (desired === 'stopped') return { desired: 'running' };
      return before === 'crashed' ? { desired: 'running', restart: true } : null;
    },
    actual: ({ desired }, before) => (desired === 'running' && before === 'running' ? 'running' : 'starting'),
  },
  {
    name: 'stop',
    summary: 'Stop a charger',
    description:
      'Open transactions end as for a reboot, and the connection is closed. Commands to a stopped charger fail. Of a charger that is stopped already nothing changes.',
    change: ({ desired }) => (desired === 'running' ? { desired: 'stopped' } : null),
    actual: (_, before) => (before === 'stopped' || before === 'not_running' ? 'stopped' : 'stopping'),
  },
  {
    name: 'restart',
    summary: 'Restart a charger',
    description: 'Stops it, ending open transactions as for a reboot, and starts it. A stopped charger starts.',
    change: () => ({ desired: 'running', restart: true }),
    actual: () => 'starting',
  },
];

const exampleActual = { start: 'starting', stop: 'stopping', restart: 'starting' } as const;

export function mountRuntimes(on: Mount, deps: HttpDependencies): void {
  for (const control of controls) mountControl(on, deps, control);
}

function mountControl(on: Mount, { store, queue, ask, clock }: HttpDependencies, control: Control): void {
  const { name, summary, description } = control;
  const desired = name === 'stop' ? 'stopped' : 'running';
  mount(on, {
    method: 'POST',
    path: `/ocpp/simulators/{identity}/${name}`,
    id: `${name}Simulator`,
    tag: 'simulators',
    summary,
    description: `${description}\n\nAnswers once that is stored, without waiting for it to happen.`,
    scope: 'chargers:write',
    params: simulatorParams,
    answer: {
      status: 202,
      description: 'What shall be, and what is.',
      schema: runtimeAnswer,
      example: { identity: 'CP-1', desired, actual: exampleActual[name] },
    },
    problems: [404],
    idempotent: true,
    async handle({ caller: { org }, params: { identity }, receipt }) {
      const record = await chargerCalled(store, org, identity);
      const live = await ask.ask(record.id, { kind: 'live' }, runtimeAskTimeoutMs).catch(silenceOf);
      const before = typeof live === 'string' ? live : live.runtime.actual;
      const answer: RuntimeAnswer = { identity: record.identity, desired, actual: control.actual(record, before) };
      const change = control.change(record, before);
      if (change === null) return answer;
      const changed = await store.changeCharger(org, record.id, change, clock.nowMs(), receipt(answer));
      if (changed === null) throw notFound(`simulator ${identity} does not exist`);
      await queue.refresh([record.id]);
      return answer;
    },
  });
}
