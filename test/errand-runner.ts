// Runs the errands of a charger in a test on real keys, and on files in memory.

import { VirtualClock } from '../src/adapters/clock/virtual.ts';
import { MemoryFiles } from '../src/adapters/files/memory.ts';
import { MemoryJournal } from '../src/adapters/journal/memory.ts';
import { NodeKeys } from '../src/adapters/keys/node.ts';
import { Errands } from '../src/fleet/errands.ts';
import type { Talk } from './talk.ts';

export class ErrandRunner {
  readonly files = new MemoryFiles();
  readonly #clock = new VirtualClock();
  readonly journal = new MemoryJournal({ clock: this.#clock });
  readonly #keys = new NodeKeys();
  readonly #errands = new Errands(
    { files: async () => this.files, keys: async () => this.#keys },
    this.journal,
    this.#clock,
  );

  /** Until the charger wants nothing more. */
  async run(talk: Talk): Promise<void> {
    for (let act = talk.errands.shift(); act !== undefined; act = talk.errands.shift()) {
      const errand = act;
      await new Promise<void>((resolve) => {
        const errandDone = (_act: unknown, { result }: { result: Parameters<Talk['bring']>[0] }): void => {
          talk.bring(result, errand);
          resolve();
        };
        this.#errands.perform({ record: { id: 'CP-1' }, errandDone }, errand);
      });
    }
  }

  /** Asks the charger and gives its answer, which may take an errand. */
  async ask(talk: Talk, action: string, payload: object): Promise<unknown> {
    const before = talk.replies.length;
    talk.request(action, payload);
    await this.run(talk);
    return talk.replies.slice(before).at(0)?.[2];
  }
}
