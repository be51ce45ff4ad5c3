// How what chargers leave behind is kept: the commits of several calls in one statement, one round trip for all.

import { type OwnedCommit, partitionOf } from '../../../ports/partition.ts';
import type { CommandOutcome, Commit } from '../../../ports/store.ts';
import type { Session, Statement } from './session.ts';
import { texts } from './values.ts';
import type { Work } from './write-lane.ts';

const commitsPerStatement = 1_000;
const charactersPerStatement = 4_000_000;

/** A commit as its call gave it; one without an epoch is not held against any. */
export type KeptCommit = Commit & Partial<Pick<OwnedCommit, 'epoch'>>;

const isHeld = '(tenure = 0 OR tenure IN (SELECT place FROM locked))';
// Tenures are known by their place in $1 and $2, counted from 1; 0 stands for none. A row of a tenure that is over is left out.
// The lock on the row of a partition keeps its epoch as it is until this is durable, and is one that many can have.
const keepCommits: Statement = {
  name: 'keepCommits',
  text: `WITH locked AS MATERIALIZED (
      SELECT place FROM partitions JOIN unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS tenures (partition, epoch, place)
        USING (partition, epoch) FOR SHARE OF partitions
    ), remembering AS (
      UPDATE charger_memory SET memory = kept.memory
      FROM unnest($3::text[], $4::text[], $5::int[]) AS kept (charger, memory, tenure)
      WHERE charger_memory.charger = kept.charger AND ${isHeld}
    ), provisioning AS (
      UPDATE chargers SET provisioning_status = kept.status, provisioning_step = kept.step, provisioning_attempts = kept.attempts,
        provisioning_error = kept.error, provisioning_started_at = kept.started_at, provisioning_finished_at = kept.finished_at
      FROM unnest($6::text[], $7::text[], $8::text[], $9::int[], $10::text[], $11::bigint[], $12::bigint[], $13::int[])
        AS kept (charger, status, step, attempts, error, started_at, finished_at, tenure)
      WHERE chargers.id = kept.charger AND ${isHeld}
    ), applying AS (
      UPDATE commands SET status = 'running', started_at = kept.started_at
      FROM unnest($14::text[], $15::bigint[], $16::int[]) AS kept (id, started_at, tenure)
      WHERE commands.id = kept.id AND status = 'queued' AND ${isHeld}
        AND EXISTS (SELECT 1 FROM chargers WHERE chargers.id = commands.charger_id)
    ), ending AS (
      UPDATE commands SET status = kept.status, error_code = kept.error_code, error = kept.error, result = kept.result,
        exchanges = kept.exchanges, started_at = kept.started_at, finished_at = kept.finished_at
      FROM unnest($17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::bigint[], $24::bigint[], $25::int[])
        AS kept (id, status, error_code, error, result, exchanges, started_at, finished_at, tenure)
      WHERE commands.id = kept.id AND commands.finished_at IS NULL AND ${isHeld}
    )
    SELECT place FROM locked`,
};

/** Answered by the chargers whose commits were left out. */
export const keeping: Work<readonly KeptCommit[], readonly string[]> = {
  batch() {
    const batch = new Batch();
    return { add: (commits) => batch.add(commits) };
  },

  async write(session, calls) {
    const commits = calls.flat();
    const parts = partsOf(commits);
    const left = new Set<KeptCommit>();
    const keepAll = async () => {
      for (const part of parts) for (const commit of await keep(session, part)) left.add(commit);
    };
    // A statement alone is its own transaction.
    await (parts.length > 1 ? session.transaction(keepAll) : keepAll());
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

function partsOf(commits: readonly KeptCommit[]): readonly (readonly KeptCommit[])[] {
  const parts: KeptCommit[][] = [];
  let batch = new Batch();
  for (const commit of commits) {
    const part = parts.at(-1);
    if (part !== undefined && batch.add([commit])) {
      part.push(commit);
      continue;
    }
    batch = new Batch();
    batch.add([commit]);
    parts.push([commit]);
  }
  return parts;
}

/** Keeps these, and answers with those whose tenure is over. */
async function keep(session: Session, commits: readonly KeptCommit[]): Promise<readonly KeptCommit[]> {
  const tenures = new Tenures();
  const places = new Map(commits.map((commit) => [commit, tenures.placeOf(commit)]));
  const placeOf = (commit: KeptCommit) => places.get(commit) ?? 0;
  const memories = lastOfEach(commits, ({ memory }) => memory);
  const provisionings = lastOfEach(commits, ({ provisioning }) => provisioning);
  const ended = firstOfEach(commits, ({ outcomes = [] }) => outcomes);
  const endedIds = new Set(ended.map(([{ commandId }]) => commandId));
  const appliedOnly = firstOfEach(commits, ({ applied = [] }) =>
    applied.filter(({ commandId }) => !endedIds.has(commandId)),
  );
  const rows = await session.run(keepCommits, [
    tenures.partitions,
    tenures.epochs,
    texts(memories.map(([, { chargerId }]) => chargerId)),
    texts(memories.map(([memory]) => memory)),
    memories.map(([, commit]) => placeOf(commit)),
    texts(provisionings.map(([, { chargerId }]) => chargerId)),
    texts(provisionings.map(([{ status }]) => status)),
    texts(provisionings.map(([{ step }]) => step)),
    provisionings.map(([{ attempts }]) => attempts),
    texts(provisionings.map(([{ error }]) => error)),
    provisionings.map(([{ startedAtMs }]) => startedAtMs),
    provisionings.map(([{ finishedAtMs }]) => finishedAtMs),
    provisionings.map(([, commit]) => placeOf(commit)),
    texts(appliedOnly.map(([{ commandId }]) => commandId)),
    appliedOnly.map(([{ startedAtMs }]) => startedAtMs),
    appliedOnly.map(([, commit]) => placeOf(commit)),
    texts(ended.map(([{ commandId }]) => commandId)),
    texts(ended.map(([{ status }]) => status)),
    texts(ended.map(([{ errorCode }]) => errorCode)),
    texts(ended.map(([{ error }]) => error)),
    texts(ended.map(([outcome]) => resultOf(outcome))),
    texts(ended.map(([{ exchanges }]) => (exchanges.length === 0 ? null : JSON.stringify(exchanges)))),
    ended.map(([{ startedAtMs }]) => startedAtMs),
    ended.map(([{ finishedAtMs }]) => finishedAtMs),
    ended.map(([, commit]) => placeOf(commit)),
  ]);
  const held = new Set<unknown>([0, ...rows.map(([place]) => place)]);
  return commits.filter((commit) => !held.has(placeOf(commit)));
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
