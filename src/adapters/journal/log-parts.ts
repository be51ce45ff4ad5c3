// The parts of the shared log: made before they are needed, begun anew by size and age, and dropped when they are too old or too many.

import type { Session } from '../postgres/session.ts';

export interface PartLimits {
  /** A part whose last entry is older is dropped. */
  readonly maxAgeMs: number;
  /** What all parts may take together, indexes included; the one that is written to always stays. */
  readonly budgetBytes: number;
  /** Numbers of one part. */
  readonly partNumbers: number;
  /** A part that takes more is ended early. */
  readonly partBytes: number;
}

export const partLimits: Omit<PartLimits, 'maxAgeMs'> = {
  budgetBytes: 16 * 1024 ** 3,
  partNumbers: 1_000_000,
  partBytes: 256 * 1024 ** 2,
};

/** Empty parts behind the one that is written to. */
const partsAhead = 2;
/** A part is ended when it is this share of the age: so little is kept for too long. */
const partsPerAge = 8;
/** Whoever has to wait this long for others who use the log tries another time: everybody else waits behind it. */
const lockMs = 500;
const writersKeptMs = 86_400_000;
// Any number: the same in every process of the product, so that one at a time makes and drops parts.
const partsLock = 4_207_849_485;

interface Part {
  readonly first: number;
  readonly end: number;
  readonly begunAtMs: number | null;
  readonly fullAtMs: number | null;
}

const nameOf = ({ first }: Pick<Part, 'first'>): string => `frame_log_${first}`;

/** Makes the parts for so many entries and more; for a writer that found none, so it waits for its turn. */
export async function makeParts(session: Session, { partNumbers }: PartLimits, entries: number): Promise<void> {
  await session.transaction(async () => {
    await session.run('SELECT pg_advisory_xact_lock($1)', [partsLock]);
    await makeAhead(session, await readParts(session), (await lastNumber(session)) + entries, partNumbers);
  });
}

/** All that is to be done now and then. It is left to another process that is just doing it. */
export async function lookAfterParts(session: Session, limits: PartLimits, nowMs: number): Promise<void> {
  await alone(session, async () => {
    await endEarly(session, await readParts(session), limits, nowMs);
    const last = await lastNumber(session);
    await makeAhead(session, await readParts(session), last, limits.partNumbers);
    await session.run('UPDATE frame_log_parts SET begun_at = $1 WHERE begun_at IS NULL AND first <= $2', [nowMs, last]);
    await session.run('UPDATE frame_log_parts SET full_at = $1 WHERE full_at IS NULL AND "end" <= $2', [nowMs, last]);
    await session.run('DELETE FROM frame_log_writers WHERE at < $1', [nowMs - writersKeptMs]);
  });
  while (await alone(session, () => dropOldest(session, limits, nowMs)));
}

async function alone<Answer>(session: Session, work: () => Promise<Answer>): Promise<Answer | null> {
  return session.transaction<Answer | null>(async () => {
    const [free] = await session.run('SELECT pg_try_advisory_xact_lock($1)', [partsLock]);
    if (free?.[0] !== 't') return null;
    await session.script(`SET LOCAL lock_timeout = ${lockMs}`);
    return work();
  });
}

async function makeAhead(session: Session, parts: readonly Part[], last: number, numbers: number): Promise<void> {
  let ahead = parts.filter(({ first }) => first > last).length;
  let first = parts.at(-1)?.end ?? 1;
  // Made by itself and then attached, it is in nobody's way.
  for (; ahead < partsAhead || first <= last; ahead += 1, first += numbers) {
    const end = first + numbers;
    const name = nameOf({ first });
    await session.script(
      `CREATE TABLE ${name} (LIKE frame_log INCLUDING DEFAULTS);
       ALTER TABLE frame_log ATTACH PARTITION ${name} FOR VALUES FROM (${first}) TO (${end})`,
    );
    await session.run('INSERT INTO frame_log_parts (first, "end") VALUES ($1, $2)', [first, end]);
  }
}

/** The numbers that are left are skipped: what is written next goes into the next part. */
async function endEarly(session: Session, parts: readonly Part[], limits: PartLimits, nowMs: number): Promise<void> {
  const { partBytes, maxAgeMs, partNumbers } = limits;
  const last = await lastNumber(session);
  const current = parts.find(({ first, end }) => first < last && last < end);
  // Close to its end it ends by itself; and numbers that others draw at this moment must not pass it.
  if (current === undefined || current.end - last < partNumbers / 2) return;
  const isOld = nowMs - (current.begunAtMs ?? nowMs) >= maxAgeMs / partsPerAge;
  if (isOld || (await bytesOf(session, current)) >= partBytes) {
    await session.run(`SELECT setval('frame_log_numbers', $1)`, [current.end]);
  }
}

/** Whether there was one to drop: each in a transaction of its own, because it keeps everybody else waiting. */
async function dropOldest(session: Session, { maxAgeMs, budgetBytes }: PartLimits, nowMs: number): Promise<boolean> {
  const parts = await readParts(session);
  const [oldest] = parts;
  if (oldest === undefined || oldest.fullAtMs === null) return false;
  let total = 0;
  for (const part of parts) total += await bytesOf(session, part);
  if (oldest.fullAtMs >= nowMs - maxAgeMs && total <= budgetBytes) return false;
  await session.script(`DROP TABLE ${nameOf(oldest)}`);
  await session.run('DELETE FROM frame_log_parts WHERE first = $1', [oldest.first]);
  return true;
}

async function readParts(session: Session): Promise<readonly Part[]> {
  const rows = await session.run('SELECT first, "end", begun_at, full_at FROM frame_log_parts ORDER BY first');
  return rows.map(([first, end, begunAt, fullAt]) => ({
    first: Number(first),
    end: Number(end),
    begunAtMs: begunAt as number | null,
    fullAtMs: fullAt as number | null,
  }));
}

/** The last that was drawn; 0 for none. */
async function lastNumber(session: Session): Promise<number> {
  const [row] = await session.run('SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM frame_log_numbers');
  return Number(row?.[0]);
}

async function bytesOf(session: Session, part: Part): Promise<number> {
  const [row] = await session.run('SELECT pg_total_relation_size($1::regclass)', [nameOf(part)]);
  return Number(row?.[0]);
}
