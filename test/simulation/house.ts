// A whole gateway inside a test: front, store, queue and fleet as they are, a clock that stands still, a CSMS without a network.

import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { VirtualClock } from '../../src/adapters/clock/virtual.ts';
import { MemoryFeed } from '../../src/adapters/feed/memory.ts';
import { MemoryFiles } from '../../src/adapters/files/memory.ts';
import { MemoryJournal } from '../../src/adapters/journal/memory.ts';
import { NodeKeys } from '../../src/adapters/keys/node.ts';
import { type LoopbackAnswer, LoopbackLink, type LoopbackPeer } from '../../src/adapters/link/loopback.ts';
import { SqliteQueue } from '../../src/adapters/queue/sqlite.ts';
import { openSqliteStore } from '../../src/adapters/store/sqlite.ts';
import { Connection } from '../../src/csms/connection.ts';
import { type Language, loadLanguage, protocols } from '../../src/csms/handshake.ts';
import { Recorder } from '../../src/csms/recorder.ts';
import { Dispatcher } from '../../src/fleet/dispatcher.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import type { FleetProblem } from '../../src/fleet/host.ts';
import { csmsUrl } from '../../src/fleet/member.ts';
import { loadDialect } from '../../src/ocpp/dialects.ts';
import type { LinkRequest } from '../../src/ports/link.ts';
import type { ChargerRecord } from '../../src/ports/store.ts';
import { startFront } from '../http-front.ts';
import { wireBreaches } from '../wire-rules.ts';

export type House = Awaited<ReturnType<typeof openHouse>>;

/** Turns of the event loop after which whatever still moves will never come to rest. */
const mostTurns = 10_000;

export async function openHouse() {
  const clock = new VirtualClock(Date.now());
  const store = await openSqliteStore({ path: ':memory:' });
  const queue = new SqliteQueue(store);
  const feed = new MemoryFeed({ epoch: 1, keep: 100_000 });
  const recorder = new Recorder({ expectBootFirst: true, further: wireBreaches });
  const problems: FleetProblem[] = [];
  const lines: Lines = { lagTurns: 0 };
  const fleet = new Fleet({
    clock,
    journal: new MemoryJournal({ clock }),
    link: await loopbackCsms(clock, recorder, lines),
    loadDialect,
    errands: { files: async () => new MemoryFiles(), keys: async () => new NodeKeys() },
    host: {
      commit: async (commits, events = []) => {
        await store.commit(commits);
        feed.publish(events);
        return [];
      },
      publish: (events) => feed.publish(events),
      lost: (chargerIds) => dispatcher.takeOver(chargerIds),
      complain: (problem) => problems.push(problem),
    },
  });
  const urlOf = ({ org, identity }: ChargerRecord) => csmsUrl(`ws://csms/${org}`, identity);
  const dispatcher = new Dispatcher({ store, queue, clock, fleet, urlOf, publish: (events) => feed.publish(events) });
  const front = await startFront({ store, queue, feed, clock, urlOf, ask: dispatcher });
  await dispatcher.start();

  /** Whether nothing is left to be done for this charger, running or stopped as it may be. */
  async function isAtRest({ id, desired }: ChargerRecord): Promise<boolean> {
    const live = await dispatcher.ask(id, { kind: 'live' }).catch(() => null);
    if (desired === 'stopped') return live === null;
    if (live === null || live.runtime.actual !== 'running' || live.queuedMessages > 0) return false;
    const waiting = await Promise.all(
      (['queued', 'running'] as const).map((status) => store.listCommands(front.org, { chargerId: id, status }, 1, 1)),
    );
    return waiting.every(({ total }) => total === 0);
  }

  return {
    clock,
    store,
    queue,
    feed,
    fleet,
    dispatcher,
    front,
    recorder,
    lines,
    /** What went wrong that a person should see. */
    problems,
    /** Everything that was asked for has been done, without any time passing. */
    async settle(): Promise<void> {
      const { items } = await store.listChargers(front.org, {}, 1, 100);
      for (let turn = 0; turn < mostTurns; turn++) {
        await nextTurn();
        if (!(await Promise.all(items.map(isAtRest))).every(Boolean)) continue;
        // What has just ended is on record; now it is told, too.
        for (let more = 0; more < 5; more++) await nextTurn();
        return;
      }
      throw new Error('it does not come to rest');
    },
    async close(): Promise<void> {
      await front.close();
      await dispatcher.stop();
      await store.close();
    },
  };
}

/** How slow lines are: so many turns of the event loop each way. */
interface Lines {
  lagTurns: number;
}

/** Our CSMS at the other end of every link. */
async function loopbackCsms(clock: VirtualClock, recorder: Recorder, lines: Lines): Promise<LoopbackLink> {
  const languages = new Map<string, Language>();
  for (const protocol of protocols) languages.set(protocol, await loadLanguage(protocol));
  let connections = 0;
  let transactions = 0;
  const desk = { heartbeatIntervalS: 300, nowMs: () => clock.nowMs(), takeTransactionId: () => ++transactions };
  const house = { desk, overrides: {}, newMessageId: randomUUID, onFrame: recorder.onFrame, gone: () => {} };
  const later = (turns: number, run: () => void): void =>
    turns === 0 ? queueMicrotask(run) : void setImmediate(() => later(turns - 1, run));
  const serve = (request: LinkRequest, peer: LoopbackPeer): LoopbackAnswer => {
    const protocol = request.protocols[0] ?? '';
    const language = languages.get(protocol);
    if (language === undefined) return { refuse: `${protocol} is not spoken here` };
    const charger = { ...addressOf(request), number: ++connections };
    const connection = new Connection(charger, language, house, wireTo(peer));
    peer.onMessage = (text) => connection.hear(text);
    peer.onClose = () => connection.gone();
    return { protocol };
  };
  return new LoopbackLink(serve, (run) => later(lines.lagTurns, run));
}

function addressOf({ url }: LinkRequest): { readonly org: string; readonly identity: string } {
  const [org = '', identity = ''] = new URL(url).pathname.slice(1).split('/').map(decodeURIComponent);
  return { org, identity };
}

const wireTo = (peer: LoopbackPeer) => ({
  readyState: 1,
  bufferedAmount: 0,
  send: (text: string) => peer.send(text),
  pause: () => {},
  resume: () => {},
  close: (code: number, reason: string) => peer.close(code, reason),
  terminate: () => peer.drop(),
});
