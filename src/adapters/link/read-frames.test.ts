// Checks that frames are understood however their bytes arrive, and that what may not be is noticed.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from './limits.ts';
import { type FrameReader, readFrames, type Unfinished } from './read-frames.ts';

type Heard = readonly [kind: string, ...details: (string | number)[]];

class Listener implements FrameReader {
  readonly heard: Heard[] = [];
  /** After so many messages it has had enough. */
  patience = Number.POSITIVE_INFINITY;

  messageRead(text: string): boolean {
    this.heard.push(['message', text]);
    return --this.patience > 0;
  }

  pingRead(payload: Uint8Array): boolean {
    this.heard.push(['ping', Buffer.from(payload).toString('hex')]);
    return true;
  }

  pongRead(): boolean {
    this.heard.push(['pong']);
    return true;
  }

  closeRead(code: number, reason: string): false {
    this.heard.push(['close', code, reason]);
    return false;
  }

  breachRead([code, reason]: readonly [number, string]): false {
    this.heard.push(['breach', code, reason]);
    return false;
  }
}

/** As a server sends it, written down anew: `first` is the whole first byte. */
function frame(first: number, payload: Uint8Array | string = ''): Buffer {
  const bytes = Buffer.from(payload as string);
  const size = bytes.length;
  if (size < 126) return Buffer.concat([Buffer.of(first, size), bytes]);
  const length = Buffer.alloc(size < 65_536 ? 2 : 8);
  length.writeUIntBE(size, size < 65_536 ? 0 : 2, size < 65_536 ? 2 : 6);
  return Buffer.concat([Buffer.of(first, size < 65_536 ? 126 : 127), length, bytes]);
}

/** All chunks come in the same buffer, somewhere in it, as those of a socket do. */
function heardOf(chunks: readonly Uint8Array[], listener = new Listener()) {
  const shared = Buffer.alloc(5 + Math.max(0, ...chunks.map(({ length }) => length)));
  let unfinished: Unfinished | null = null;
  for (const chunk of chunks) {
    const before = listener.heard.length;
    shared.fill(0xff).set(chunk, 3);
    unfinished = readFrames(listener, unfinished, shared, 3, 3 + chunk.length);
    if (['close', 'breach'].includes(listener.heard.slice(before).at(-1)?.[0] ?? '')) break;
  }
  return { heard: listener.heard, unfinished };
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [...new Set(places.map((place) => Math.floor(place * bytes.length)))].sort((a, b) => a - b);
  return [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length));
}

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const control = fc.oneof(
  fc.uint8Array({ maxLength: 125 }).map((payload) => ({
    bytes: frame(0x89, payload),
    heard: [['ping', Buffer.from(payload).toString('hex')] as Heard],
  })),
  fc.uint8Array({ maxLength: 125 }).map((payload) => ({ bytes: frame(0x8a, payload), heard: [['pong'] as Heard] })),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.integer({ min: 100, max: 300 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 21_800, max: 21_900 }).map((length) => '日'.repeat(length)),
);

/** A message in fragments with control frames between them, and what is to be heard of it, in order. */
const message = fc
  .record({
    text,
    isText: fc.boolean(),
    cuts: fc.array(place, { maxLength: 4 }),
    between: fc.array(control, { maxLength: 3 }),
  })
  .map(({ text, isText, cuts, between }) => {
    const pieces = cut(Buffer.from(text), cuts);
    const frames = pieces.flatMap((piece, index) => {
      const kind = index === 0 ? (isText ? 1 : 2) : 0;
      const isLast = index === pieces.length - 1;
      const interlude = isLast ? undefined : between[index]?.bytes;
      return [frame(kind | (isLast ? 0x80 : 0), piece), ...(interlude === undefined ? [] : [interlude])];
    });
    const heard = [...between.slice(0, pieces.length - 1).flatMap((one) => one.heard), ['message', text] as Heard];
    return { bytes: Buffer.concat(frames), heard };
  });

describe('the frames of a server', () => {
  it('say the same however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(message, control), { maxLength: 8 }),
        fc.array(place, { maxLength: 12 }),
        (parts, cuts) => {
          const bytes = Buffer.concat(parts.map((part) => part.bytes));
          const { heard, unfinished } = heardOf(cut(bytes, cuts));
          expect(heard).toEqual(parts.flatMap((part) => part.heard));
          expect(unfinished).toBeNull();
        },
      ),
    );
  });

  it('may come byte by byte', () => {
    const bytes = Buffer.concat([frame(0x01, 'Grü'), frame(0x89, 'hm'), frame(0x80, 'ße'), frame(0x88, '\x03\xe8')]);
    const { heard } = heardOf([...Buffer.concat([frame(0x81, 'x'.repeat(200)), bytes])].map((byte) => Buffer.of(byte)));
    expect(heard.slice(0, 3)).toEqual([
      ['message', 'x'.repeat(200)],
      ['ping', '686d'],
      ['message', 'Grüße'],
    ]);
  });

  it('may be anything at all: the first breach is the last word', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 20 }), (chunks) => {
        const last = heardOf(chunks).heard.findIndex(([kind]) => kind === 'breach' || kind === 'close');
        if (last !== -1) expect(heardOf(chunks).heard).toHaveLength(last + 1);
      }),
    );
  });

  it.each([0, 1, 125, 126, 127, 65_535, 65_536, MAX_MESSAGE_BYTES])('may be %i bytes long', (size) => {
    const content = 'x'.repeat(size);
    expect(heardOf(cut(frame(0x81, content), [0.3, 0.6])).heard).toEqual([['message', content]]);
  });

  it('may cut a character in two, as long as the message is whole', () => {
    const [head, tail] = [Buffer.from('🔌').subarray(0, 2), Buffer.from('🔌').subarray(2)];
    expect(heardOf([frame(0x01, head), frame(0x80, tail)]).heard).toEqual([['message', '🔌']]);
    expect(heardOf([frame(0x81, '\uFFFD')]).heard).toEqual([['message', '\uFFFD']]);
  });

  it('are too long as soon as they say so', () => {
    const long = Buffer.of(0x81, 127, 0, 0, 0, 0, 0, 0x10, 0, 1);
    const huge = Buffer.of(0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255);
    const sum = [frame(0x01, 'x'.repeat(MAX_MESSAGE_BYTES)), frame(0x00), frame(0x80, 'x').subarray(0, 2)];
    for (const chunks of [[long], [huge], sum]) {
      expect(heardOf(chunks).heard).toEqual([['breach', 1009, 'the CSMS sent a message of more than 1 MiB']]);
    }
  });

  it.each([
    ['a reserved bit', [frame(0xc1, 'x')], 'a reserved bit is set'],
    ['a reserved bit in a ping', [frame(0x99)], 'a reserved bit is set'],
    ['a mask', [Buffer.of(0x81, 0x81, 0, 0, 0, 0, 120)], 'a frame is masked'],
    ['an unknown kind of data', [frame(0x83)], 'there is no kind of frame 3'],
    ['an unknown kind of control', [frame(0x8b)], 'there is no kind of frame 11'],
    ['a ping in fragments', [frame(0x09)], 'a control frame is not whole'],
    ['a long ping', [frame(0x89, 'x'.repeat(126))], 'a control frame is too long'],
    ['a continuation of nothing', [frame(0x80, 'x')], 'a message goes on that never began'],
    ['a continuation of what is over', [frame(0x01), frame(0x80), frame(0x80)], 'a message goes on that never began'],
    ['a message within another', [frame(0x01, 'x'), frame(0x81, 'y')], 'a message begins within another'],
    ['half a close code', [frame(0x88, 'x')], 'a close frame has half a code'],
    ['a close code that nobody may send', [frame(0x88, Buffer.of(3, 0xed))], 'nobody may close with 1005'],
    ['a close code out of range', [frame(0x88, Buffer.of(0, 5))], 'nobody may close with 5'],
  ])('break the protocol with %s', (_name, chunks, words) => {
    const heard = heardOf([...chunks, frame(0x81, 'never heard')]).heard;
    expect(heard.at(-1)).toEqual(['breach', 1002, `the CSMS broke the WebSocket protocol: ${words}`]);
  });

  it.each([
    ['a message', [frame(0x81, Buffer.of(0x61, 0xff))]],
    ['a message in fragments', [frame(0x01, Buffer.of(0xc3)), frame(0x80, 'x')]],
    ['the reason of a close frame', [frame(0x88, Buffer.of(3, 0xe8, 0xc3, 0x28))]],
  ])('must be UTF-8: %s', (_name, chunks) => {
    expect(heardOf(chunks).heard).toEqual([['breach', 1007, 'the CSMS sent text that is not UTF-8']]);
  });

  it('that hold bytes are taken for text as well as may be', () => {
    expect(heardOf([frame(0x82, Buffer.of(0x61, 0xff))]).heard).toEqual([['message', 'a\uFFFD']]);
  });

  it('close with a code and a reason, or without', () => {
    const closing = frame(0x88, Buffer.concat([Buffer.of(0x12, 0x67), Buffer.from('tschüss')]));
    expect(heardOf([closing, frame(0x81, 'never heard')]).heard).toEqual([['close', 4711, 'tschüss']]);
    expect(heardOf([Buffer.concat([frame(0x88), frame(0x81, 'never heard')])]).heard).toEqual([['close', 1005, '']]);
  });

  it('are not read further by who has had enough', () => {
    const listener = new Listener();
    listener.patience = 2;
    const chunk = Buffer.concat(['one', 'two', 'three'].map((word) => frame(0x81, word)));
    const { heard, unfinished } = heardOf([chunk], listener);
    expect(heard).toEqual([
      ['message', 'one'],
      ['message', 'two'],
    ]);
    expect(unfinished).toBeNull();
  });
});
