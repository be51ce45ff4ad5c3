// Every statement that writes, by name.

import { chargerColumns, endedColumns } from './rows.ts';

export interface StatementText {
  readonly sql: string;
  /**
   * `must_change`: changing no row refuses the whole write. `returns`: its one row is in the write's answer, and having none refuses
   * the write. `lists`: so are its rows, however many. `counts`: the rows it changed are counted there.
   */
  readonly kind?: 'must_change' | 'returns' | 'lists' | 'counts';
  /** Which of its values says what was in the way of a refused write, counted from 0. */
  readonly names?: number;
}

/** Those of an org that a JSON list names, as the first two values of a statement. */
const listed = 'org = ?1 AND id IN (SELECT value FROM json_each(?2))';

/** Why a command ends without its charger. */
const endings = {
  deleted: 'the charger was deleted',
  interrupted: 'interrupted by a restart',
  expired: 'the charger stayed stopped for too long',
} as const;
const ending = (code: keyof typeof endings, atMs: string): string =>
  `UPDATE commands SET status = 'failed', error_code = '${code}', error = '${endings[code]}', finished_at = ${atMs}
          WHERE finished_at IS NULL AND`;

export const writingStatements = {
  insertCharger: {
    kind: 'must_change',
    names: 2,
    sql: `INSERT INTO chargers (id, org, identity, name, vendor_name, model, model_id, ocpp_version, connector_type,
            max_charging_power_w, location_id, ws_url, seed, desired, generation, provisioning_status, provisioning_step,
            provisioning_attempts, provisioning_error, provisioning_started_at, provisioning_finished_at, created_at, updated_at,
            identity_lower, name_lower, features, layout, security)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (org, identity) DO NOTHING`,
  },
  touchChargers: { sql: `UPDATE chargers SET updated_at = ?3, generation = generation + ?4 WHERE ${listed}` },
  changeNames: { sql: `UPDATE chargers SET name = ?3, name_lower = ?4 WHERE ${listed}` },
  changeConnectorTypes: { sql: `UPDATE chargers SET connector_type = ?3 WHERE ${listed}` },
  changeLayouts: { sql: `UPDATE chargers SET layout = ?3 WHERE ${listed}` },
  changeVersions: { sql: `UPDATE chargers SET ocpp_version = ?3 WHERE ${listed}` },
  changeUrls: { sql: `UPDATE chargers SET ws_url = ?3 WHERE ${listed}` },
  changeLocations: { sql: `UPDATE chargers SET location_id = ?3 WHERE ${listed}` },
  changeDesired: { sql: `UPDATE chargers SET desired = ?3 WHERE ${listed}` },
  // Within the write, so that it is what this write has left and not what came after.
  readCharger: { kind: 'returns', sql: `SELECT ${chargerColumns} FROM chargers WHERE org = ?1 AND id = ?2` },
  failCommands: {
    kind: 'lists',
    sql: `${ending('deleted', '?3')} charger_id IN (SELECT id FROM chargers WHERE ${listed}) RETURNING ${endedColumns}`,
  },
  deleteChargers: { kind: 'counts', sql: `DELETE FROM chargers WHERE ${listed}` },

  insertCpo: {
    sql: `INSERT INTO cpos (id, org, name, country_code, party_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  },
  deleteCpo: { kind: 'must_change', sql: 'DELETE FROM cpos WHERE org = ?1 AND id = ?2 AND locations = 0' },
  insertLocation: {
    kind: 'must_change',
    names: 2,
    sql: `INSERT INTO locations (id, org, cpo_id, name, template, site, created_at, updated_at)
          SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS (SELECT 1 FROM cpos WHERE org = ?2 AND id = ?3)`,
  },
  deleteLocation: { kind: 'must_change', sql: 'DELETE FROM locations WHERE org = ?1 AND id = ?2' },
  leaveLocation: { sql: 'UPDATE chargers SET location_id = NULL WHERE org = ?1 AND location_id = ?2' },

  insertWebhook: {
    sql: `INSERT INTO webhooks (id, org, url, types, charger_id, location_id, secret, created_at,
            state, after_event, failures, failing_since, last_error, delivered_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  },
  deleteWebhook: { kind: 'must_change', sql: 'DELETE FROM webhooks WHERE org = ?1 AND id = ?2' },
  keepProgress: {
    sql: `UPDATE webhooks SET state = ?2, after_event = ?3, failures = ?4, failing_since = ?5, last_error = ?6, delivered_at = ?7
          WHERE id = ?1`,
  },

  insertReceipt: {
    kind: 'must_change',
    names: 1,
    sql: `INSERT INTO receipts (org, key, fingerprint, status, headers, body, at) VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (org, key) DO NOTHING`,
  },
  forgetReceipts: {
    kind: 'counts',
    sql: 'DELETE FROM receipts WHERE seq IN (SELECT seq FROM receipts WHERE at < ?1 LIMIT ?2)',
  },

  insertCommand: {
    sql: `INSERT INTO commands (id, org, charger_id, identity, ocpp_version, event_type, payload, accepted_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  },
  keepMemory: {
    sql: `INSERT INTO charger_memory (charger, memory) SELECT seq, ?2 FROM chargers WHERE id = ?1
          ON CONFLICT (charger) DO UPDATE SET memory = excluded.memory`,
  },
  dropAddendum: { sql: 'DELETE FROM charger_addendum WHERE charger = (SELECT seq FROM chargers WHERE id = ?1)' },
  // Of many chargers, by their ids. The list leads: that is what the order of a cross join says.
  keepAddenda: {
    sql: `INSERT INTO charger_addendum (charger, addendum)
          SELECT seq, value FROM json_each(?1) CROSS JOIN chargers ON chargers.id = key WHERE true
          ON CONFLICT (charger) DO UPDATE SET addendum = excluded.addendum`,
  },
  keepProvisioning: {
    sql: `UPDATE chargers SET provisioning_status = ?2, provisioning_step = ?3, provisioning_attempts = ?4,
            provisioning_error = ?5, provisioning_started_at = ?6, provisioning_finished_at = ?7 WHERE id = ?1`,
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
    kind: 'lists',
    sql: `${ending('interrupted', '?2')} status = 'running' AND charger_id IN (SELECT value FROM json_each(?1))
          RETURNING ${endedColumns}`,
  },
  // Those whose charger is stopped, and those that were accepted in the very moment in which it was deleted.
  expireCommands: {
    kind: 'lists',
    sql: `${ending('expired', '?2')} seq IN (SELECT commands.seq FROM commands INDEXED BY commands_open JOIN chargers ON chargers.id = charger_id
            WHERE finished_at IS NULL AND status = 'queued' AND accepted_at < ?1 AND desired = 'stopped' LIMIT ?3)
          RETURNING ${endedColumns}`,
  },
  failOrphans: {
    kind: 'lists',
    sql: `${ending('deleted', '?1')} seq IN (SELECT seq FROM commands INDEXED BY commands_open WHERE finished_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM chargers WHERE chargers.id = charger_id) LIMIT ?2)
          RETURNING ${endedColumns}`,
  },
  // Only the oldest are looked at: they are where those to be forgotten are, and no index is needed to find them.
  forgetCommands: {
    kind: 'counts',
    sql: `DELETE FROM commands WHERE finished_at < ?1 AND seq IN (SELECT seq FROM commands ORDER BY seq LIMIT ?2)`,
  },
  reserveNumbers: {
    kind: 'returns',
    sql: `INSERT INTO counters (name, next) VALUES (?1, 1 + ?2) ON CONFLICT (name) DO UPDATE SET next = next + ?2
          RETURNING next - ?2`,
  },
} as const satisfies Record<string, StatementText>;

export type StatementName = keyof typeof writingStatements;
