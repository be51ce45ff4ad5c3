// The framing of OCPP-J: JSON arrays with a number in front. Reads whatever arrives, writes what is right.

export type Payload = Readonly<Record<string, unknown>>;

export type Frame =
  | { readonly kind: 'call'; readonly id: string; readonly action: string; readonly payload: unknown }
  | { readonly kind: 'result'; readonly id: string; readonly payload: unknown }
  | { readonly kind: 'error'; readonly id: string; readonly code: string; readonly description: string }
  /** A message type that only later versions know, or nobody. */
  | { readonly kind: 'unknown'; readonly id: string; readonly type: number }
  /** Not OCPP-J at all; `id` is what could be read of one. */
  | { readonly kind: 'malformed'; readonly id: string; readonly why: string; readonly answerable: boolean };

/** What stands in for the message id where none could be read. */
export const noId = '-1';
const maxIdLength = 36;

export function readFrame(text: string): Frame {
  let parts: unknown;
  try {
    parts = JSON.parse(text);
  } catch {
    return { kind: 'malformed', id: noId, why: 'not JSON', answerable: true };
  }
  if (!Array.isArray(parts)) return { kind: 'malformed', id: noId, why: 'not a JSON array', answerable: true };
  const [type, id] = parts as readonly unknown[];
  if (typeof id !== 'string' || id === '' || id.length > maxIdLength) {
    return {
      kind: 'malformed',
      id: noId,
      why: 'the message id must be a string of 1 to 36 characters',
      answerable: true,
    };
  }
  if (typeof type !== 'number')
    return { kind: 'malformed', id, why: 'the message type must be a number', answerable: true };
  return readParts(type, id, parts);
}

function readParts(type: number, id: string, parts: readonly unknown[]): Frame {
  switch (type) {
    case 2:
      if (parts.length !== 4 || typeof parts[2] !== 'string') {
        return { kind: 'malformed', id, why: 'a CALL is [2, id, action, payload]', answerable: true };
      }
      return { kind: 'call', id, action: parts[2], payload: parts[3] };
    case 3:
      if (parts.length !== 3)
        return { kind: 'malformed', id, why: 'a CALLRESULT is [3, id, payload]', answerable: false };
      return { kind: 'result', id, payload: parts[2] };
    case 4:
      if (typeof parts[2] !== 'string')
        return { kind: 'malformed', id, why: 'a CALLERROR is [4, id, code, description, details]', answerable: false };
      return { kind: 'error', id, code: parts[2], description: typeof parts[3] === 'string' ? parts[3] : '' };
    default:
      return { kind: 'unknown', id, type };
  }
}

export const callText = (id: string, action: string, payload: unknown): string =>
  JSON.stringify([2, id, action, payload]);
/** Unlike a call it wants no answer; OCPP 2.1 only. */
export const sendText = (id: string, action: string, payload: unknown): string =>
  JSON.stringify([6, id, action, payload]);
export const resultText = (id: string, payload: unknown): string => JSON.stringify([3, id, payload]);
export const errorText = (id: string, code: string, description: string): string =>
  JSON.stringify([4, id, code, description.slice(0, 255), {}]);
