// Values on their way into PostgreSQL and out of it.

import type { SQLOutputValue } from 'node:sqlite';

/** Values in the order of the columns. */
export type Row = readonly SQLOutputValue[];

/** A value of a statement; lists are for `unnest` and `ANY`, one parameter however long. */
export type Value = string | number | boolean | null | Buffer | readonly (number | null)[];

const textType = 25;
const headerBytes = 20;

/**
 * A list of texts in PostgreSQL's binary form: the driver's own form quotes every text for itself, which for the memories of
 * chargers, JSON that is full of quotes, took several times as long.
 */
export function texts(list: readonly (string | null)[]): Buffer {
  const cleaned = list.map((text) => (text === null ? null : storable(text)));
  const lengths = cleaned.map((text) => (text === null ? -1 : Buffer.byteLength(text)));
  const total = lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), headerBytes);
  const bytes = Buffer.allocUnsafe(total);
  // One dimension, nulls allowed, of text, so many, counted from 1.
  for (const [index, word] of [1, 1, textType, list.length, 1].entries()) bytes.writeInt32BE(word, 4 * index);
  let at = headerBytes;
  for (const [index, text] of cleaned.entries()) {
    at = bytes.writeInt32BE(lengths[index] ?? -1, at);
    if (text !== null) at += bytes.write(text, at);
  }
  return bytes;
}

/** PostgreSQL has no text with a null character in it, and a CSMS may send one in an error that is kept. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

/** As the driver sends it. */
export function parameter(value: Value): string | Buffer | null {
  if (value === null || Buffer.isBuffer(value)) return value;
  if (typeof value === 'string') return storable(value);
  return typeof value === 'object' ? `{${value.map((item) => item ?? 'NULL').join(',')}}` : String(value);
}

/** How the text of a column is read. */
export type Column = (text: string) => SQLOutputValue;

/** As the rows of the other adapter, which are read by the same functions: numbers as numbers, the rest as text. */
export const columnOf = (type: number): Column => (numberTypes.has(type) ? Number : String);

/** int8, int2, int4, float4, float8, numeric. */
const numberTypes: ReadonlySet<number> = new Set([20, 21, 23, 700, 701, 1700]);
