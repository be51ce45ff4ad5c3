// Seeded chance: every number and id is a function of a seed and a counter, so the same seed always tells the same story.

/** `a` and `b` come from the seed, `n` counts the draws. Small enough to keep one per charger. */
export interface Chance {
  readonly a: number;
  readonly b: number;
  readonly n: number;
}

/** Words that differ in any character give unrelated streams: mix in the identity and the life, and no two chargers share ids. */
export function chanceFrom(...words: readonly (string | number)[]): Chance {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (const character of words.join('\u0000')) {
    const code = character.codePointAt(0) ?? 0;
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + 0x27d4eb2f;
  }
  return { a: finish(a), b: finish(b), n: 0 };
}

/** A number in [0, 1) and the chance that is left. */
export function draw(chance: Chance): [value: number, rest: Chance] {
  return [word(chance, chance.n) / 0x1_0000_0000, { ...chance, n: chance.n + 1 }];
}

/** A UUID (version 4 in form) and the chance that is left. */
export function drawUuid(chance: Chance): [uuid: string, rest: Chance] {
  return [uuidAt(chance, chance.n), { ...chance, n: chance.n + 4 }];
}

/** The UUID that the four draws from `n` on would give; for ids that are counted elsewhere. */
export function uuidAt(chance: Chance, n: number): string {
  const first = hex(word(chance, n));
  const second = hex(word(chance, n + 1));
  const third = hex((word(chance, n + 2) & 0x3fffffff) | 0x80000000);
  const fourth = hex(word(chance, n + 3));
  return `${first}-${second.slice(0, 4)}-4${second.slice(5)}-${third.slice(0, 4)}-${third.slice(4)}${fourth}`;
}

function word(chance: Chance, n: number): number {
  return finish(Math.imul(chance.a ^ Math.imul(n + 1, 0x9e3779b1), 0x85ebca6b) ^ finish(chance.b + n));
}

// The finishing mix of MurmurHash3: every input bit reaches every output bit.
function finish(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** By table: ids are made for every message. */
const byteHex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex(value: number): string {
  const high = `${byteHex[value >>> 24]}${byteHex[(value >>> 16) & 255]}`;
  return `${high}${byteHex[(value >>> 8) & 255]}${byteHex[value & 255]}`;
}
