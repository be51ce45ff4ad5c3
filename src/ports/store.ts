// What lasts: deployments of chargers, what each charger keeps in its memory, commands and what became of them.

import type { QueuedCommand } from './queue.ts';

export type OcppVersion = '1.6' | '2.0.1' | '2.1';
export type Desired = 'running' | 'stopped';

/** One physical outlet of a charger as deployed. */
export interface ConnectorLayout {
  readonly evseId: number;
  readonly connectorId: number;
  readonly type: string;
  readonly format: 'SOCKET' | 'CABLE';
  readonly maxPowerW: number;
}

export interface ChargerRecord {
  readonly id: string;
  readonly org: string;
  readonly identity: string;
  readonly name: string | null;
  readonly vendorName: string | null;
  readonly model: string | null;
  /** Null means the default. */
  readonly ocppVersion: OcppVersion | null;
  readonly layout: readonly ConnectorLayout[];
  readonly connectorType: string | null;
  readonly maxChargingPowerW: number;
  readonly locationId: string | null;
  /** Null means the gateway's default CSMS. */
  readonly wsUrl: string | null;
  readonly seed: number;
  readonly desired: Desired;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface ChargerFilter {
  readonly locationId?: string;
  readonly ocppVersion?: OcppVersion;
  readonly desired?: Desired;
  /** Part of the identity or the name, upper or lower case. */
  readonly search?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many there are on all pages. */
  readonly total: number;
}

export type CommandStatus = 'queued' | 'running' | 'succeeded' | 'failed';

/** One OCPP call that a command caused. */
export interface Exchange {
  readonly atMs: number;
  readonly action: string;
  readonly messageId: string;
  readonly request: unknown;
  readonly response: unknown;
  readonly error: string | null;
}

export interface CommandOutcome {
  readonly commandId: string;
  readonly status: 'succeeded' | 'failed';
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly result: unknown;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exchanges: readonly Exchange[];
}

export interface CommandRecord extends QueuedCommand {
  readonly status: CommandStatus;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly result: unknown;
  readonly exchanges: readonly Exchange[];
}

/** What one charger's step leaves behind; committed whole or not at all. */
export interface Commit {
  readonly chargerId: string;
  /** The charger's memory as text; absent when it did not change. */
  readonly memory?: string;
  /** Commands whose effect is in `memory` and that still await answers: they turn `running` and are never applied again. */
  readonly applied?: readonly { readonly commandId: string; readonly startedAtMs: number }[];
  /** Commands that have ended. */
  readonly outcomes?: readonly CommandOutcome[];
}

export interface FleetMember {
  readonly record: ChargerRecord;
  /** Null for a charger that has never run. */
  readonly memory: string | null;
}

export interface Store {
  /** All or none: nothing is created when an identity is taken within its org, and the answer names the first such identity. */
  createChargers(records: readonly ChargerRecord[]): Promise<{ readonly taken: string | null }>;
  charger(org: string, id: string): Promise<ChargerRecord | null>;
  chargerByIdentity(org: string, identity: string): Promise<ChargerRecord | null>;
  /** Those of the ids that exist in this org, in no particular order. */
  chargers(org: string, ids: readonly string[]): Promise<readonly ChargerRecord[]>;
  /** Newest first. `page` counts from 1; past the end there are no items. */
  listChargers(org: string, filter: ChargerFilter, page: number, limit: number): Promise<Page<ChargerRecord>>;

  /** Every charger of every org in the order of their ids, `limit` at a time, after the id given. For owners of chargers. */
  fleetAfter(id: string | null, limit: number): Promise<readonly FleetMember[]>;
  /** One charger with its memory, or null when it has been deleted. */
  fleetMember(id: string): Promise<FleetMember | null>;
  /**
   * Keeps what chargers have become. All commits of one call become durable together, and those of several calls in the order of
   * the calls. A commit of a charger that has been deleted meanwhile is ignored.
   */
  commit(commits: readonly Commit[]): Promise<void>;
  /** Ends those commands of these chargers that a crash interrupted while they awaited an answer: `failed`, `interrupted`. */
  interrupt(chargerIds: readonly string[], atMs: number): Promise<void>;

  command(org: string, id: string): Promise<CommandRecord | null>;

  /** The next `count` numbers of a named counter: `from`, `from + 1` … Never given out twice, whatever happens. Counts from 1. */
  reserveNumbers(name: string, count: number): Promise<number>;

  /** Resolves when the store can be read and written. */
  ping(): Promise<void>;
  /** Writes what is still under way, then closes. */
  close(): Promise<void>;
}
