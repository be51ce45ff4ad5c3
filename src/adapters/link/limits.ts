// How long a link waits and how much it holds, whatever it is made of.

export const OPEN_WITHIN_MS = 30_000;
export const PONG_WITHIN_MS = 10_000;
export const CLOSE_WITHIN_MS = 5_000;
export const MAX_MESSAGE_BYTES = 1024 * 1024;
/** What a CSMS that does not read may leave unsent before the link is cut. */
export const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

export function isTooLong(text: string): boolean {
  // A UTF-16 unit takes three bytes at most: count only where that could be too many.
  return text.length * 3 > MAX_MESSAGE_BYTES && Buffer.byteLength(text) > MAX_MESSAGE_BYTES;
}
