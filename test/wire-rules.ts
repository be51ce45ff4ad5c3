// Listens to the line between a charger and its CSMS and says which rules of OCPP are broken: those that no schema knows.

import type { RecordedFrame } from '../src/csms/recorder.ts';
import type { Violation } from '../src/csms/rules.ts';
import { answerRules } from './wire-rules/answers.ts';
import { lineRules } from './wire-rules/line.ts';
import { type Call, configure, type Json, learn, newListener, type Side, type Word } from './wire-rules/listener.ts';
import { meterRules } from './wire-rules/meter.ts';
import { placeRules } from './wire-rules/places.ts';
import { profileRules } from './wire-rules/profiles.ts';
import { promiseRules } from './wire-rules/promises.ts';
import { retryRules } from './wire-rules/retries.ts';
import type { Rule } from './wire-rules/rule.ts';
import { rules2 } from './wire-rules/v2.ts';
import { statusRules, transactionRules } from './wire-rules/v16.ts';

export const wireRules: readonly Rule[] = [
  ...lineRules,
  ...retryRules,
  ...meterRules,
  ...statusRules,
  ...transactionRules,
  ...answerRules,
  ...placeRules,
  ...profileRules,
  ...promiseRules,
  ...rules2,
];

export interface WatchOptions {
  readonly version: string;
  /** See `ListenerOptions`. */
  readonly instant?: boolean;
  /** Names of rules that are broken on purpose. */
  readonly breaks?: readonly string[];
}

/** Listens to one charger. Every word gives the rules that it breaks, in words. */
export class WireWatch {
  readonly #known;
  readonly #looks: readonly { readonly name: string; look(word: Word): string | null | undefined }[];

  constructor({ version, instant = false, breaks = [] }: WatchOptions) {
    const strange = breaks.find((name) => !wireRules.some((rule) => rule.name === name));
    if (strange !== undefined) throw new Error(`there is no rule: ${strange}`);
    const known = newListener({ version, instant });
    this.#known = known;
    this.#looks = wireRules
      .filter(({ name, versions }) => !breaks.includes(name) && isOf(version, versions))
      .map(({ name, watch }) => ({ name, look: watch(known) }));
  }

  /** `life`: a charger that has begun a new one since boots, any other does not. */
  opened(atMs: number, life: number | null = null): string[] {
    return this.#hear({ kind: 'opened', atMs, life });
  }

  closed(atMs: number, by: Side | null = null): string[] {
    return this.#hear({ kind: 'closed', atMs, by });
  }

  passed(atMs: number): string[] {
    return this.#hear({ kind: 'time', atMs });
  }

  heard(from: Side, text: string, atMs: number): string[] {
    return this.#hear(this.#wordOf(from, text, atMs));
  }

  /** Somebody at the charger has set it, unheard. */
  configured(key: string, value: string | null, atMs: number): void {
    configure(this.#known, key, value, atMs);
  }

  /** Somebody at the charger has changed what the CSMS has told it, unheard. */
  listChanged(): void {
    this.#known.listVersion = null;
  }

  /** Somebody at the charger makes it say this. */
  proxied(action: string, atMs: number): void {
    this.#known.triggered.set(action, atMs + 60_000);
  }

  #hear(word: Word): string[] {
    const broken: string[] = [];
    for (const { name, look } of this.#looks) {
      const problem = look(word);
      if (problem != null) broken.push(`${name}: ${problem}`);
    }
    learn(this.#known, word);
    return broken;
  }

  #wordOf(from: Side, text: string, atMs: number): Word {
    const noise = (why: string): Word => ({ kind: 'noise', from, why, atMs });
    let parts: Json;
    try {
      parts = JSON.parse(text);
    } catch {
      return noise('it is no JSON');
    }
    if (!Array.isArray(parts)) return noise('it is no array');
    const [type, id] = parts;
    const { open, connection } = this.#known;
    const call: Call | null = open[from === 'charger' ? 'csms' : 'charger'].get(id) ?? null;
    switch (type) {
      case 2:
      case 6:
        if (parts.length !== 4) return noise(`a call of ${parts.length}`);
        return {
          kind: 'call',
          id,
          from,
          action: parts[2],
          payload: parts[3],
          atMs,
          connection,
          isUnconfirmed: type === 6,
        };
      case 3:
        return parts.length === 3
          ? { kind: 'result', from, id, call, payload: parts[2], atMs }
          : noise(`a result of ${parts.length}`);
      case 4: {
        const isWhole = parts.length === 5 && typeof parts[3] === 'string' && parts[3].length <= 255;
        const hasDetails = typeof parts[4] === 'object' && parts[4] !== null;
        return isWhole && hasDetails
          ? { kind: 'error', from, id, call, code: parts[2], atMs }
          : noise('an error that is not whole');
      }
      default:
        return noise(`a message of type ${type}`);
    }
  }
}

const isOf = (version: string, versions: Rule['versions']): boolean =>
  versions === 'every' || (versions === '1.6') === (version === '1.6');

/** For a recorder: what it has recorded, held against the rules, charger by charger. */
export function wireBreaches(frames: readonly RecordedFrame[]): Violation[] {
  const found: Violation[] = [];
  const watches = new Map<string, { readonly watch: WireWatch; connection: number }>();
  for (const frame of frames) {
    const { org, identity, version, connection, direction, text, atMs, order, valid } = frame;
    // What does not fit its schema is a violation by itself, and cannot be looked into.
    if (!valid && direction === 'in') continue;
    const key = `${org} ${identity} ${version}`;
    let listening = watches.get(key);
    if (listening === undefined) {
      listening = { watch: new WireWatch({ version }), connection: 0 };
      watches.set(key, listening);
    }
    const broken: string[] = [];
    if (listening.connection !== connection) broken.push(...listening.watch.opened(atMs));
    listening.connection = connection;
    broken.push(...listening.watch.heard(direction === 'in' ? 'charger' : 'csms', text, atMs));
    for (const problem of broken) found.push({ identity, direction, order, problem, text: text.slice(0, 300) });
  }
  return found;
}
