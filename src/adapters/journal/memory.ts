// The log in memory, for tests and for trying things out: the newest entries of each charger, gone with the process.

import type { Clock } from '../../ports/clock.ts';
import type { JournalWriter, LogEntry, LogPage, LogQuery, StoredLogEntry } from '../../ports/journal.ts';
import { matches, startOf } from './query.ts';

export interface MemoryJournalOptions {
  readonly clock: Clock;
  readonly maxEntries?: number;
  readonly maxAgeMs?: number;
}

interface Ring {
  /** Entry number n is in slot n modulo the size, counted from 1. */
  readonly slots: LogEntry[];
  last: number;
}

export class MemoryJournal implements JournalWriter {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  readonly #maxAgeMs: number;
  readonly #rings = new Map<string, Ring>();
  #closed = false;

  constructor(options: MemoryJournalOptions) {
    this.#clock = options.clock;
    this.#maxEntries = options.maxEntries ?? 1_000;
    this.#maxAgeMs = options.maxAgeMs ?? 24 * 3_600_000;
  }

  append(chargerId: string, entry: LogEntry): void {
    if (this.#closed) return;
    let ring = this.#rings.get(chargerId);
    if (ring === undefined) {
      ring = { slots: [], last: 0 };
      this.#rings.set(chargerId, ring);
    }
    ring.slots[ring.last % this.#maxEntries] = entry;
    ring.last++;
  }

  async flush(): Promise<void> {}

  async read(chargerId: string, query: LogQuery): Promise<LogPage> {
    const entries: StoredLogEntry[] = [];
    const ring = this.#rings.get(chargerId) ?? { slots: [], last: 0 };
    const oldestAtMs = startOf(query, this.#clock.nowMs() - this.#maxAgeMs);
    const newest = query.before === undefined ? ring.last : Math.min(ring.last, numberOf(query.before) - 1);
    for (let number = newest; number > Math.max(0, ring.last - this.#maxEntries); number--) {
      const entry = ring.slots[(number - 1) % this.#maxEntries];
      if (entry === undefined || entry.atMs < oldestAtMs) break;
      if (!matches(entry, query)) continue;
      if (entries.length >= query.limit) return { entries, next: entries.at(-1)?.id ?? null };
      entries.push({ id: String(number), ...entry });
    }
    return { entries, next: null };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

/** 0, before which there is nothing, for what is not an id. */
function numberOf(id: string): number {
  return /^[1-9]\d{0,15}$/.test(id) ? Number(id) : 0;
}
