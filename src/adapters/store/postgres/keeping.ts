// How what chargers leave behind is kept: the commits of several calls in one statement, one round trip for all.

import { type OwnedCommit, partitionOf } from '../../../ports/partition.ts';
import type { CommandOutcome, Commit } from '../../../ports/store.ts';
import type { Statement } from '../../postgres/named-query.ts';
import type { Session } from '../../postgres/session.ts';
import { texts, type Value } from '../../postgres/values.ts';
import type { Work } from './write-lane.ts';

const commitsPerStatement = 1_000;
const charactersPerStatement = 4_000_000;

/** A commit as its call gave it; one without an epoch is not held against any. */
export type KeptCommit = Commit & Partial<Pick<OwnedCommit, 'epoch'>>;

/** A part of the statement: what it does with a list of rows, each of which has the place of its tenure in the last column. */
interface Part {
  readonly columns: readonly (readonly [name: string, type: 'text' | 'int' | 'bigint'])[];
  readonly update: string;
  readonly where: string;
}

const parts = {
  memories: {
    columns: [
      ['charger', 'text'],
      ['memory', 'text'],
    ],
    update: 'charger_memory SET memory = kept.memory',
    where: 'charger_memory.charger = kept.charger',
  },
  addenda: {
    columns: [
      ['charger', 'text'],
      ['addendum', 'text'],
    ],
    update: 'charger_addendum SET addendum = kept.addendum',
    where: `charger_addendum.charger = kept.charger
      AND (kept.addendum IS NOT NULL OR charger_addendum.addendum IS NOT NULL)`,
  },
  provisionings: {
    columns: [
      ['charger', 'text'],
      ['status', 'text'],
      ['step', 'text'],
      ['attempts', 'int'],
      ['error', 'text'],
      ['started_at', 'bigint'],
      ['finished_at', 'bigint'],
    ],
    update: `chargers SET provisioning_status = kept.status, provisioning_step = kept.step, provisioning_attempts = kept.attempts,
      provisioning_error = kept.error, provisioning_started_at = kept.started_at, provisioning_finished_at = kept.finished_at`,
    where: 'chargers.id = kept.charger',
  },
  applied: {
    columns: [
      ['id', 'text'],
      ['started_at', 'bigint'],
    ],
    update: `commands SET status = 'running', started_at = kept.started_at`,
    where: `commands.id = kept.id AND commands.status = 'queued'
      AND EXISTS (SELECT 1 FROM chargers WHERE chargers.id = commands.charger_id)`,
  },
  ended: {
    columns: [
      ['id', 'text'],
      ['status', 'text'],
      ['error_code', 'text'],
      ['error', 'text'],
      ['result', 'text'],
      ['exchanges', 'text'],
      ['started_at', 'bigint'],
      ['finished_at', 'bigint'],
    ],
    update: `commands SET status = kept.status, error_code = kept.error_code, error = kept.error, result = kept.result,
      exchanges = kept.exchanges, started_at = kept.started_at, finished_at = kept.finished_at`,
    // Not as `IS NULL`: the planner must not go through all that have not ended, because there were few of them once.
    where: 'commands.id = kept.id AND coalesce(commands.finished_at, -1) = -1',
  },
} as const satisfies Record<string, Part>;

type PartName = keyof typeof parts;
type Rows = readonly (readonly (string | number | null)[])[];

const prepared = new Map<string, Statement>();

/** The statement of those parts that have something to do: each has its price, also when its lists are empty. */
function statementOf(names: readonly PartName[]): Statement {
  const name = ['keep', ...names].join(' ');
  const known = prepared.get(name);
  if (known !== undefined) return known;
  let before = 2;
  const updates = names.map((partName) => {
    const { columns, update, where }: Part = parts[partName];
    const all = [...columns, ['tenure', 'int'] as const];
    const first = before + 1;
    before += all.length;
    const lists = all.map(([, type], index) => `$${first + index}::${type}[]`).join(', ');
    return `${partName} AS (
      UPDATE ${update} FROM unnest(${lists}) AS kept (${all.map(([column]) => column).join(', ')})
      WHERE ${where} AND (kept.tenure = 0 OR kept.tenure IN (SELECT place FROM held)))`;
  });
  // Tenures are known by their place in $1 and $2, counted from 1; 0 stands for none. A row of a tenure that is over is left out.
  // The lock on the row of a partition keeps its epoch as it is until this is durable, and is one that many can have.
  const text = `WITH held AS MATERIALIZED (
      SELECT place FROM partitions JOIN unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS tenures (partition, epoch, place)
        USING (partition, epoch) FOR SHARE OF partitions
    ), ${updates.join(', ')}
    SELECT place FROM held`;
  const statement = { name, text };
  prepared.set(name, statement);
  return statement;
}

/** Answered by the chargers whose commits were left out. */
export const keeping: Work<readonly KeptCommit[], readonly string[]> = {
  batch() {
    const batch = new Batch();
    return { add: (commits) => batch.add(commits) };
  },

  async write(session, calls) {
    const pieces = piecesOf(calls.flat());
    const left = new Set<KeptCommit>();
    const keepAll = async () => {
      for (const piece of pieces) for (const commit of await keep(session, piece)) left.add(commit);
    };
    // A statement alone is its own transaction.
    await (pieces.length > 1 ? session.transaction(keepAll) : keepAll());
    return calls.map((call) => [
      ...new Set(call.filter((commit) => left.has(commit)).map(({ chargerId }) => chargerId)),
    ]);
  },

  // Kept twice is kept once: nobody else writes of these chargers, and if somebody owns them by now, that shows.
  recall: async () => 'again',
};

/** What goes in one statement: there the commits of a charger become one, so they must stand or fall together. */
class Batch {
  readonly #epochs = new Map<string, number | undefined>();
  #commits = 0;
  #characters = 0;

  /** False when there is no room for these. */
  add(commits: readonly KeptCommit[]): boolean {
    const characters = commits.reduce((sum, { memory = '' }) => sum + memory.length, 0);
    if (this.#commits > 0) {
      if (this.#commits + commits.length > commitsPerStatement) return false;
      if (this.#characters + characters > charactersPerStatement) return false;
      if (commits.some(({ chargerId, epoch }) => (this.#epochs.get(chargerId) ?? epoch) !== epoch)) return false;
    }
    this.#commits += commits.length;
    this.#characters += characters;
    for (const { chargerId, epoch } of commits) this.#epochs.set(chargerId, epoch);
    return true;
  }
}

function piecesOf(commits: readonly KeptCommit[]): readonly (readonly KeptCommit[])[] {
  const pieces: KeptCommit[][] = [];
  let batch = new Batch();
  for (const commit of commits) {
    const piece = pieces.at(-1);
    if (piece !== undefined && batch.add([commit])) {
      piece.push(commit);
      continue;
    }
    batch = new Batch();
    batch.add([commit]);
    pieces.push([commit]);
  }
  return pieces;
}

/** Keeps these, and answers with those whose tenure is over. */
async function keep(session: Session, commits: readonly KeptCommit[]): Promise<readonly KeptCommit[]> {
  const tenures = new Tenures();
  const rows = rowsOf(commits, tenures);
  const names = (Object.keys(parts) as readonly PartName[]).filter((name) => rows[name].length > 0);
  // Of commits that change nothing it must be told all the same whether their tenure is over.
  if (names.length === 0) names.push('memories');
  const values: Value[] = [tenures.partitions, tenures.epochs];
  for (const name of names) {
    const columns: Part['columns'] = parts[name].columns;
    for (const [index, [, type]] of [...columns, ['tenure', 'int'] as const].entries()) {
      const list = rows[name].map((row) => row[index] ?? null);
      values.push(type === 'text' ? texts(list as (string | null)[]) : (list as (number | null)[]));
    }
  }
  const found = await session.run(statementOf(names), values);
  const held = new Set<unknown>([0, ...found.map(([place]) => place)]);
  return commits.filter((commit) => !held.has(tenures.placeOf(commit)));
}

function rowsOf(commits: readonly KeptCommit[], tenures: Tenures): Readonly<Record<PartName, Rows>> {
  const ended = firstOfEach(commits, ({ outcomes = [] }) => outcomes);
  const endedIds = new Set(ended.map(([{ commandId }]) => commandId));
  const applied = firstOfEach(commits, (commit) =>
    (commit.applied ?? []).filter(({ commandId }) => !endedIds.has(commandId)),
  );
  return {
    memories: lastOfEach(commits, ({ memory }) => memory).map(([memory, commit]) => [
      commit.chargerId,
      memory,
      tenures.placeOf(commit),
    ]),
    // A memory goes without the addendum of the one before.
    addenda: lastOfEach(commits, ({ memory, addendum }) => addendum ?? (memory === undefined ? undefined : null)).map(
      ([addendum, commit]) => [commit.chargerId, addendum, tenures.placeOf(commit)],
    ),
    provisionings: lastOfEach(commits, ({ provisioning }) => provisioning).map(([provisioning, commit]) => {
      const { status, step, attempts, error, startedAtMs, finishedAtMs } = provisioning;
      return [commit.chargerId, status, step, attempts, error, startedAtMs, finishedAtMs, tenures.placeOf(commit)];
    }),
    applied: applied.map(([{ commandId, startedAtMs }, commit]) => [commandId, startedAtMs, tenures.placeOf(commit)]),
    ended: ended.map(([outcome, commit]) => {
      const { commandId, status, errorCode, error, startedAtMs, finishedAtMs, exchanges } = outcome;
      const messages = exchanges.length === 0 ? null : JSON.stringify(exchanges);
      const place = tenures.placeOf(commit);
      return [commandId, status, errorCode, error, resultOf(outcome), messages, startedAtMs, finishedAtMs, place];
    }),
  };
}

/** The tenures that commits name, each once. */
class Tenures {
  readonly partitions: number[] = [];
  readonly epochs: number[] = [];
  readonly #places = new Map<string, number>();

  placeOf({ chargerId, epoch }: KeptCommit): number {
    if (epoch === undefined) return 0;
    const partition = partitionOf(chargerId);
    const key = `${partition} ${epoch}`;
    let place = this.#places.get(key);
    if (place === undefined) {
      this.epochs.push(epoch);
      place = this.partitions.push(partition);
      this.#places.set(key, place);
    }
    return place;
  }
}

/** What each charger has last become, with the commit that says so. */
function lastOfEach<Part>(
  commits: readonly KeptCommit[],
  partOf: (commit: KeptCommit) => Part | undefined,
): readonly (readonly [Part, KeptCommit])[] {
  const found = new Map<string, readonly [Part, KeptCommit]>();
  for (const commit of commits) {
    const part = partOf(commit);
    if (part !== undefined) found.set(commit.chargerId, [part, commit]);
  }
  return [...found.values()];
}

/** What was first said of each command, with the commit that says so: what has ended never changes. */
function firstOfEach<Part extends { readonly commandId: string }>(
  commits: readonly KeptCommit[],
  partsOf: (commit: KeptCommit) => readonly Part[],
): readonly (readonly [Part, KeptCommit])[] {
  const found = new Map<string, readonly [Part, KeptCommit]>();
  for (const commit of commits) {
    for (const part of partsOf(commit)) if (!found.has(part.commandId)) found.set(part.commandId, [part, commit]);
  }
  return [...found.values()];
}

/** JSON has no word for undefined; null says the same here. */
function resultOf({ result }: CommandOutcome): string | null {
  return result === undefined || result === null ? null : JSON.stringify(result);
}
