// What a call of the store or the queue writes: a list of statements, done whole or not at all.

import type { SQLInputValue } from 'node:sqlite';
import type { StatementName } from './statements.ts';

export type Statement = readonly [name: StatementName, values: readonly SQLInputValue[]];

/** One call's worth of writing: done whole or not at all. */
export interface Write {
  /** About how many statements' work it is; decides which thread does it. */
  readonly size: number;
  /** Whether a statement of it may refuse it. */
  readonly refusable: boolean;
  /** Made piece by piece while they are written, so that a large write does not hold up the thread that asks for it. */
  statements(): Iterable<Statement>;
}

/** A text this long is as much work as another statement. */
const textPerStatement = 4_096;
/** So many records are looked up by one statement. */
const idsPerStatement = 500;

/** Writes nothing: its turn comes when everything asked for before has been written. */
export const nothing: Write = { size: 0, refusable: false, statements: () => [] };

/** About how many plain statements' work a statement is. */
export function workOf([, values]: Statement): number {
  let work = 1;
  for (const value of values) if (typeof value === 'string') work += workOfText(value);
  return work;
}

/** What a text adds to the work of the statement that has it. */
export function workOfText(text: string): number {
  return Math.floor(text.length / textPerStatement);
}

/** The ids as JSON lists, each short enough for one statement. */
export function* idLists(ids: readonly string[]): Iterable<string> {
  for (let at = 0; at < ids.length; at += idsPerStatement) yield JSON.stringify(ids.slice(at, at + idsPerStatement));
}
