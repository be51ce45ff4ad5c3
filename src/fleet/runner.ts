// Runs one charger: hands its conversation what happens, keeps what must be kept, then does what it wants done.

import type { ErrandResult } from '../charger/errand.ts';
import { Failure } from '../errors.ts';
import { type Act, type Conversation, follow, type Turn, takeTurn } from '../ocpp/conversation.ts';
import { type ErrandAct, errandDone } from '../ocpp/errand-turns.ts';
import { hear } from '../ocpp/incoming.ts';
import { closedLine } from '../ocpp/line.ts';
import {
  dial,
  endAllSessions,
  hangUp,
  hasNothingToSay,
  lineClosed,
  lineOpened,
  wake,
  wakeAtMs,
} from '../ocpp/line-turns.ts';
import { type Keeping, keepTurn, keepWhole, memoryText, owedSinceMs, resume } from '../ocpp/memory.ts';
import { runCommand } from '../ocpp/operator-turns.ts';
import { newTask, type Task } from '../ocpp/task.ts';
import type { AnswerTo, LiveState, Question, Runtime, Statuses } from '../ports/ask.ts';
import type { Distrust, LinkListener, LinkSocket } from '../ports/link.ts';
import type { QueuedCommand } from '../ports/queue.ts';
import type { ChargerRecord, Commit } from '../ports/store.ts';
import { type Provisioning, provisioned, provisioningLimitMs } from '../provisioning/provisioning.ts';
import { applyCommand } from './apply-command.ts';
import { Askers, isAsked } from './askers.ts';
import type { Batch } from './batch.ts';
import { tellCrash } from './crash.ts';
import type { Fleet } from './fleet.ts';
import { keptOf } from './left-behind.ts';
import { liveState } from './live-state.ts';
import { linkRequest, type RunnerStart, stationOf } from './member.ts';
import { endingsOf, outcomeOf } from './outcome.ts';
import { provisioningNews } from './provisioning-news.ts';
import type { Sleeper } from './wheel.ts';

/** A charger that does not get through to its CSMS takes commands all the same after this time. */
const startingLimitMs = 30_000;
/** How long a charger that is stopped may take to tell its CSMS about it. */
const stoppingLimitMs = 5_000;

export class Runner implements LinkListener, Sleeper {
  /** The deployment as last heard of. */
  record: ChargerRecord;
  readonly url: string;
  /** Of the tenure under which it was taken over. */
  readonly epoch: number | undefined;
  wakeAtMs = Number.POSITIVE_INFINITY;
  wheelTick = -1;
  /** The youngest batch that its acts wait for; while it is open, none may overtake. The keeper's. */
  waitsFor: Batch | null = null;
  readonly #fleet: Fleet;
  #conversation: Conversation;
  #socket: LinkSocket | null = null;
  #actual: Runtime['actual'] = 'starting';
  #sinceMs: number;
  #lastError: string | null = null;
  /** Commands not yet begun; they run one at a time. */
  #waiting: QueuedCommand[] | null = null;
  #askers: Askers | null = null;
  #wasStopping = false;
  #isAbandoned = false;
  /** Null once the charger is ready. */
  #provisioning: Provisioning | null;

  constructor(fleet: Fleet, { record, url, dialect, memory, reason, waiting, epoch }: RunnerStart) {
    this.#fleet = fleet;
    this.epoch = epoch;
    this.record = record;
    this.url = url;
    this.#sinceMs = fleet.clock.nowMs();
    if (waiting.length > 0) this.#waiting = [...waiting];
    const { conversation, woken } = resume(dialect, stationOf(record), memory, this.#sinceMs, reason);
    this.#conversation = conversation;
    this.#provisioning = record.provisioning.status === 'ready' ? null : record.provisioning;
    this.#provision(provisioned(record.provisioning, { kind: 'started' }, this.#sinceMs), this.#sinceMs);
    this.#take((turn) => {
      follow(turn, woken, null);
      // This life is on record before it says anything, so that no later one repeats its ids.
      turn.keep = 'now';
      dial(turn);
    });
  }

  run(command: QueuedCommand): void {
    if (this.isCrashed) {
      this.#endCommands([newTask(command, this.#fleet.clock.nowMs())], this.#lastError ?? '');
      return;
    }
    if (this.#waiting === null) this.#waiting = [command];
    else this.#waiting.push(command);
    this.#runNext();
  }

  /** Runs a command in its turn, and answers when what it did is durable. */
  answer({ eventType, payload, withinMs }: Extract<Question, { kind: 'run' }>): Promise<AnswerTo<'run'>> {
    if (this.isCrashed) return Promise.reject(new Failure('not_running'));
    const nowMs = this.#fleet.clock.nowMs();
    const { id: chargerId, org, identity } = this.record;
    const { version: ocppVersion } = this.#conversation.dialect;
    this.#askers ??= new Askers();
    return this.#askers.ask(++this.#fleet.asked, nowMs + withinMs, (id) =>
      this.run({ id, org, chargerId, identity, ocppVersion, eventType, payload, acceptedAtMs: nowMs }),
    );
  }

  /** Stops it as a reboot does: sessions end, the CSMS hears of it, then the line is closed. The fleet is told when that is done. */
  retire(): void {
    if (this.#actual !== 'starting' && this.#actual !== 'running') return;
    this.#become('stopping');
    this.#take(endAllSessions);
  }

  linkOpened(): void {
    this.#take(lineOpened);
  }

  linkMessage(text: string): void {
    this.#fleet.framesIn++;
    this.#take((turn) => hear(turn, text), { glance: 'glance' });
  }

  linkClosed(code: number, reason: string, distrust?: Distrust): void {
    this.#socket = null;
    this.#take((turn) => lineClosed(turn, code, reason, distrust));
  }

  wake(): void {
    this.#take(wake, { glance: 'glance' });
  }

  errandDone(act: ErrandAct, result: ErrandResult): void {
    this.#take((turn) => errandDone(turn, act, result));
  }

  get isBusy(): boolean {
    return this.#conversation.tasks.length > 0 || this.waitsFor !== null;
  }

  get isConnected(): boolean {
    return this.#conversation.line.state === 'connected';
  }

  get isCrashed(): boolean {
    return this.#actual === 'crashed';
  }

  get isStopping(): boolean {
    return this.#actual === 'stopping';
  }

  /** What it leaves to the runner that comes after it. */
  get waiting(): readonly QueuedCommand[] {
    return this.#waiting ?? [];
  }

  get statuses(): Statuses {
    return this.#conversation.charger.connectors.map((connector) => connector.shown.status);
  }

  live(): LiveState {
    const { desired } = this.record;
    const runtime = { desired, actual: this.#actual, sinceMs: this.#sinceMs, lastError: this.#lastError };
    return liveState(this.#conversation, runtime, this.url, this.#fleet.clock.nowMs());
  }

  memory(): Commit {
    return this.#keep(keepWhole(this.#conversation));
  }

  /** Since when something waits to be told or answered that would be lost with this process; null: nothing does. */
  get owedSinceMs(): number | null {
    return owedSinceMs(this.#conversation);
  }

  /** Reads the meters once more and hangs up; nothing moves it from here on. */
  freeze(): void {
    this.#take(() => {});
    this.#wasStopping = this.isStopping;
    if (!this.isCrashed) this.leave(1001, 'the gateway is going away');
  }

  /** The memory with which it will go on where it was; one that was being stopped starts anew. */
  asleep(): Commit {
    if (this.isCrashed) return this.#signature;
    return { ...this.#signature, memory: memoryText(this.#conversation, { asleep: !this.#wasStopping }) };
  }

  /** Hangs up without another word. */
  leave(code: number, reason: string): void {
    this.#socket?.close(code, reason);
    this.#socket = null;
    this.#fleet.errands.forget(this);
    this.#become('stopped');
    this.#fleet.wheel.schedule(this, Number.POSITIVE_INFINITY);
  }

  /** Somebody else runs it now: nothing of it may be done or told any more. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#socket?.drop();
    this.#socket = null;
    this.leave(1001, '');
  }

  /** Does what a turn asked for, once what it kept is durable. */
  perform(acts: readonly Act[], atMs: number): void {
    if (this.#isAbandoned || !this.#fleet.mayAct()) return;
    const isOver = this.#actual === 'stopped' || this.#actual === 'crashed';
    for (const act of acts) {
      // What has happened is told, whatever became of the charger since.
      if (isOver && act.kind !== 'log' && act.kind !== 'event' && act.kind !== 'outcome') continue;
      switch (act.kind) {
        case 'send':
          this.#fleet.framesOut++;
          this.#socket?.send(act.text);
          break;
        case 'log':
          this.#fleet.journal.append(this.record.id, act.entry);
          break;
        case 'event':
          this.#fleet.publish(this.record, act.type, act.data, atMs);
          break;
        case 'open':
          this.#open();
          break;
        case 'ping':
          this.#socket?.ping();
          break;
        case 'close':
          this.#socket?.close(act.code, act.reason);
          break;
        case 'drop':
          this.#socket?.drop();
          break;
        case 'outcome':
          this.#tellAsker(act.task);
          break;
        case 'errand':
        case 'call_off':
          this.#fleet.errands.perform(this, act);
          break;
      }
    }
  }

  /** The charger's own bug stops this charger, loudly, and no other. Its commands end with it: none is run again. */
  crash(error: unknown, begun?: QueuedCommand): void {
    const { tasks } = this.#conversation;
    const unbegun = [...(begun === undefined ? [] : [begun]), ...this.waiting];
    this.fall(error);
    this.#waiting = null;
    const atMs = this.#fleet.clock.nowMs();
    this.#endCommands([...tasks, ...unbegun.map((command) => newTask(command, atMs))], this.#lastError ?? '');
  }

  /** It cannot go on as it is. */
  fall(error: unknown): void {
    const atMs = this.#fleet.clock.nowMs();
    this.#lastError = tellCrash(this.#fleet, this.record, error, atMs);
    const wasStopping = this.isStopping;
    this.leave(1011, 'the charger has crashed');
    this.#become('crashed');
    this.#conversation = { ...this.#conversation, tasks: [], line: closedLine(atMs) };
    if (wasStopping) this.#fleet.retired(this);
  }

  #endCommands(tasks: readonly Task[], why: string): void {
    const atMs = this.#fleet.clock.nowMs();
    const failure = { refused: 'internal_error', sentence: `the charger has crashed: ${why}` };
    const ended = tasks.filter((task) => !isAsked(task.commandId)).map((task) => ({ ...task, failure }));
    if (ended.length === 0) return;
    const outcomes = ended.map((task) => outcomeOf(task, atMs));
    this.#fleet.keeper.commit({
      commit: { ...this.#signature, outcomes },
      events: endingsOf(this.record, ended, atMs),
    });
  }

  #take(move: (turn: Turn) => void, { glance, begun }: { glance?: 'glance'; begun?: QueuedCommand } = {}): void {
    if (this.#actual === 'stopped' || this.#actual === 'crashed' || !this.#fleet.mayAct()) return;
    const before = this.#conversation;
    let turn: Turn;
    try {
      turn = takeTurn(before, this.#fleet.clock.nowMs(), move, glance);
    } catch (error) {
      this.crash(error, begun);
      return;
    }
    this.#conversation = turn.conversation;
    const isPlain = turn.keep === null && before.tasks.length === 0;
    this.#fleet.keeper.keep(
      this,
      turn,
      isPlain ? null : keptOf(this.record, turn, before, () => this.#commitOf(turn, before)),
    );
    if (this.#provisioning !== null) {
      const news = provisioningNews(before, turn.conversation);
      this.#provision(provisioned(this.#provisioning, news, turn.atMs), turn.atMs);
    }
    if (this.#actual === 'stopping') this.#goOnStopping();
    else if (this.#actual === 'starting' && this.#isUp()) this.#become('running');
    this.#fleet.wheel.schedule(this, this.#nextWakeMs());
    this.#runNext();
  }

  /** With what must be durable before the turn's acts are done, if there is such. */
  #commitOf(turn: Turn, before: Conversation): Commit {
    return turn.keep === 'now' ? this.#keep(keepTurn(before, turn.conversation)) : this.#signature;
  }

  #keep({ conversation, text }: Keeping): Commit {
    this.#conversation = conversation;
    return { ...this.#signature, ...text };
  }

  #provision(next: Provisioning, atMs: number): void {
    if (this.#provisioning === null || next === this.#provisioning) return;
    this.#provisioning = next.status === 'ready' ? null : next;
    this.record = { ...this.record, provisioning: next };
    this.#fleet.keeper.commit({ commit: { ...this.#signature, provisioning: next }, events: [] });
    const { status, step, attempts, error } = next;
    this.#fleet.publish(this.record, 'provisioning.changed', { status, step, attempts, error }, atMs);
  }

  /** First what is to be said, then the line, then it is over. A CSMS that does not play along is cut off. */
  #goOnStopping(): void {
    const { line, charger } = this.#conversation;
    const overdue = this.#fleet.clock.nowMs() >= this.#sinceMs + stoppingLimitMs;
    if (line.state === 'closed') {
      if (this.#socket !== null || charger.online) return;
      this.#become('stopped');
      this.#fleet.retired(this);
    } else if (overdue || hasNothingToSay(this.#conversation)) {
      this.#take((turn) => hangUp(turn, overdue));
    }
  }

  #isUp(): boolean {
    const { charger, line } = this.#conversation;
    const booted = charger.boot.status !== 'none' && line.state === 'connected';
    // One whose line is cut by hand will not get through until a command lets it.
    return booted || line.held || line.attempts > 0 || this.#fleet.clock.nowMs() >= this.#sinceMs + startingLimitMs;
  }

  #nextWakeMs(): number {
    if (this.#actual === 'stopped') return Number.POSITIVE_INFINITY;
    let due = wakeAtMs(this.#conversation);
    if (this.#actual === 'starting') due = Math.min(due, this.#sinceMs + startingLimitMs);
    if (this.#actual === 'stopping' && this.#conversation.line.state !== 'closed') {
      due = Math.min(due, this.#sinceMs + stoppingLimitMs);
    }
    if (this.#provisioning !== null && this.#provisioning.status !== 'failed') {
      due = Math.min(due, this.#provisioning.startedAtMs + provisioningLimitMs);
    }
    return due;
  }

  #runNext(): void {
    if (this.#actual !== 'running' || this.#waiting === null || this.#conversation.tasks.length > 0) return;
    const command = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#waiting = null;
    if (command === undefined) return;
    if (this.#askers?.isTooLate(command.id, this.#fleet.clock.nowMs())) this.#runNext();
    else
      this.#take(
        (turn) => {
          const { dialect } = this.#conversation;
          runCommand(turn, command, (charger) => applyCommand(command, charger, dialect, turn.atMs));
        },
        { begun: command },
      );
  }

  /** Whose commit it is. */
  get #signature(): Commit {
    const { epoch } = this;
    return epoch === undefined ? { chargerId: this.record.id } : { chargerId: this.record.id, epoch };
  }

  #tellAsker({ commandId, failure, result }: Task): void {
    this.#askers?.tell(commandId, failure === null ? { result } : failure);
  }

  #open(): void {
    const { dialect, charger } = this.#conversation;
    this.#socket = this.#fleet.link.open(linkRequest(charger, this.url, dialect.subprotocol), this);
  }

  #become(actual: Runtime['actual']): void {
    if (actual !== 'running') this.#sinceMs = this.#fleet.clock.nowMs();
    this.#actual = actual;
    if (actual === 'starting' || actual === 'running' || this.#askers === null) return;
    this.#askers.dismiss();
    this.#waiting = this.#waiting?.filter(({ id }) => !isAsked(id)) ?? null;
  }
}
