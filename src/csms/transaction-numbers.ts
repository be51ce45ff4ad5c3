// Numbers for 1.6 transactions, reserved in blocks ahead of need: only the very first one has to be waited for.

const blockSize = 1000;

export class TransactionNumbers {
  readonly #reserve: (count: number) => Promise<number>;
  readonly #blocks: { next: number; readonly end: number }[] = [];
  #left = 0;
  #reserving: Promise<void> | null = null;

  constructor(reserve: (count: number) => Promise<number>) {
    this.#reserve = reserve;
  }

  take(): number | Promise<number> {
    const block = this.#blocks[0];
    if (block === undefined) return this.#reserveBlock().then(() => this.take());
    const taken = block.next;
    block.next += 1;
    this.#left -= 1;
    if (block.next === block.end) this.#blocks.shift();
    // A failure matters only to whoever finds no number left, and there it is tried again.
    if (this.#left < blockSize / 2) this.#reserveBlock().catch(() => undefined);
    return taken;
  }

  #reserveBlock(): Promise<void> {
    this.#reserving ??= this.#fetch().finally(() => {
      this.#reserving = null;
    });
    return this.#reserving;
  }

  async #fetch(): Promise<void> {
    const first = await this.#reserve(blockSize);
    this.#blocks.push({ next: first, end: first + blockSize });
    this.#left += blockSize;
  }
}
