// What a case expects of a frame, and the complaint when it is not so.

import type { Payload } from '../talk.ts';

/** The charger did something else than the case wants; any other error is one of the test itself. */
export class Mismatch extends Error {}

export function expectTrue(isSo: boolean, sentence: string): void {
  if (!isSo) throw new Mismatch(sentence);
}

export function expectSame(actual: unknown, wanted: unknown, what: string): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(wanted)];
  expectTrue(one === other, `${what} is ${one}, not ${other}`);
}

/** Fields that a frame must have, among others; a function looks at the value itself. */
export type Wanted = Readonly<Record<string, unknown>>;

export function expectFields(what: string, actual: Payload, wanted: Wanted): void {
  const problem = difference(actual, wanted, '');
  if (problem !== null) throw new Mismatch(`${what}${problem}: ${JSON.stringify(actual)}`);
}

export const fits = (actual: Payload, wanted: Wanted): boolean => difference(actual, wanted, '') === null;

function difference(actual: unknown, wanted: unknown, path: string): string | null {
  if (typeof wanted === 'function') {
    return wanted(actual) === true ? null : `${path} is not ${wanted.name || 'as wanted'}`;
  }
  if (typeof wanted !== 'object' || wanted === null) {
    return actual === wanted ? null : `${path} is not ${JSON.stringify(wanted)}`;
  }
  if (typeof actual !== 'object' || actual === null) return `${path} is missing`;
  for (const [key, value] of Object.entries(wanted)) {
    const problem = difference((actual as Payload)[key], value, `${path}.${key}`);
    if (problem !== null) return problem;
  }
  return null;
}

const named = (name: string, test: (value: unknown) => boolean) => Object.defineProperty(test, 'name', { value: name });

export const absent = named('absent', (value) => value === undefined);
export const present = named('present', (value) => value !== undefined);
export const above = (least: number) => named(`above ${least}`, (value) => typeof value === 'number' && value > least);
