// What may stand in a WebSocket close frame (RFC 6455, 5.5.1 and 7.4).

const MAX_REASON_BYTES = 123;

export function isSendableCode(code: number): boolean {
  if (code >= 3000 && code <= 4999) return true;
  const isDefined = code >= 1000 && code <= 1014;
  return isDefined && code !== 1004 && code !== 1005 && code !== 1006;
}

/** The code itself, or 1000 where it may not be sent. */
export function sendableCode(code: number): number {
  return isSendableCode(code) ? code : 1000;
}

/** The reason, cut to what a close frame has room for. */
export function sendableReason(reason: string): string {
  const bytes = Buffer.from(reason);
  if (bytes.length <= MAX_REASON_BYTES) return reason;
  // A character cut in two would not be UTF-8: leave its pieces out.
  return bytes
    .subarray(0, MAX_REASON_BYTES)
    .toString()
    .replace(/\uFFFD+$/, '');
}
