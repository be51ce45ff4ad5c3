// The shape of the database as numbered steps; a step that was released never changes, a new one is added below it.

import type { DatabaseSync } from 'node:sqlite';
import { Failure } from '../../../errors.ts';

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** The rows of the totals that a charger counts in: that of its org, and that of its location if it has one. */
const totalsOf = (row: 'new' | 'old') => `org = ${row}.org AND location IN ('', '=' || ${row}.location_id)
          AND version = ifnull(${row}.ocpp_version, '') AND desired = ${row}.desired`;
const countedIn = `
        INSERT INTO charger_totals (org, location, version, desired, pending, provisioning, ready, failed)
          SELECT new.org, column1, ifnull(new.ocpp_version, ''), new.desired,
              new.provisioning_status = 'pending', new.provisioning_status = 'provisioning',
              new.provisioning_status = 'ready', new.provisioning_status = 'failed'
            FROM (VALUES (''), ('=' || new.location_id)) WHERE column1 IS NOT NULL
          ON CONFLICT DO UPDATE SET pending = pending + excluded.pending, provisioning = provisioning + excluded.provisioning,
            ready = ready + excluded.ready, failed = failed + excluded.failed;`;
const countedOut = `
        UPDATE charger_totals SET
            pending = pending - (old.provisioning_status = 'pending'),
            provisioning = provisioning - (old.provisioning_status = 'provisioning'),
            ready = ready - (old.provisioning_status = 'ready'),
            failed = failed - (old.provisioning_status = 'failed')
          WHERE ${totalsOf('old')};
        DELETE FROM charger_totals WHERE ${totalsOf('old')} AND total = 0;`;
const isMoved = `(old.org, old.location_id, old.ocpp_version, old.desired)
          IS NOT (new.org, new.location_id, new.ocpp_version, new.desired)`;

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
        model_id TEXT,
        ocpp_version TEXT,
        connector_type TEXT,
        max_charging_power_w REAL NOT NULL,
        location_id TEXT,
        ws_url TEXT,
        seed REAL NOT NULL,
        desired TEXT NOT NULL,
        generation INTEGER NOT NULL,
        provisioning_status TEXT NOT NULL CHECK (provisioning_status IN ('pending', 'provisioning', 'ready', 'failed')),
        provisioning_step TEXT NOT NULL,
        provisioning_attempts INTEGER NOT NULL,
        provisioning_error TEXT,
        provisioning_started_at INTEGER NOT NULL,
        provisioning_finished_at INTEGER,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        -- As they are searched: SQLite's own folding knows only ASCII.
        identity_lower TEXT NOT NULL,
        name_lower TEXT,
        features TEXT NOT NULL,
        layout TEXT NOT NULL,
        -- The longest comes last, out of the way of the others.
        security TEXT,
        UNIQUE (org, identity)
      ) STRICT;
      CREATE INDEX chargers_by_org ON chargers (org, id);
      CREATE INDEX chargers_by_location ON chargers (org, location_id, id);
      -- What stands behind the id is there to be compared without reading the charger.
      CREATE INDEX chargers_by_provisioning ON chargers (org, provisioning_status, id, ocpp_version, desired);
      CREATE INDEX chargers_by_version ON chargers (org, ocpp_version, id, desired);
      CREATE INDEX chargers_by_desired ON chargers (org, desired, id);

      -- Apart from the chargers, so that listing never reads it; keyed by chargers.seq, so that a write also asks whether the charger exists.
      CREATE TABLE charger_memory (
        charger INTEGER PRIMARY KEY,
        memory TEXT NOT NULL
      ) STRICT;

      -- How many chargers there are of each kind that can be asked for, so that a page never counts them. A row of a whole org has
      -- no location; that of a location has its id behind an equals sign, because a key cannot be null and an id could be anything.
      -- The provisioning is in columns, because it changes often: one update of two rows, found by the rest of the key.
      CREATE TABLE charger_totals (
        org TEXT NOT NULL,
        location TEXT NOT NULL,
        version TEXT NOT NULL,
        desired TEXT NOT NULL,
        pending INTEGER NOT NULL,
        provisioning INTEGER NOT NULL,
        ready INTEGER NOT NULL,
        failed INTEGER NOT NULL,
        total INTEGER NOT NULL AS (pending + provisioning + ready + failed),
        PRIMARY KEY (org, location, version, desired)
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER charger_added AFTER INSERT ON chargers BEGIN${countedIn}
      END;
      CREATE TRIGGER charger_moved AFTER UPDATE OF org, location_id, ocpp_version, desired ON chargers
        WHEN ${isMoved} BEGIN${countedOut}${countedIn}
      END;
      CREATE TRIGGER charger_provisioned AFTER UPDATE OF provisioning_status ON chargers
        WHEN old.provisioning_status <> new.provisioning_status AND NOT (${isMoved}) BEGIN
        UPDATE charger_totals SET
            pending = pending - (old.provisioning_status = 'pending') + (new.provisioning_status = 'pending'),
            provisioning = provisioning - (old.provisioning_status = 'provisioning') + (new.provisioning_status = 'provisioning'),
            ready = ready - (old.provisioning_status = 'ready') + (new.provisioning_status = 'ready'),
            failed = failed - (old.provisioning_status = 'failed') + (new.provisioning_status = 'failed')
          WHERE ${totalsOf('new')};
      END;
      CREATE TRIGGER charger_removed AFTER DELETE ON chargers BEGIN
        DELETE FROM charger_memory WHERE charger = old.seq;${countedOut}
      END;

      CREATE TABLE cpos (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        org TEXT NOT NULL,
        name TEXT NOT NULL,
        country_code TEXT NOT NULL,
        party_id TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        -- How many it has.
        locations INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX cpos_by_org ON cpos (org, id);

      CREATE TABLE locations (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        org TEXT NOT NULL,
        cpo_id TEXT NOT NULL,
        name TEXT NOT NULL,
        template TEXT NOT NULL,
        site TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX locations_by_cpo ON locations (org, cpo_id, id);
      CREATE INDEX locations_by_name ON locations (org, name, id);
      CREATE TRIGGER location_added AFTER INSERT ON locations BEGIN
        UPDATE cpos SET locations = locations + 1 WHERE id = new.cpo_id AND org = new.org;
      END;
      CREATE TRIGGER location_removed AFTER DELETE ON locations BEGIN
        UPDATE cpos SET locations = locations - 1 WHERE id = old.cpo_id AND org = old.org;
      END;

      CREATE TABLE receipts (
        seq INTEGER PRIMARY KEY,
        org TEXT NOT NULL,
        key TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        status INTEGER NOT NULL,
        headers TEXT NOT NULL,
        body TEXT NOT NULL,
        at INTEGER NOT NULL,
        UNIQUE (org, key)
      ) STRICT;
      CREATE INDEX receipts_by_age ON receipts (at);

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
  {
    version: 2,
    sql: `
      -- Those that have not ended, across all tenants: few.
      CREATE INDEX commands_open ON commands (org, seq) WHERE finished_at IS NULL;
      -- The status stands behind the order: a command that goes on is changed where it is, and counting reads nothing else.
      CREATE INDEX commands_by_org ON commands (org, seq, status);
    `,
  },
  {
    version: 3,
    sql: `
      CREATE TABLE webhooks (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        org TEXT NOT NULL,
        url TEXT NOT NULL,
        types TEXT NOT NULL,
        charger_id TEXT,
        location_id TEXT,
        secret TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        -- How far the deliveries have come.
        state TEXT NOT NULL,
        after_event TEXT NOT NULL,
        failures INTEGER NOT NULL,
        failing_since INTEGER,
        last_error TEXT,
        delivered_at INTEGER
      ) STRICT;
      CREATE INDEX webhooks_by_org ON webhooks (org, id);
    `,
  },
  {
    version: 4,
    sql: `
      -- Apart from the memories, which are ten times as long: it is written at every sample of a meter.
      CREATE TABLE charger_addendum (
        charger INTEGER PRIMARY KEY,
        addendum TEXT NOT NULL
      ) STRICT;
      CREATE TRIGGER charger_memory_removed AFTER DELETE ON charger_memory BEGIN
        DELETE FROM charger_addendum WHERE charger = old.charger;
      END;
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
