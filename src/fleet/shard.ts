// A fleet process: the far end of the channel that its gateway holds.

import { Failure, isFailure } from '../errors.ts';
import type { NewFleetEvent } from '../ports/feed.ts';
import type { Commit } from '../ports/store.ts';
import { Fleet, type FleetParts } from './fleet.ts';
import type { FleetHost, FleetProblem } from './host.ts';
import type { FromShard, ToShard } from './ipc.ts';

/** Runs a fleet for the parent process. Ends with it: chargers without a gateway would be chargers out of control. */
export function runShard(parts: Omit<FleetParts, 'host'>): void {
  const host = new ParentHost();
  const fleet = new Fleet({ ...parts, host });
  process.on('message', (message: ToShard) => {
    switch (message.kind) {
      case 'deliver':
        fleet.deliver(message.deliveries);
        break;
      case 'ask':
        void answer(message.id, () => fleet.ask(message.chargerId, message.question));
        break;
      case 'statuses':
        void answer(message.id, () => fleet.statuses(message.chargerIds));
        break;
      case 'census':
        void answer(message.id, () => fleet.census());
        break;
      case 'committed':
        host.committed(message.id, message.error, message.fenced);
        break;
      case 'fenced':
        fleet.fenced(message.commits);
        break;
      case 'hold':
        fleet.hold(message.untilSteadyMs);
        break;
      case 'release':
        void answer(message.id, () => fleet.release(message.partitions));
        break;
      case 'abandon':
        fleet.abandon(message.partitions);
        break;
      case 'unkept':
        fleet.unkept(message.chargerIds, new Failure('store_failed', message.error));
        break;
      case 'sleep':
        void fleet.sleep().then(() => gateway.tell({ kind: 'asleep' }));
        break;
    }
  });
  process.on('disconnect', () => process.exit(0));
  // The channel closes under a message when the parent goes: the disconnect ends this process too.
  process.on('error', () => {});
  gateway.tell({ kind: 'ready' });
}

/** Reaches the gateway over the channel. */
class ParentHost implements FleetHost {
  readonly #waiting = new Map<
    number,
    { resolve: (fenced: readonly string[]) => void; reject: (error: Error) => void }
  >();
  #lastId = 0;

  async commit(
    commits: readonly Commit[],
    events: readonly NewFleetEvent[] = [],
    unawaited: boolean = false,
  ): Promise<readonly string[]> {
    if (unawaited) {
      gateway.tellSoon({ kind: 'commit', id: null, commits, events });
      return [];
    }
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      gateway.tell({ kind: 'commit', id, commits, events });
    });
  }

  committed(id: number, error: string | null, fenced: readonly string[]): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === null) waiting?.resolve(fenced);
    else waiting?.reject(new Failure('store_failed', error));
  }

  publish(events: readonly NewFleetEvent[]): void {
    gateway.tellSoon({ kind: 'publish', events });
  }

  lost(chargerIds: readonly string[]): void {
    gateway.tell({ kind: 'lost', chargerIds });
  }

  complain(problem: FleetProblem): void {
    complainToGateway(problem);
  }
}

/** What nobody waits for may wait this long for others to go with it: a message of its own costs as much as thirty events. */
const togetherMs = 20;

/** What is said to the gateway, in order. What may wait goes with the next that may not. */
class Outbox {
  #waiting: FromShard[] = [];
  readonly #timer = setTimeout(() => this.#send(), togetherMs);

  tell(message: FromShard): void {
    this.#waiting.push(message);
    this.#send();
  }

  tellSoon(message: FromShard): void {
    if (this.#waiting.push(message) === 1) this.#timer.refresh();
  }

  #send(): void {
    const messages = this.#waiting;
    if (messages.length === 0) return;
    this.#waiting = [];
    if (process.connected) process.send?.(messages);
  }
}

const gateway = new Outbox();

export function complainToGateway(problem: FleetProblem): void {
  gateway.tell({ kind: 'complain', problem });
}

async function answer(id: number, work: () => Promise<unknown>): Promise<void> {
  try {
    gateway.tell({ kind: 'answer', id, answer: await work() });
  } catch (error) {
    const code = isFailure(error) ? error.code : 'no_answer';
    gateway.tell({ kind: 'noAnswer', id, code, sentence: error instanceof Error ? error.message : String(error) });
  }
}
