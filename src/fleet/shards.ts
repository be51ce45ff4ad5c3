// The fleet processes of one gateway: starts them, spreads the chargers over them, and starts another where one dies.

import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { Failure, type FailureCode } from '../errors.ts';
import type { AnswerTo, FleetCensus, Question, Questions, Statuses } from '../ports/ask.ts';
import { partitionOf } from '../ports/partition.ts';
import type { FleetHandle, FleetHost } from './host.ts';
import type { FromShard, ToShard } from './ipc.ts';
import type { Delivery } from './member.ts';

export interface ShardsOptions {
  /** The module that a fleet process runs, and its arguments; the shard's number is added. */
  readonly entry: string;
  readonly args: readonly string[];
  /** Null: as many as the chargers need. */
  readonly count: number | null;
  /** What nobody may read off the command line. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly host: FleetHost;
}

/** Sockets are open files, and those of one process are limited. */
const chargersPerShard = 15_000;
const maxRestartDelayMs = 5_000;
/** A process that lived this long before it died is started again at once. */
const stableMs = 10_000;

const isForAnybody = ({ kind }: Question): boolean => kind === 'logs' || kind === 'logged' || kind === 'stopped';

type Asking = WithoutId<Extract<ToShard, { kind: 'ask' | 'statuses' | 'census' | 'release' }>>;
type WithoutId<Message> = Message extends unknown ? Omit<Message, 'id'> : never;

interface Asked {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A fifth less CPU time for every sample: what lives from one sample to the next is moved seldom, no threads are woken for heaps this
 * small, where other processes want the cores, and nothing begins its life among the old, from where a dead one would keep alive
 * whatever it points to.
 */
const collecting = ['--single-threaded-gc', '--min-semi-space-size=16', '--no-allocation-site-pretenuring'];

export class Shards implements FleetHandle {
  readonly #options: ShardsOptions;
  readonly #shards: Shard[] = [];
  readonly #shardOf = new Map<string, Shard>();

  constructor(options: ShardsOptions) {
    this.#options = options;
    for (let number = 0; number < (options.count ?? 1); number++) this.#add();
  }

  /** The process ids, for whoever watches over this machine. */
  get pids(): readonly number[] {
    return this.#shards.flatMap((shard) => shard.pid ?? []);
  }

  deliver(deliveries: readonly Delivery[]): void {
    const perShard = new Map<Shard, Delivery[]>();
    for (const delivery of deliveries) {
      const shard = this.#route(delivery);
      if (shard === null) continue;
      const batch = perShard.get(shard);
      if (batch === undefined) perShard.set(shard, [delivery]);
      else batch.push(delivery);
    }
    for (const [shard, batch] of perShard) shard.send({ kind: 'deliver', deliveries: batch });
  }

  ask<Kind extends keyof Questions>(
    chargerId: string,
    question: Extract<Question, { kind: Kind }>,
  ): Promise<AnswerTo<Kind>> {
    // The log of a charger that does not run is read by any process, and that it does not run is known to all.
    const shard = this.#shardOf.get(chargerId) ?? (isForAnybody(question) ? this.#shards[0] : undefined);
    if (shard === undefined) return Promise.reject(new Failure('not_running'));
    return shard.ask({ kind: 'ask', chargerId, question }) as Promise<AnswerTo<Kind>>;
  }

  async statuses(chargerIds: readonly string[]): Promise<readonly (readonly [string, Statuses])[]> {
    const perShard = Map.groupBy(chargerIds, (id) => this.#shardOf.get(id));
    perShard.delete(undefined);
    const answers = [...perShard].map(([shard, ids]) =>
      shard?.ask({ kind: 'statuses', chargerIds: ids }).catch(() => []),
    );
    return (await Promise.all(answers)).flat() as (readonly [string, Statuses])[];
  }

  async census(): Promise<FleetCensus> {
    const answers = await Promise.all(this.#shards.map((shard) => shard.ask({ kind: 'census' }).catch(() => null)));
    const alive = answers.filter((answer) => answer !== null) as FleetCensus[];
    const sum = (of: (census: FleetCensus) => number): number => alive.reduce((total, each) => total + of(each), 0);
    return {
      processes: { alive: alive.length, expected: this.#shards.length },
      running: sum((each) => each.running),
      connected: sum((each) => each.connected),
      framesIn: sum((each) => each.framesIn),
      framesOut: sum((each) => each.framesOut),
    };
  }

  hold(untilSteadyMs: number): void {
    for (const shard of this.#shards) shard.hold(untilSteadyMs);
  }

  async release(partitions: readonly number[]): Promise<void> {
    // What a process that has just died ran is stored as it last was.
    await Promise.all(this.#shards.map((shard) => shard.ask({ kind: 'release', partitions }).catch(() => {})));
    this.#unassign(partitions);
  }

  abandon(partitions: readonly number[]): void {
    for (const shard of this.#shards) shard.send({ kind: 'abandon', partitions });
    this.#unassign(partitions);
  }

  async sleep(): Promise<void> {
    await Promise.all(this.#shards.map((shard) => shard.sleep()));
  }

  #unassign(partitions: readonly number[]): void {
    const gone = new Set(partitions);
    for (const [chargerId, shard] of this.#shardOf) {
      if (!gone.has(partitionOf(chargerId))) continue;
      this.#shardOf.delete(chargerId);
      shard.chargers.delete(chargerId);
    }
  }

  #route(delivery: Delivery): Shard | null {
    switch (delivery.kind) {
      case 'member':
        return this.#assign(delivery.member.record.id);
      case 'command':
        return this.#shardOf.get(delivery.command.chargerId) ?? null;
      case 'gone': {
        const shard = this.#shardOf.get(delivery.chargerId) ?? null;
        this.#shardOf.delete(delivery.chargerId);
        shard?.chargers.delete(delivery.chargerId);
        return shard;
      }
    }
  }

  /** A charger stays where it is; a new one goes to the process with the fewest. */
  #assign(chargerId: string): Shard {
    const known = this.#shardOf.get(chargerId);
    if (known !== undefined) return known;
    let emptiest = this.#shards.reduce((least, shard) => (shard.chargers.size < least.chargers.size ? shard : least));
    if (this.#options.count === null && emptiest.chargers.size >= chargersPerShard) emptiest = this.#add();
    emptiest.chargers.add(chargerId);
    this.#shardOf.set(chargerId, emptiest);
    return emptiest;
  }

  #add(): Shard {
    const shard = new Shard(this.#shards.length, this.#options);
    this.#shards.push(shard);
    return shard;
  }
}

/** One fleet process, through all its lives. */
class Shard {
  readonly chargers = new Set<string>();
  readonly #number: number;
  readonly #options: ShardsOptions;
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;
  #child: ChildProcess | null = null;
  #startedAtMs = 0;
  #endedWith = '';
  #deaths = 0;
  /** Commits that this process has handed over and that are still being written. */
  #committing: Promise<unknown> = Promise.resolve();
  #onAsleep: (() => void) | null = null;
  #leaving = false;
  #holdsUntilMs: number | null = null;

  constructor(number: number, options: ShardsOptions) {
    this.#number = number;
    this.#options = options;
    this.#start();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  send(message: ToShard): void {
    // A message for a process that has just died is lost: its chargers are delivered again. No callback, which would cost as much as
    // the message: should it fail, that is an event.
    if (this.#child?.connected) this.#child.send(message);
  }

  ask(asking: Asking): Promise<unknown> {
    if (!this.#child?.connected) return Promise.reject(new Failure('process_restarting'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.send({ ...asking, id });
    });
  }

  hold(untilSteadyMs: number): void {
    this.#holdsUntilMs = untilSteadyMs;
    this.send({ kind: 'hold', untilSteadyMs });
  }

  async sleep(): Promise<void> {
    this.#leaving = true;
    const child = this.#child;
    if (child === null || !child.connected) return;
    const asleep = new Promise<void>((resolve) => {
      this.#onAsleep = resolve;
      child.once('exit', () => resolve());
    });
    this.send({ kind: 'sleep' });
    await asleep;
    await this.#committing;
    if (child.connected) child.disconnect();
  }

  #start(): void {
    const { entry, args, secrets } = this.#options;
    // A process uses the compile cache only when told so; without it, reading TypeScript costs 18 MB and half a second of CPU time.
    const cache = getCompileCacheDir();
    const env = { ...process.env, ...secrets, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) };
    const child = fork(entry, [...args, String(this.#number)], {
      stdio: 'inherit',
      env,
      execArgv: [...process.execArgv, ...collecting],
    });
    this.#child = child;
    this.#startedAtMs = performance.now();
    child.on('message', (messages: readonly FromShard[]) => {
      for (const message of messages) this.#hear(message);
    });
    // The channel ends after its last message has been read, the process maybe before: both must have happened.
    let ends = 0;
    const ended = () => {
      if (++ends === 2) void this.#died();
    };
    child.once('exit', (code, signal) => {
      this.#endedWith = signal ?? `exit code ${code}`;
      ended();
    });
    child.once('disconnect', ended);
    if (this.#holdsUntilMs !== null) this.hold(this.#holdsUntilMs);
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.syscall !== 'write') this.#complain(`fleet process ${this.#number} failed: ${error.message}`, '');
    });
  }

  #hear(message: FromShard): void {
    switch (message.kind) {
      case 'commit':
        this.#committing = this.#commit(message);
        break;
      case 'publish':
        this.#options.host.publish(message.events);
        break;
      case 'lost':
        this.#options.host.lost(message.chargerIds);
        break;
      case 'complain':
        this.#options.host.complain(message.problem);
        break;
      case 'answer':
        this.#answered(message.id)?.resolve(message.answer);
        break;
      case 'noAnswer':
        this.#answered(message.id)?.reject(new Failure(message.code as FailureCode, message.sentence));
        break;
      case 'asleep':
        this.#onAsleep?.();
        break;
      case 'ready':
        break;
    }
  }

  async #commit({ id, commits, events }: Extract<FromShard, { kind: 'commit' }>): Promise<void> {
    let fenced: readonly string[] = [];
    const error = await this.#options.host.commit(commits, events).then(
      (others) => {
        fenced = others;
        return null;
      },
      (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
    );
    if (id !== null) this.send({ kind: 'committed', id, error, fenced });
    else if (fenced.length > 0) {
      const out = commits.filter(({ chargerId }) => fenced.includes(chargerId));
      this.send({
        kind: 'fenced',
        commits: out.map(({ chargerId, epoch }) => ({ chargerId, ...(epoch === undefined ? {} : { epoch }) })),
      });
    } else if (error !== null) {
      this.send({ kind: 'unkept', chargerIds: [...new Set(commits.map(({ chargerId }) => chargerId))], error });
    }
  }

  #answered(id: number): Asked | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  async #died(): Promise<void> {
    this.#child = null;
    if (this.#leaving) return;
    const lived = performance.now() - this.#startedAtMs;
    this.#deaths = lived > stableMs ? 0 : this.#deaths + 1;
    const delayMs = this.#deaths === 0 ? 0 : Math.min(100 * 2 ** this.#deaths, maxRestartDelayMs);
    this.#complain(
      `fleet process ${this.#number} has died (${this.#endedWith}); it is started again, and its chargers come back by themselves`,
      '',
    );
    for (const { reject } of this.#asked.values()) reject(new Failure('process_restarting'));
    this.#asked.clear();
    // What it had handed over is durable before anybody reads what its chargers were.
    await this.#committing;
    setTimeout(() => {
      if (this.#leaving) return;
      this.#start();
      this.#options.host.lost([...this.chargers]);
    }, delayMs);
  }

  #complain(sentence: string, detail: string): void {
    this.#options.host.complain({ chargerId: null, sentence, detail });
  }
}
