// How a run is told: a table for people, lines of JSON for machines, and progress on standard error.

import type { CaseFailure, CaseResult } from './bench-case.ts';

export function jsonLine(result: CaseResult | CaseFailure): string {
  if ('failure' in result) return JSON.stringify({ name: result.name, ok: false, failure: result.failure });
  const { name, value, unit, floor, ratio, limit, limitOf, ok } = result;
  const rounded = (number: number): number => Number(number.toFixed(3));
  return JSON.stringify({
    name,
    value: rounded(value),
    unit,
    floor: rounded(floor),
    ratio: rounded(ratio),
    limit,
    limit_of: limitOf,
    ok,
  });
}

const heads = ['name', 'value', 'unit', 'floor', 'ratio', 'limit', 'ok'];
const leftColumns = new Set([0, 2]);

export function table(results: readonly (CaseResult | CaseFailure)[]): string {
  const rows = [heads, ...results.map(rowOf)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return leftColumns.has(column) ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function rowOf(result: CaseResult | CaseFailure): string[] {
  if ('failure' in result) return [result.name, '', '', '', '', '', 'FAILED'];
  const { name, value, unit, floor, ratio, limit, limitOf, ok } = result;
  return [
    name,
    value.toFixed(1),
    unit,
    floor.toFixed(1),
    ratio.toFixed(2),
    limitOf === 'value' ? `${limit} ${unit}` : `${limit} x`,
    ok === null ? '-' : ok ? 'yes' : 'NO',
  ];
}

const redrawEveryMs = 100;

/** One line that is written over on a terminal; elsewhere a line for each stage. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  #stage = '';
  #drawnMs = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  tell(stage: string, detail: string): void {
    const isNew = stage !== this.#stage;
    this.#stage = stage;
    if (!this.#stream.isTTY) {
      if (isNew) this.#stream.write(`${stage}\n`);
      return;
    }
    const nowMs = performance.now();
    if (!isNew && nowMs - this.#drawnMs < redrawEveryMs) return;
    this.#drawnMs = nowMs;
    const line = detail === '' ? stage : `${stage}: ${detail}`;
    this.#stream.write(`\r\x1b[K${line.slice(0, (this.#stream.columns ?? 80) - 1)}`);
  }

  clear(): void {
    this.#stage = '';
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[K');
  }
}
