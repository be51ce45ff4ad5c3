// What a client of one scheme is told of a transfer, and how it keeps to the size that is allowed.

import { Failure } from '../../errors.ts';
import { maxDownloadBytes } from '../../ports/files.ts';

export interface Transfer {
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly roots: readonly string[];
  /** How long nothing may move. */
  readonly idleMs: number;
  readonly maxBytes?: number;
}

/** Hands on what comes, up to the size that is allowed. */
export function counted(
  { maxBytes = maxDownloadBytes }: Transfer,
  take: (piece: Uint8Array) => void,
): (piece: Uint8Array) => void {
  let bytes = 0;
  return (piece) => {
    bytes += piece.length;
    if (bytes > maxBytes) throw new Failure('file_too_large', `the file has more than ${maxBytes} bytes`);
    take(piece);
  };
}

/** The path of the place with the name appended. */
export const pathIn = (place: URL, fileName: string): string =>
  `${place.pathname.replace(/\/+$/, '')}/${encodeURIComponent(fileName)}`;
