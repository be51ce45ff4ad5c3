// Frames as a client sends them (RFC 6455, 5.2): whole, masked, each in one buffer.

import { randomBytes, takeRandom } from './random-bytes.ts';

const FINAL = 0x80;
const MASKED = 0x80;
const MASK_BYTES = 4;
const none = Buffer.alloc(0);

export function textFrame(text: string): Buffer {
  const byteCount = Buffer.byteLength(text);
  const frame = emptyFrame(0x1, byteCount);
  frame.write(text, frame.length - byteCount);
  return masked(frame, byteCount);
}

export function pingFrame(): Buffer {
  return controlFrame(0x9, none);
}

export function pongFrame(payload: Uint8Array): Buffer {
  return controlFrame(0xa, payload);
}

/** Null: without a code, and so without a reason. */
export function closeFrame(code: number | null, reason: string): Buffer {
  if (code === null) return controlFrame(0x8, none);
  return controlFrame(0x8, Buffer.concat([Buffer.of(code >> 8, code & 0xff), Buffer.from(reason)]));
}

function controlFrame(opcode: number, payload: Uint8Array): Buffer {
  const frame = emptyFrame(opcode, payload.length);
  frame.set(payload, frame.length - payload.length);
  return masked(frame, payload.length);
}

/** With its header, except for the mask, and room for the payload at its end. */
function emptyFrame(opcode: number, byteCount: number): Buffer {
  const headerBytes = byteCount < 126 ? 2 : byteCount < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerBytes + MASK_BYTES + byteCount);
  frame[0] = FINAL | opcode;
  if (headerBytes === 2) {
    frame[1] = MASKED | byteCount;
  } else if (headerBytes === 4) {
    frame[1] = MASKED | 126;
    frame.writeUInt16BE(byteCount, 2);
  } else {
    frame[1] = MASKED | 127;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(byteCount, 6);
  }
  return frame;
}

/** Section 5.3. */
function masked(frame: Buffer, byteCount: number): Buffer {
  const start = frame.length - byteCount;
  const at = takeRandom(MASK_BYTES);
  const a = randomBytes[at] as number;
  const b = randomBytes[at + 1] as number;
  const c = randomBytes[at + 2] as number;
  const d = randomBytes[at + 3] as number;
  frame[start - 4] = a;
  frame[start - 3] = b;
  frame[start - 2] = c;
  frame[start - 1] = d;
  // Four at a time; what is written behind the end of a buffer is lost.
  for (let index = start; index < frame.length; index += 4) {
    frame[index] = (frame[index] as number) ^ a;
    frame[index + 1] = (frame[index + 1] as number) ^ b;
    frame[index + 2] = (frame[index + 2] as number) ^ c;
    frame[index + 3] = (frame[index + 3] as number) ^ d;
  }
  return frame;
}
