// Short words by chance, for identities that nobody has thought of.

import { randomInt } from 'node:crypto';

/** Without letters and digits that look alike. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ';

export const madeUpWord = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** How often another word is tried where one is taken. */
export const mostTries = 5;
