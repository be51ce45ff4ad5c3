// Files over the network, by the scheme of their location; so many at a time that a fleet that is updated at once stays well.

import { Failure, isFailure } from '../../errors.ts';
import type { Files, TransferOptions } from '../../ports/files.ts';
import type { Transfer } from './transfer.ts';

export interface NetworkFilesOptions {
  /** How long nothing may move. */
  readonly idleMs?: number;
  /** How long a transfer may take in all. */
  readonly limitMs?: number;
  readonly maxBytes?: number;
}

/** How many transfers run at a time; the others wait for their turn. */
const maxTransfers = 32;

export class NetworkFiles implements Files {
  readonly #idleMs: number;
  readonly #limitMs: number;
  readonly #maxBytes: number | undefined;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ idleMs = 30_000, limitMs = 600_000, maxBytes }: NetworkFilesOptions = {}) {
    this.#idleMs = idleMs;
    this.#limitMs = limitMs;
    this.#maxBytes = maxBytes;
  }

  upload(location: string, fileName: string, content: Uint8Array, options?: TransferOptions): Promise<void> {
    return this.#transfer(location, options, async (client, transfer) => client.upload(transfer, fileName, content));
  }

  download(location: string, take: (piece: Uint8Array) => void, options?: TransferOptions): Promise<void> {
    return this.#transfer(location, options, async (client, transfer) => client.download(transfer, take));
  }

  async #transfer(
    location: string,
    { signal, roots = [] }: TransferOptions = {},
    run: (client: Awaited<ReturnType<typeof clientFor>>, transfer: Transfer) => Promise<void>,
  ): Promise<void> {
    const url = URL.canParse(location) ? new URL(location) : null;
    if (url === null) throw new Failure('file_unsupported', 'the location is not a URL');
    const client = await clientFor(url);
    await this.#turn();
    const limit = AbortSignal.timeout(this.#limitMs);
    try {
      const signals = signal === undefined ? limit : AbortSignal.any([signal, limit]);
      signals.throwIfAborted();
      const maxBytes = this.#maxBytes;
      await run(client, { url, signal: signals, roots, idleMs: this.#idleMs, ...(maxBytes && { maxBytes }) });
    } catch (error) {
      throw asFailure(error);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    while (this.#running >= maxTransfers) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
  }
}

/** Loaded when the first charger needs it. */
async function clientFor(url: URL) {
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return import('./http.ts');
    case 'ftp:':
    case 'ftps:':
      return import('./ftp.ts');
    default:
      throw new Failure('file_unsupported', `files cannot be transferred by ${url.protocol.slice(0, -1)}`);
  }
}

const asFailure = (error: unknown): Failure =>
  isFailure(error) ? error : new Failure('file_failed', error instanceof Error ? error.message : String(error));
