// The shape of the database as numbered steps; a step that was released never changes, a new one is added below it.

import type { DatabaseSync } from 'node:sqlite';
import { Failure } from '../../../errors.ts';

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
      CREATE TABLE chargers (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        org TEXT NOT NULL,
        identity TEXT NOT NULL,
        name TEXT,
        vendor_name TEXT,
        model TEXT,
        ocpp_version TEXT,
        layout TEXT NOT NULL,
        connector_type TEXT,
        max_charging_power_w REAL NOT NULL,
        location_id TEXT,
        ws_url TEXT,
        seed REAL NOT NULL,
        desired TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        -- Identity and name in lower case, one per line: SQLite's own folding knows only ASCII.
        search_text TEXT NOT NULL,
        UNIQUE (org, identity)
      ) STRICT;
      CREATE INDEX chargers_by_org ON chargers (org, id);
      CREATE INDEX chargers_by_location ON chargers (org, location_id, id);
      CREATE INDEX chargers_by_version ON chargers (org, ocpp_version, id);
      CREATE INDEX chargers_by_desired ON chargers (org, desired, id);

      -- Apart from the chargers, so that listing never reads it; keyed by chargers.seq, so that a write also asks whether the charger exists.
      CREATE TABLE charger_memory (
        charger INTEGER PRIMARY KEY,
        memory TEXT NOT NULL
      ) STRICT;

      -- How many chargers there are of each kind that can be asked for, so that a page never counts them.
      -- Location and version are kept as quote() writes them, because a key cannot be null.
      CREATE TABLE charger_totals (
        org TEXT NOT NULL,
        location TEXT NOT NULL,
        version TEXT NOT NULL,
        desired TEXT NOT NULL,
        total INTEGER NOT NULL,
        PRIMARY KEY (org, location, version, desired)
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER charger_added AFTER INSERT ON chargers BEGIN
        INSERT INTO charger_totals VALUES (new.org, quote(new.location_id), quote(new.ocpp_version), new.desired, 1)
          ON CONFLICT DO UPDATE SET total = total + 1;
      END;
      CREATE TRIGGER charger_moved AFTER UPDATE OF org, location_id, ocpp_version, desired ON chargers BEGIN
        UPDATE charger_totals SET total = total - 1
          WHERE org = old.org AND location = quote(old.location_id) AND version = quote(old.ocpp_version) AND desired = old.desired;
        INSERT INTO charger_totals VALUES (new.org, quote(new.location_id), quote(new.ocpp_version), new.desired, 1)
          ON CONFLICT DO UPDATE SET total = total + 1;
        DELETE FROM charger_totals
          WHERE org = old.org AND location = quote(old.location_id) AND version = quote(old.ocpp_version) AND desired = old.desired
            AND total = 0;
      END;
      CREATE TRIGGER charger_removed AFTER DELETE ON chargers BEGIN
        DELETE FROM charger_memory WHERE charger = old.seq;
        UPDATE charger_totals SET total = total - 1
          WHERE org = old.org AND location = quote(old.location_id) AND version = quote(old.ocpp_version) AND desired = old.desired;
        DELETE FROM charger_totals
          WHERE org = old.org AND location = quote(old.location_id) AND version = quote(old.ocpp_version) AND desired = old.desired
            AND total = 0;
      END;

      CREATE TABLE commands (
        -- The order of acceptance.
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        org TEXT NOT NULL,
        charger_id TEXT NOT NULL,
        identity TEXT NOT NULL,
        ocpp_version TEXT NOT NULL,
        event_type TEXT NOT NULL,
        payload TEXT NOT NULL,
        accepted_at INTEGER NOT NULL,
        status TEXT NOT NULL DEFAULT 'queued',
        started_at INTEGER,
        -- Null exactly as long as the command has not ended.
        finished_at INTEGER,
        error_code TEXT,
        error TEXT,
        result TEXT,
        exchanges TEXT
      ) STRICT;
      -- The open ones of a charger together, before those that have ended.
      CREATE INDEX commands_by_charger ON commands (charger_id, finished_at);

      CREATE TABLE counters (
        name TEXT PRIMARY KEY,
        next INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
];

/** Brings the database to the newest version, whole or not at all. */
export function migrate(database: DatabaseSync, steps: readonly Migration[] = migrations): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY) STRICT');
    const found = Number(database.prepare('SELECT max(version) AS version FROM migrations').get()?.version ?? 0);
    const known = steps.at(-1)?.version ?? 0;
    if (found > known) {
      throw new Failure(
        'store_failed',
        `the database is of version ${found} and this program knows only up to ${known}: run the newer program that wrote it`,
      );
    }
    for (const step of steps) {
      if (step.version <= found) continue;
      database.exec(step.sql);
      database.prepare('INSERT INTO migrations (version) VALUES (?)').run(step.version);
    }
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
