// Every statement that writes, by name, and what each call of the store and the queue writes with them.

import type { SQLInputValue } from 'node:sqlite';
import type { QueuedCommand } from '../../../ports/queue.ts';
import type { ChargerRecord, CommandOutcome, Commit } from '../../../ports/store.ts';

export interface StatementText {
  readonly sql: string;
  /** `must_change`: changing no row refuses the whole write. `returns`: its one value is the write's answer. */
  readonly kind?: 'must_change' | 'returns';
}

export const writingStatements = {
  insertCharger: {
    kind: 'must_change',
    sql: `INSERT INTO chargers (id, org, identity, name, vendor_name, model, ocpp_version, layout, connector_type,
            max_charging_power_w, location_id, ws_url, seed, desired, created_at, updated_at, search_text)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (org, identity) DO NOTHING`,
  },
  insertCommand: {
    sql: `INSERT INTO commands (id, org, charger_id, identity, ocpp_version, event_type, payload, accepted_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  },
  keepMemory: {
    sql: `INSERT INTO charger_memory (charger, memory) SELECT seq, ?2 FROM chargers WHERE id = ?1
          ON CONFLICT (charger) DO UPDATE SET memory = excluded.memory`,
  },
  applyCommand: {
    sql: `UPDATE commands SET status = 'running', started_at = ?2 WHERE id = ?1 AND status = 'queued'
            AND EXISTS (SELECT 1 FROM chargers WHERE chargers.id = commands.charger_id)`,
  },
  endCommand: {
    sql: `UPDATE commands SET status = ?2, error_code = ?3, error = ?4, result = ?5, exchanges = ?6, started_at = ?7, finished_at = ?8
          WHERE id = ?1 AND finished_at IS NULL`,
  },
  interruptCommands: {
    sql: `UPDATE commands SET status = 'failed', error_code = 'interrupted', error = 'interrupted by a restart', finished_at = ?2
          WHERE finished_at IS NULL AND status = 'running' AND charger_id IN (SELECT value FROM json_each(?1))`,
  },
  reserveNumbers: {
    kind: 'returns',
    sql: `INSERT INTO counters (name, next) VALUES (?1, 1 + ?2) ON CONFLICT (name) DO UPDATE SET next = next + ?2
          RETURNING next - ?2 AS value`,
  },
} as const satisfies Record<string, StatementText>;

export type StatementName = keyof typeof writingStatements;
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
/** So many chargers are looked up by one statement. */
export const idsPerStatement = 500;

export function creation(records: readonly ChargerRecord[]): Write {
  return {
    size: records.length,
    refusable: true,
    *statements() {
      for (const record of records) yield insertCharger(record);
    },
  };
}

export function acceptance(commands: readonly QueuedCommand[]): Write {
  return {
    size: commands.length,
    refusable: false,
    *statements() {
      for (const command of commands) yield insertCommand(command);
    },
  };
}

export function keeping(commits: readonly Commit[]): Write {
  return {
    size: commits.reduce((size, commit) => size + workOfCommit(commit), 0),
    refusable: false,
    *statements() {
      for (const { chargerId, memory, applied = [], outcomes = [] } of commits) {
        if (memory !== undefined) yield ['keepMemory', [chargerId, memory]];
        for (const { commandId, startedAtMs } of applied) yield ['applyCommand', [commandId, startedAtMs]];
        for (const outcome of outcomes) yield endCommand(outcome);
      }
    },
  };
}

export function interruption(chargerIds: readonly string[], atMs: number): Write {
  return {
    size: chargerIds.length,
    refusable: false,
    *statements() {
      for (const ids of idLists(chargerIds)) yield ['interruptCommands', [ids, atMs]];
    },
  };
}

export function reservation(name: string, count: number): Write {
  return { size: 1, refusable: false, statements: () => [['reserveNumbers', [name, count]]] };
}

/** Writes nothing: its turn comes when everything asked for before has been written. */
export const nothing: Write = { size: 0, refusable: false, statements: () => [] };

/** About how many plain statements' work a statement is. */
export function workOf([, values]: Statement): number {
  let characters = 0;
  for (const value of values) if (typeof value === 'string') characters += value.length;
  return 1 + Math.floor(characters / textPerStatement);
}

/** The ids as JSON lists, each short enough for one statement. */
export function* idLists(ids: readonly string[]): Iterable<string> {
  for (let at = 0; at < ids.length; at += idsPerStatement) yield JSON.stringify(ids.slice(at, at + idsPerStatement));
}

function workOfCommit({ memory, applied, outcomes }: Commit): number {
  const statements = (memory === undefined ? 0 : 1) + (applied?.length ?? 0) + (outcomes?.length ?? 0);
  return statements + Math.floor((memory?.length ?? 0) / textPerStatement);
}

function insertCharger(record: ChargerRecord): Statement {
  return [
    'insertCharger',
    [
      record.id,
      record.org,
      record.identity,
      record.name,
      record.vendorName,
      record.model,
      record.ocppVersion,
      JSON.stringify(record.layout),
      record.connectorType,
      record.maxChargingPowerW,
      record.locationId,
      record.wsUrl,
      record.seed,
      record.desired,
      record.createdAtMs,
      record.updatedAtMs,
      // As it is searched: a line each.
      `${record.identity}\n${record.name ?? ''}`.toLowerCase(),
    ],
  ];
}

function insertCommand(command: QueuedCommand): Statement {
  const { id, org, chargerId, identity, ocppVersion, eventType, payload, acceptedAtMs } = command;
  return [
    'insertCommand',
    [id, org, chargerId, identity, ocppVersion, eventType, JSON.stringify(payload), acceptedAtMs],
  ];
}

function endCommand(outcome: CommandOutcome): Statement {
  const { commandId, status, errorCode, error, startedAtMs, finishedAtMs, exchanges } = outcome;
  // JSON has no word for undefined; null says the same here.
  const result = outcome.result === undefined || outcome.result === null ? null : JSON.stringify(outcome.result);
  const messages = exchanges.length === 0 ? null : JSON.stringify(exchanges);
  return ['endCommand', [commandId, status, errorCode, error, result, messages, startedAtMs, finishedAtMs]];
}
