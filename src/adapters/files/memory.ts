// Files without a network: places are names in this process. For tests that must run the same way every time.

import { Failure, type FailureCode } from '../../errors.ts';
import type { Files, TransferOptions } from '../../ports/files.ts';

export class MemoryFiles implements Files {
  /** What can be fetched, by location. */
  readonly served = new Map<string, Uint8Array>();
  /** What was sent, in order. */
  readonly received: { readonly location: string; readonly fileName: string; readonly content: Uint8Array }[] = [];
  /** The failures of the next transfers, one each. */
  readonly troubles: FailureCode[] = [];
  /** Set to hold every transfer back until it is settled. */
  hold: Promise<void> | null = null;

  async upload(location: string, fileName: string, content: Uint8Array, options?: TransferOptions): Promise<void> {
    await this.#begin(location, options);
    this.received.push({ location, fileName, content });
  }

  async download(location: string, take: (piece: Uint8Array) => void, options?: TransferOptions): Promise<void> {
    await this.#begin(location, options);
    const content = this.served.get(location);
    if (content === undefined) throw new Failure('file_failed', `there is no file at ${location}`);
    take(content);
  }

  async #begin(location: string, options: TransferOptions = {}): Promise<void> {
    await this.hold;
    if (options.signal?.aborted) throw new Failure('file_failed', 'called off');
    if (!URL.canParse(location) || !/^(?:https?|ftps?):$/.test(new URL(location).protocol)) {
      throw new Failure('file_unsupported');
    }
    const trouble = this.troubles.shift();
    if (trouble !== undefined) throw new Failure(trouble);
  }
}
