// Rules of OCPP-J that no schema knows, checked over the recorded frames of each connection.

import type { CsmsFrame } from './connection.ts';

export interface Violation {
  readonly identity: string;
  readonly direction: 'in' | 'out';
  /** The frame's place among all frames recorded. */
  readonly order: number;
  readonly problem: string;
  readonly text: string;
}

export interface RuleOptions {
  /** The first connection of every charger must open with a BootNotification. */
  readonly expectBootFirst?: boolean;
  /** A call that is unanswered for this long counts as given up; 30 s unless told otherwise. */
  readonly messageTimeoutMs?: number;
}

type Recorded = CsmsFrame & { readonly order: number };

const defaultMessageTimeoutMs = 30_000;
const maxIdLength = 36;
const maxDescriptionLength = 255;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const goodTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

/** The chargers' breaches. Each rule reads the frames of one connection, in their order. */
export function breaches(
  frames: readonly Recorded[],
  options: RuleOptions,
  bootsExpected: readonly { readonly identity: string; readonly after: number }[],
): Violation[] {
  const bootFirst = connectionsToBoot(frames, options, bootsExpected);
  const watches = new Map<number, Watch>();
  const found: Violation[] = [];
  for (const frame of frames) {
    let watch = watches.get(frame.connection);
    if (watch === undefined) {
      watch = { open: new Map(), ids: new Set(), mustBoot: bootFirst.has(frame.connection) };
      watches.set(frame.connection, watch);
    }
    const parts = partsOf(frame.text);
    if (parts === null) continue;
    const problems = frame.direction === 'in' ? problemsOf(frame, parts, watch, options) : answered(parts, watch);
    for (const problem of problems) {
      const { identity, direction, order, text } = frame;
      found.push({ identity, direction, order, problem, text: text.slice(0, 300) });
    }
  }
  return found;
}

/** What must be remembered of a connection to judge its next frame. */
interface Watch {
  /** When each unanswered call of the charger came, by message id. */
  readonly open: Map<string, number>;
  readonly ids: Set<string>;
  mustBoot: boolean;
}

function connectionsToBoot(
  frames: readonly Recorded[],
  options: RuleOptions,
  bootsExpected: readonly { readonly identity: string; readonly after: number }[],
): Set<number> {
  const expected = new Set<number>();
  const first = new Map<string, number>();
  for (const { identity, connection } of frames) if (!first.has(identity)) first.set(identity, connection);
  if (options.expectBootFirst) for (const connection of first.values()) expected.add(connection);
  for (const { identity, after } of bootsExpected) {
    const next = frames.find((frame) => frame.identity === identity && frame.connection > after);
    if (next !== undefined) expected.add(next.connection);
  }
  return expected;
}

/** The frame as an array, or null when it is none: that has been reported with the frame. */
function partsOf(text: string): readonly unknown[] | null {
  try {
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) ? parts : null;
  } catch {
    return null;
  }
}

function answered([type, id]: readonly unknown[], watch: Watch): string[] {
  if (type === 3 || type === 4) watch.open.delete(String(id));
  return [];
}

function problemsOf(frame: Recorded, parts: readonly unknown[], watch: Watch, options: RuleOptions): string[] {
  switch (parts[0]) {
    case 2:
      return [...callProblems(frame, parts, watch, options), ...payloadProblems(parts[2], parts[3])];
    case 3:
      return payloadProblems(null, parts[2]);
    case 4:
      return errorProblems(parts);
    case 6:
      return [...idProblems(parts[1], watch), ...payloadProblems(parts[2], parts[3])];
    default:
      return [];
  }
}

function callProblems(frame: Recorded, parts: readonly unknown[], watch: Watch, options: RuleOptions): string[] {
  const [, id, action] = parts;
  const problems = idProblems(id, watch);
  const timeoutMs = options.messageTimeoutMs ?? defaultMessageTimeoutMs;
  for (const [openId, sinceMs] of watch.open) {
    if (frame.atMs - sinceMs < timeoutMs) problems.push(`a second call while ${openId} is unanswered`);
    watch.open.delete(openId);
  }
  watch.open.set(String(id), frame.atMs);
  if (watch.mustBoot && action !== 'BootNotification')
    problems.push(`the first call is ${action}, not BootNotification`);
  watch.mustBoot = false;
  return problems;
}

function idProblems(id: unknown, watch: Watch): string[] {
  const problems: string[] = [];
  if (typeof id !== 'string' || id === '' || id.length > maxIdLength) {
    problems.push(`the message id is not a string of 1 to ${maxIdLength} characters`);
  }
  if (watch.ids.has(String(id))) problems.push(`the message id ${id} was used before on this connection`);
  watch.ids.add(String(id));
  return problems;
}

function errorProblems(parts: readonly unknown[]): string[] {
  const [, , , description, details] = parts;
  const isWhole =
    parts.length === 5 &&
    typeof description === 'string' &&
    description.length <= maxDescriptionLength &&
    typeof details === 'object' &&
    details !== null;
  return isWhole ? [] : [`a CALLERROR is [4, id, code, description of at most ${maxDescriptionLength}, {details}]`];
}

/** Walks without recursion: the payload may be nested as deep as a megabyte allows. */
function payloadProblems(action: unknown, payload: unknown): string[] {
  // Vendors may put into a DataTransfer what they like.
  if (action === 'DataTransfer') return [];
  const problems = new Set<string>();
  const rest: (readonly [name: string, value: unknown])[] = [['the payload', payload]];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [name, value] = next;
    if (value === null) problems.add(`${name} is null`);
    else if (typeof value === 'object' && name !== 'customData') {
      for (const entry of Object.entries(value)) rest.push(entry);
    } else if (typeof value === 'string' && timestamp.test(value) && !goodTimestamp.test(value)) {
      problems.add(`${name} is no UTC timestamp that ends with Z, with 3 decimals at most: ${value.slice(0, 50)}`);
    }
  }
  return [...problems];
}
