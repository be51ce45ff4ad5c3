// The chargers that were asked for lately, as they are stored: commands for the same ones come again and again.

import type { ChargerRecord } from '../../../ports/store.ts';

const most = 1_000;

export class KnownChargers {
  /** In the order of their coming, so that the first is the oldest. */
  readonly #records = new Map<string, ChargerRecord>();
  #changes = 0;

  get(id: string): ChargerRecord | undefined {
    return this.#records.get(id);
  }

  add(record: ChargerRecord): void {
    if (this.#changes > 0) return;
    const oldest = this.#records.keys().next();
    if (this.#records.size >= most && !oldest.done) this.#records.delete(oldest.value);
    this.#records.set(record.id, record);
  }

  /** While chargers are being changed none is known: nobody can tell from when on they are what they become. */
  async changedBy<Answer>(change: () => Promise<Answer>): Promise<Answer> {
    this.#changes++;
    this.#records.clear();
    try {
      return await change();
    } finally {
      this.#changes--;
    }
  }

  forgetAll(): void {
    this.#records.clear();
  }
}
