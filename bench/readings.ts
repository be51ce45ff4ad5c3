// CPU time and memory of a group of processes, as Linux accounts for them.

import { readdirSync, readFileSync } from 'node:fs';

/** The unit of the times in /proc, whatever the kernel's own tick is. */
const msPerTick = 10;

/** The living processes of a group: one that was started as its leader and whatever it has started. */
export function processesOf(group: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid);
      return stat !== null && stat.group === group && stat.state !== 'Z' && stat.state !== 'X';
    });
}

/** Of all their threads since they began, user and system. */
export function cpuMsOf(pids: readonly number[]): number {
  return sum(pids, (pid) => {
    const stat = statOf(pid);
    if (stat === null) throw new Error(`process ${pid} has ended while it was measured`);
    return stat.cpuMs;
  });
}

/** Of a process, all that it has started, and all of those that have ended: servers give their children groups of their own. */
export function cpuMsOfTree(root: number): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
  const tree = new Set([root]);
  for (let before = 0; before < tree.size; ) {
    before = tree.size;
    for (const { pid, parent } of stats) if (tree.has(parent)) tree.add(pid);
  }
  return stats.reduce((total, stat) => total + (tree.has(stat.pid) ? stat.cpuMs + stat.endedCpuMs : 0), 0);
}

/** Proportional set size: pages that several processes share count in parts, so that a sum over processes is right. */
export const pssKbOf = (pids: readonly number[]): number => sum(pids, (pid) => memoryKb(pid, 'Pss'));

/** The same without files: the program itself is shared with whatever else runs, and moves when that comes and goes. */
export const anonymousKbOf = (pids: readonly number[]): number => sum(pids, (pid) => memoryKb(pid, 'Pss_Anon'));

function memoryKb(pid: number, row: 'Pss' | 'Pss_Anon'): number {
  const found = new RegExp(`^${row}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  if (found === null) throw new Error(`the kernel does not tell the memory of process ${pid}`);
  return Number(found[1]);
}

/** How many files, hence sockets, one process may have open. */
export function openFilesLimit(): number {
  const found = /^Max open files\s+(\S+)\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  return found?.[2] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(found?.[2] ?? 0);
}

interface Stat {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly cpuMs: number;
  /** Of children that have ended. */
  readonly endedCpuMs: number;
}

function statOf(pid: number): Stat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name comes second, in brackets, and may hold anything: count from behind it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group] = fields;
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return {
    pid,
    state,
    parent: Number(parent),
    group: Number(group),
    cpuMs: (user + system) * msPerTick,
    endedCpuMs: (endedUser + endedSystem) * msPerTick,
  };
}

function sum(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + of(pid), 0);
}
