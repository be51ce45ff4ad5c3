// What a case works with: processes and a folder that are gone after it, waiting that ends with it, and word of its progress.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sizes } from './bench-case.ts';
import { collectGarbage, inspectorOptions, lastInspectorUrl } from './inspector.ts';
import type { KeeperLine } from './keeper.ts';
import { anonymousKbOf, cpuMsOf, processesOf } from './readings.ts';

export interface BenchOptions {
  readonly sizes: Sizes;
  readonly deadlineMs: number;
  /** Ends the case from outside. */
  readonly interrupted: AbortSignal;
  /** A new stage of the case, and how far along it is. */
  readonly tell: (stage: string, detail: string) => void;
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
  readonly #expectedToEnd = new Set<ChildProcess>();
  /** What each process said last on its standard error. */
  readonly #said = new Map<ChildProcess, string>();
  readonly #complaints: string[] = [];
  #stage = 'starting';

  constructor({ sizes, deadlineMs, interrupted, tell }: BenchOptions) {
    this.sizes = sizes;
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
    this.#tell(text, '');
  }

  detail(text: string): void {
    this.#tell(this.#stage, text);
  }

  /** Something went wrong that need not end the case but may explain its end. */
  complain(text: string): void {
    if (this.#complaints.length < mostComplaints) this.#complaints.push(text);
  }

  get complaints(): readonly string[] {
    return this.#complaints;
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

  cpuMs(child: ChildProcess): number {
    return cpuMsOf(processesOf(groupOf(child)));
  }

  /** The memory in use by its group, in KB, without garbage and once it stands still. */
  async settledMemoryKb(child: ChildProcess): Promise<number> {
    this.stage('waiting for the memory to settle');
    const pids = processesOf(groupOf(child));
    for (const pid of pids) await this.#collectGarbage(child, pid);
    const looks = Math.ceil(this.sizes.stillMs / lookEveryMs);
    const seen: number[] = [];
    for (const startedMs = performance.now(); performance.now() - startedMs < longestSettlingMs; ) {
      seen.push(anonymousKbOf(pids));
      const latest = seen.slice(-looks);
      const [least, most] = [Math.min(...latest), Math.max(...latest)];
      if (seen.length >= looks && most - least <= most * stillShare) return most;
      this.detail(`${Math.round(most / 1024)} MB`);
      await this.sleep(lookEveryMs);
    }
    throw new Error(`the memory did not stand still within ${longestSettlingMs / 1000} s`);
  }

  async #collectGarbage(child: ChildProcess, pid: number): Promise<void> {
    const inspector = (): string | null => lastInspectorUrl(this.#said.get(child) ?? '');
    const before = inspector();
    process.kill(pid, 'SIGUSR1');
    await this.until(() => inspector() !== before);
    await this.orEnd(collectGarbage(inspector() ?? ''));
  }

  /** Ends every process of the case and removes its folder. */
  async close(): Promise<void> {
    clearTimeout(this.#deadline);
    this.#aborting.abort(new Error('the case is over'));
    const ended = new Promise<void>((resolve) => this.#keeper.once('exit', () => resolve()));
    if (this.#keeper.exitCode !== null) return;
    this.#keeper.stdin?.end();
    await ended;
  }

  #tellKeeper(line: KeeperLine): void {
    this.#keeper.stdin?.write(`${JSON.stringify(line)}\n`);
  }
}

export function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function groupOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the process has not started');
  return child.pid;
}
