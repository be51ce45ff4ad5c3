// Every statement that writes, by name.

import { chargerColumns } from './rows.ts';

export interface StatementText {
  readonly sql: string;
  /**
   * `must_change`: changing no row refuses the whole write. `returns`: its one row is the write's answer, and having none refuses
   * the write. `counts`: the rows it changed are counted in the write's answer.
   */
  readonly kind?: 'must_change' | 'returns' | 'counts';
  /** Which of its values says what was in the way of a refused write, counted from 0. */
  readonly names?: number;
}

/** Those of an org that a JSON list names, as the first two values of a statement. */
const listed = 'org = ?1 AND id IN (SELECT value FROM json_each(?2))';

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
    sql: `UPDATE commands SET status = 'failed', error_code = 'deleted', error = 'the charger was deleted', finished_at = ?3
          WHERE finished_at IS NULL AND charger_id IN (SELECT id FROM chargers WHERE ${listed})`,
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
    sql: `UPDATE commands SET status = 'failed', error_code = 'interrupted', error = 'interrupted by a restart', finished_at = ?2
          WHERE finished_at IS NULL AND status = 'running' AND charger_id IN (SELECT value FROM json_each(?1))`,
  },
  reserveNumbers: {
    kind: 'returns',
    sql: `INSERT INTO counters (name, next) VALUES (?1, 1 + ?2) ON CONFLICT (name) DO UPDATE SET next = next + ?2
          RETURNING next - ?2`,
  },
} as const satisfies Record<string, StatementText>;

export type StatementName = keyof typeof writingStatements;
