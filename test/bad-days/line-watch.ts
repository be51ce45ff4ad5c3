// Watches over which line each charger speaks: once it has spoken on a newer one, a word on an older is a former owner's.

import type { CsmsFrame } from '../../src/csms/connection.ts';

interface Heard {
  readonly line: number;
  readonly firstMs: number;
  lastMs: number;
  last: string;
}

export class LineWatch {
  readonly #lines = new Map<string, Heard[]>();
  readonly problems: string[] = [];

  readonly onFrame = ({ identity, connection, direction, atMs, text }: CsmsFrame): void => {
    if (direction !== 'in') return;
    const lines = this.#lines.get(identity) ?? [];
    this.#lines.set(identity, lines);
    const newest = lines.at(-1);
    if (newest === undefined || connection > newest.line) {
      lines.push({ line: connection, firstMs: atMs, lastMs: atMs, last: text });
      return;
    }
    const heard = lines.find(({ line }) => line === connection);
    if (heard !== newest) {
      const word = `${identity}: "${text.slice(0, 120)}" on line ${connection} at ${atMs}`;
      this.problems.push(`${word}, after line ${newest.line} was in use from ${newest.firstMs} on`);
      return;
    }
    newest.lastMs = atMs;
    newest.last = text;
  };

  /** How many lines each charger has spoken on. */
  get lines(): ReadonlyMap<string, number> {
    return new Map([...this.#lines].map(([identity, lines]) => [identity, lines.length]));
  }
}
