// The little of DER that certificates and requests for them need: reading by position, writing by nesting.

const tags = { integer: 0x02, bitString: 0x03, oid: 0x06, utf8String: 0x0c, sequence: 0x30, set: 0x31 } as const;

export const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
};

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(tags.sequence, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => der(tags.set, ...parts);
export const integer = (value: number): Buffer => der(tags.integer, Buffer.from([value]));
export const utf8String = (text: string): Buffer => der(tags.utf8String, Buffer.from(text));
export const bitString = (content: Uint8Array): Buffer => der(tags.bitString, Buffer.from([0]), content);

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(tags.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

/** One element: its tag, its content, and all of it with tag and length. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** The elements that follow each other in `bytes`. */
export function elements(bytes: Buffer): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [start, length] = contentAt(bytes, at);
    if (start + length > bytes.length) throw new RangeError('the DER ends early');
    const whole = bytes.subarray(at, start + length);
    found.push({ tag: whole[0] ?? 0, content: bytes.subarray(start, start + length), whole });
    at = start + length;
  }
  return found;
}

function contentAt(bytes: Buffer, at: number): [start: number, length: number] {
  const first = bytes[at + 1] ?? 0;
  if (first < 0x80) return [at + 2, first];
  const size = first & 0x7f;
  return [at + 2 + size, bytes.readUIntBE(at + 2, size)];
}

/** The element reached by going into the n-th of each level. */
export function elementAt(bytes: Buffer, ...path: readonly number[]): Element {
  let inner = bytes;
  let found: Element | undefined;
  for (const index of path) {
    found = elements(inner)[index];
    if (found === undefined) throw new RangeError('there is no such element');
    inner = found.content;
  }
  if (found === undefined) throw new RangeError('no path was given');
  return found;
}

export function pem(label: string, content: Uint8Array): string {
  const lines =
    Buffer.from(content)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
