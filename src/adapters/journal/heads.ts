// Where the newest record of each charger lies: a hash table of plain numbers, 24 bytes a slot, no object and no string per charger.

export interface Head {
  readonly segment: number;
  readonly offset: number;
  /** How many entries this charger has had; 0 for none. */
  readonly sequence: number;
}

// A slot: two words of the id's hash, offset, sequence number, and the segment as a double. Segment 0: no record (yet).
const SLOT_WORDS = 6;
const KEY = 0;
const OFFSET = 2;
const SEQUENCE = 3;
const SEGMENT_DOUBLE = 2;
const SLOT_DOUBLES = 3;
const FIRST_SLOTS = 1024;
export const HEAD_BYTES = SLOT_WORDS * 4;

/**
 * Chargers are told apart by 64 bits of hash. Should two ids ever share them, the chains of both break off early: records carry the
 * whole id, so nobody is shown the entries of another.
 */
export class HeadTable {
  #slots: number;
  #used = 0;
  #words: Uint32Array;
  #doubles: Float64Array;

  constructor(slots = FIRST_SLOTS) {
    this.#slots = slots;
    const memory = new ArrayBuffer(slots * HEAD_BYTES);
    this.#words = new Uint32Array(memory);
    this.#doubles = new Float64Array(memory);
  }

  get size(): number {
    return this.#used;
  }

  /** The slot of this charger, made when it is new. Valid until the next `claim`, `merge` or `prune`. */
  claim(chargerId: string): number {
    if (this.#used * 10 >= this.#slots * 7) this.#rebuild(this.#slots * 2, everything);
    hashOf(chargerId);
    return this.#claimKey(hashA, hashB);
  }

  segmentAt(slot: number): number {
    return this.#doubles[slot * SLOT_DOUBLES + SEGMENT_DOUBLE] as number;
  }

  offsetAt(slot: number): number {
    return this.#words[slot * SLOT_WORDS + OFFSET] as number;
  }

  sequenceAt(slot: number): number {
    return this.#words[slot * SLOT_WORDS + SEQUENCE] as number;
  }

  set(slot: number, segment: number, offset: number, sequence: number): void {
    this.#words[slot * SLOT_WORDS + OFFSET] = offset;
    this.#words[slot * SLOT_WORDS + SEQUENCE] = sequence;
    this.#doubles[slot * SLOT_DOUBLES + SEGMENT_DOUBLE] = segment;
  }

  find(chargerId: string): Head | null {
    hashOf(chargerId);
    const slot = this.#slotOf(hashA, hashB);
    const segment = this.segmentAt(slot);
    return segment === 0 ? null : { segment, offset: this.offsetAt(slot), sequence: this.sequenceAt(slot) };
  }

  /** Takes a record into account: of two records of one charger the later one stays. */
  see(chargerId: string, segment: number, offset: number, sequence: number): void {
    this.#keepLater(this.claim(chargerId), segment, offset, sequence);
  }

  /** Takes over the heads of a snapshot whose records are still there. */
  merge(snapshot: Buffer, isThere: (segment: number, offset: number) => boolean): void {
    for (let at = 0; at + HEAD_BYTES <= snapshot.length; at += HEAD_BYTES) {
      const segment = snapshot.readDoubleLE(at + SEGMENT_DOUBLE * 8);
      const offset = snapshot.readUInt32LE(at + OFFSET * 4);
      if (!isThere(segment, offset)) continue;
      if (this.#used * 10 >= this.#slots * 7) this.#rebuild(this.#slots * 2, everything);
      const slot = this.#claimKey(snapshot.readUInt32LE(at), snapshot.readUInt32LE(at + 4));
      this.#keepLater(slot, segment, offset, snapshot.readUInt32LE(at + SEQUENCE * 4));
    }
  }

  /** All heads, packed, in the same form as the slots. */
  snapshot(): Buffer {
    const packed = new Uint32Array(this.#used * SLOT_WORDS);
    let end = 0;
    for (let slot = 0, word = 0; slot < this.#slots; slot++, word += SLOT_WORDS) {
      if (this.segmentAt(slot) === 0) continue;
      for (let index = 0; index < SLOT_WORDS; index++) packed[end++] = this.#words[word + index] as number;
    }
    return Buffer.from(packed.buffer, 0, end * 4);
  }

  /** Forgets the chargers whose newest record is in a segment that is gone. */
  prune(isThere: (segment: number) => boolean): void {
    this.#rebuild(this.#slots, isThere);
  }

  #keepLater(slot: number, segment: number, offset: number, sequence: number): void {
    const known = this.sequenceAt(slot);
    if (sequence < known || (sequence === known && segment < this.segmentAt(slot))) return;
    this.set(slot, segment, offset, sequence);
  }

  #claimKey(a: number, b: number): number {
    const slot = this.#slotOf(a, b);
    const word = slot * SLOT_WORDS + KEY;
    if (this.#words[word + 1] === 0) {
      this.#words[word] = a;
      this.#words[word + 1] = b;
      this.#used++;
    }
    return slot;
  }

  /** The slot that holds this key, or the empty one where it belongs. */
  #slotOf(a: number, b: number): number {
    const mask = this.#slots - 1;
    let slot = a & mask;
    for (;;) {
      const word = slot * SLOT_WORDS + KEY;
      const foundB = this.#words[word + 1];
      if (foundB === 0 || (foundB === b && this.#words[word] === a)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #rebuild(slots: number, isThere: (segment: number) => boolean): void {
    const words = this.#words;
    const doubles = this.#doubles;
    const memory = new ArrayBuffer(slots * HEAD_BYTES);
    this.#slots = slots;
    this.#used = 0;
    this.#words = new Uint32Array(memory);
    this.#doubles = new Float64Array(memory);
    for (let word = 0, double = 0; word < words.length; word += SLOT_WORDS, double += SLOT_DOUBLES) {
      const segment = doubles[double + SEGMENT_DOUBLE] as number;
      if (segment === 0 || !isThere(segment)) continue;
      const slot = this.#claimKey(words[word] as number, words[word + 1] as number);
      this.set(slot, segment, words[word + OFFSET] as number, words[word + SEQUENCE] as number);
    }
  }
}

const everything = () => true;

// The result of hashOf, in two variables because it is asked for at every entry and an object each time would be garbage.
let hashA = 0;
let hashB = 0;

function hashOf(chargerId: string): void {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let index = 0; index < chargerId.length; index++) {
    const code = chargerId.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = (Math.imul(b ^ code, 0x85ebca6b) + 0x27d4eb2f) | 0;
  }
  a ^= a >>> 15;
  b ^= b >>> 13;
  hashA = (Math.imul(a, 0x85ebca6b) ^ (b >>> 7)) >>> 0;
  // 0 marks an empty slot.
  hashB = b >>> 0 || 1;
}
