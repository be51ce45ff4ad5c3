// How a run is told: a table for people, lines of JSON for machines, and progress on standard error.

import type { CaseFailure, CaseResult } from './bench-case.ts';

export function jsonLine(result: CaseResult | CaseFailure): string {
  if ('failure' in result) return JSON.stringify({ name: result.name, ok: false, failure: result.failure });
  const { name, value, unit, floor, ratio, limit, beside, ok } = result;
  const rounded = (number: number): number => Number(number.toFixed(3));
  return JSON.stringify({
    name,
    value: rounded(value),
    unit,
    floor: rounded(floor),
    ratio: rounded(ratio),
    limit: limit?.max ?? null,
    limit_of: limit?.of ?? null,
    ok,
    ...(beside.length > 0 && { beside: beside.map((each) => ({ ...each, value: rounded(each.value) })) }),
  });
}

const heads = ['name', 'value', 'unit', 'floor', 'ratio', 'limit', 'ok'];
const leftColumns = new Set([0, 2]);

export function table(results: readonly (CaseResult | CaseFailure)[]): string {
  const rows = [heads, ...results.flatMap((result) => [rowOf(result), ...rowsBeside(result)])];
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
  const { name, value, unit, floor, ratio, limit, ok } = result;
  return [
    name,
    value.toFixed(1),
    unit,
    floor.toFixed(1),
    ratio.toFixed(2),
    limit === null ? '-' : `${limit.max} ${limit.of === 'value' ? unit : 'x'}`,
    ok === null ? '-' : ok ? 'yes' : 'NO',
  ];
}

function rowsBeside(result: CaseResult | CaseFailure): string[][] {
  if ('failure' in result) return [];
  return result.beside.map(({ name, value, unit }) => [`  ${name}`, value.toFixed(1), unit]);
}

const redrawEveryMs = 100;
const barWidth = 24;

/** One line that is written over on a terminal, with a bar; elsewhere a line for each stage. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  #stage = '';
  #drawnMs = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** `share`: how much of everything is done, of 1. */
  tell(stage: string, detail: string, share: number): void {
    const isNew = stage !== this.#stage;
    this.#stage = stage;
    if (!this.#stream.isTTY) {
      if (isNew) this.#stream.write(`${stage}\n`);
      return;
    }
    const nowMs = performance.now();
    if (!isNew && nowMs - this.#drawnMs < redrawEveryMs) return;
    this.#drawnMs = nowMs;
    const full = Math.round(Math.min(Math.max(share, 0), 1) * barWidth);
    const bar = '█'.repeat(full).padEnd(barWidth, '░');
    const line = `${bar} ${stage}${detail === '' ? '' : `: ${detail}`}`;
    this.#stream.write(`\r\x1b[K${line.slice(0, (this.#stream.columns ?? 80) - 1)}`);
  }

  clear(): void {
    this.#stage = '';
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[K');
  }
}
