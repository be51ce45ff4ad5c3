// What a case works with: processes and a folder that are gone after it, waiting that ends with it, and word of its progress.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Beside, Sizes } from './bench-case.ts';
import { Inspector, inspectorOptions, inspectorTalk, lastInspectorUrl } from './inspector.ts';
import type { KeeperLine } from './keeper.ts';
import { type Profile, summary } from './profile.ts';
import { cpuMsOf, processesOf } from './readings.ts';

export interface BenchOptions {
  readonly sizes: Sizes;
  readonly deadlineMs: number;
  /** Where profiles of what is measured are written, as the beginning of a path; null: nowhere. */
  readonly profilePath: string | null;
  /** Ends the case from outside. */
  readonly interrupted: AbortSignal;
  /** A new stage of the case, how far along it is in words, and as a share of 1. */
  readonly tell: (stage: string, detail: string, share: number) => void;
}

/** One process or several, each with a group of its own. */
export type Measured = ChildProcess | readonly ChildProcess[];

export interface CpuUse {
  readonly cpuMs: number;
  /** Of everything that is watched beside it, by name. */
  readonly besideMs: Readonly<Record<string, number>>;
}

/** Memory that moves less than this between two looks stands still. */
const stillShare = 0.002;
const lookEveryMs = 250;
const longestSettlingMs = 60_000;
/** How much of what a process said on its standard error is kept. */
const keptText = 2_000;
const mostComplaints = 5;

export class Bench {
  readonly sizes: Sizes;
  /** Aborted, with the reason, when the case must end. */
  readonly signal: AbortSignal;
  readonly folder: string;
  readonly #aborting = new AbortController();
  readonly #deadline: NodeJS.Timeout;
  readonly #keeper: ChildProcess;
  readonly #tell: BenchOptions['tell'];
  readonly #profilePath: string | null;
  readonly #expectedToEnd = new Set<ChildProcess>();
  /** What each process said last on its standard error. */
  readonly #said = new Map<ChildProcess, string>();
  /** Where the inspectors of processes listen, once they have been opened. */
  readonly #inspectors = new Map<number, string>();
  readonly #complaints: string[] = [];
  readonly #watched = new Map<string, () => number>();
  readonly #endings: (() => Promise<void>)[] = [];
  #stage = 'starting';
  /** How long the messages were that count here: the product and its floor must do the same work. */
  bytesPerCall: number | null = null;
  beside: readonly Beside[] = [];

  constructor({ sizes, deadlineMs, profilePath, interrupted, tell }: BenchOptions) {
    this.sizes = sizes;
    this.#profilePath = profilePath;
    this.#tell = tell;
    this.signal = AbortSignal.any([this.#aborting.signal, interrupted]);
    this.#deadline = setTimeout(() => {
      this.#aborting.abort(new Error(`not finished within ${Math.round(deadlineMs / 1000)} s, while ${this.#stage}`));
    }, deadlineMs);
    // In a group of its own: it must outlive an interrupt from the keyboard.
    this.#keeper = spawn(process.execPath, [pathOf('./keeper.ts')], {
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    this.#keeper.stdin?.on('error', () => this.#aborting.abort(new Error('the process that cleans up has died')));
    this.folder = mkdtempSync(join(tmpdir(), 'chargesim-bench-'));
    this.#tellKeeper({ kind: 'folder', path: this.folder });
  }

  stage(text: string): void {
    this.#stage = text;
    this.#tell(text, '', 0);
  }

  detail(text: string, share = 0): void {
    this.#tell(this.#stage, text, share);
  }

  /** Something went wrong that need not end the case but may explain its end. */
  complain(text: string): void {
    if (this.#complaints.length < mostComplaints) this.#complaints.push(text);
  }

  /** With what the processes said last, as far as it is not about their inspectors. */
  get complaints(): readonly string[] {
    const said = [...this.#said.values()].flatMap((text) => text.trimEnd().split('\n'));
    return [...this.#complaints, ...said.filter((line) => line !== '' && !inspectorTalk.test(line))];
  }

  /** Starts a process with a group of its own. The case fails when it ends by itself. */
  spawn(what: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    this.signal.throwIfAborted();
    const env = { ...(options.env ?? process.env), NODE_OPTIONS: inspectorOptions };
    const child = spawn(process.execPath, args, { ...options, env, detached: true });
    if (child.pid !== undefined) this.#tellKeeper({ kind: 'group', group: child.pid });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said.set(child, ((this.#said.get(child) ?? '') + text).slice(-keptText));
    });
    child.on('error', (error) => this.#aborting.abort(new Error(`${what} does not start: ${error.message}`)));
    child.on('exit', (code, signal) => {
      if (this.#expectedToEnd.has(child)) return;
      const said = (this.#said.get(child) ?? '').trimEnd();
      this.#aborting.abort(
        new Error(`${what} has ended with ${signal ?? code} while ${this.#stage}\n${said}`.trimEnd()),
      );
    });
    return child;
  }

  /** As a power cut does it: the whole group, at once. */
  async kill(child: ChildProcess): Promise<void> {
    const group = groupOf(child);
    this.#expectedToEnd.add(child);
    process.kill(-group, 'SIGKILL');
    await this.until(() => child.exitCode !== null || child.signalCode !== null);
    await this.until(() => processesOf(group).length === 0);
    this.#tellKeeper({ kind: 'groupGone', group });
  }

  async sleep(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal }).catch(() => this.signal.throwIfAborted());
  }

  async until(isTrue: () => boolean | Promise<boolean>, everyMs = 50): Promise<void> {
    while (!(await isTrue())) await this.sleep(everyMs);
  }

  /** What comes first: the answer, or the end of the case. */
  async orEnd<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const { promise, reject } = Promise.withResolvers<never>();
    const end = (): void => reject(this.signal.reason);
    this.signal.addEventListener('abort', end, { once: true });
    try {
      this.signal.throwIfAborted();
      return await Promise.race([answer, promise]);
    } finally {
      this.signal.removeEventListener('abort', end);
    }
  }

  /** From now on the CPU time that this tells is read beside what is measured. */
  watch(name: string, cpuMs: () => number): void {
    this.#watched.set(name, cpuMs);
  }

  /** Tells what each of what is watched took for one of so many. */
  tellBeside(besideMs: CpuUse['besideMs'], count: number): void {
    const told = Object.entries(besideMs).map(([name, ms]) => ({ name, value: (ms * 1_000) / count, unit: 'µs' }));
    this.beside = [...this.beside, ...told];
  }

  /** Runs when the case is over. */
  atEnd(ending: () => Promise<void>): void {
    this.#endings.push(ending);
  }

  cpuMs(measured: Measured): number {
    return [measured].flat().reduce((sum, child) => sum + cpuMsOf(processesOf(groupOf(child))), 0);
  }

  /** The CPU time that their groups take while something goes on. */
  async cpuDuring(measured: Measured, work: () => Promise<void>): Promise<CpuUse> {
    const profiling = this.#profilePath === null ? [] : await this.#startProfiling([measured].flat());
    const before = this.#cpu(measured);
    await work();
    const after = this.#cpu(measured);
    for (const stop of profiling) await stop();
    const besideMs = Object.entries(after.besideMs).map(([name, ms]) => [name, ms - (before.besideMs[name] ?? 0)]);
    return { cpuMs: after.cpuMs - before.cpuMs, besideMs: Object.fromEntries(besideMs) };
  }

  async cpuMsDuring(measured: Measured, work: () => Promise<void>): Promise<number> {
    return (await this.cpuDuring(measured, work)).cpuMs;
  }

  #cpu(measured: Measured): CpuUse {
    const besideMs = Object.fromEntries([...this.#watched].map(([name, cpuMs]) => [name, cpuMs()]));
    return { cpuMs: this.cpuMs(measured), besideMs };
  }

  /** The memory in use by its group, in KB, without garbage and once it stands still, read by one of `readings`. */
  async settledMemoryKb(measured: Measured, read: (pids: readonly number[]) => number): Promise<number> {
    this.stage('waiting for the memory to settle');
    const processes = processesIn([measured].flat());
    for (const { child, pid } of processes) await this.#collectGarbage(child, pid);
    const pids = processes.map(({ pid }) => pid);
    const looks = Math.ceil(this.sizes.stillMs / lookEveryMs);
    const seen: number[] = [];
    for (const startedMs = performance.now(); performance.now() - startedMs < longestSettlingMs; ) {
      seen.push(read(pids));
      const latest = seen.slice(-looks);
      const [least, most] = [Math.min(...latest), Math.max(...latest)];
      if (seen.length >= looks && most - least <= most * stillShare) return most;
      this.detail(`${Math.round(most / 1024)} MB`);
      await this.sleep(lookEveryMs);
    }
    throw new Error(`the memory did not stand still within ${longestSettlingMs / 1000} s`);
  }

  async #inspect(child: ChildProcess, pid: number): Promise<Inspector> {
    let url = this.#inspectors.get(pid) ?? null;
    if (url === null) {
      const announced = (): string | null => lastInspectorUrl(this.#said.get(child) ?? '');
      const before = announced();
      process.kill(pid, 'SIGUSR1');
      await this.until(() => announced() !== before);
      url = announced() ?? '';
      this.#inspectors.set(pid, url);
    }
    return this.orEnd(Inspector.open(url));
  }

  /** What is collectable depends on luck; what is left after this does not. */
  async #collectGarbage(child: ChildProcess, pid: number): Promise<void> {
    const inspector = await this.#inspect(child, pid);
    await this.orEnd(inspector.callAll('HeapProfiler.collectGarbage'));
    inspector.close();
  }

  async #startProfiling(children: readonly ChildProcess[]): Promise<readonly (() => Promise<void>)[]> {
    const stops: (() => Promise<void>)[] = [];
    for (const [index, { child, pid }] of processesIn(children).entries()) {
      const inspector = await this.#inspect(child, pid);
      await inspector.callAll('Profiler.enable');
      await inspector.callAll('Profiler.start');
      stops.push(async () => {
        const answers = (await this.orEnd(inspector.callAll('Profiler.stop'))) as { readonly profile: Profile }[];
        inspector.close();
        for (const [thread, { profile }] of answers.entries()) {
          const path = `${this.#profilePath}-process-${index}-thread-${thread}`;
          writeFileSync(`${path}.cpuprofile`, JSON.stringify(profile));
          writeFileSync(`${path}.txt`, `${summary(profile)}\n`);
        }
      });
    }
    return stops;
  }

  /** Ends every process of the case and removes its folder. */
  async close(): Promise<void> {
    clearTimeout(this.#deadline);
    this.#aborting.abort(new Error('the case is over'));
    const ended = new Promise<void>((resolve) => this.#keeper.once('exit', () => resolve()));
    if (this.#keeper.exitCode === null) {
      this.#keeper.stdin?.end();
      await ended;
    }
    for (const ending of this.#endings) await ending();
  }

  #tellKeeper(line: KeeperLine): void {
    this.#keeper.stdin?.write(`${JSON.stringify(line)}\n`);
  }
}

export function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function processesIn(children: readonly ChildProcess[]): readonly { child: ChildProcess; pid: number }[] {
  return children.flatMap((child) => processesOf(groupOf(child)).map((pid) => ({ child, pid })));
}

function groupOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the process has not started');
  return child.pid;
}
