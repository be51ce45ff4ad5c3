// What lasts: deployments of chargers, what each charger keeps in its memory, commands and what became of them.

import type { Provisioning, ProvisioningStatus } from '../provisioning/provisioning.ts';
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
  /** Of the catalog; null for a charger described by hand. */
  readonly modelId: string | null;
  readonly security: SecuritySettings | null;
  readonly features: readonly string[];
  readonly seed: number;
  readonly desired: Desired;
  /** Counts up whenever a running charger must be restarted to follow its deployment. */
  readonly generation: number;
  readonly provisioning: Provisioning;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** How a charger shows who it is. Never shown to anybody again. */
export interface SecuritySettings {
  readonly profile: number;
  readonly basicPassword?: string;
  readonly caPem?: string;
  readonly clientCertPem?: string;
  readonly clientKeyPem?: string;
}

/** What can be changed of a deployment; what is absent stays. */
export type ChargerChange = Partial<
  Pick<ChargerRecord, 'name' | 'connectorType' | 'layout' | 'ocppVersion' | 'wsUrl' | 'locationId' | 'desired'>
> & {
  /** A running charger follows by a restart. */
  readonly restart?: boolean;
};

export interface CpoRecord {
  readonly id: string;
  readonly org: string;
  readonly name: string;
  readonly countryCode: string;
  readonly partyId: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface LocationRecord {
  readonly id: string;
  readonly org: string;
  readonly cpoId: string;
  readonly name: string;
  /** The template that it was made from. */
  readonly template: string;
  /** Where it is: address, coordinates, time zone and so on, as the template had it. */
  readonly site: Readonly<Record<string, unknown>>;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface ProvisioningProgress {
  readonly total: number;
  readonly ready: number;
  readonly failed: number;
}

/** What a request was answered, kept so that the same request with the same key is answered the same again. */
export interface Receipt {
  readonly org: string;
  readonly key: string;
  /** Of method, path and body: tells another request that uses the same key. */
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As text; empty for none. */
  readonly body: string;
  readonly atMs: number;
}

export interface ChargerFilter {
  readonly locationId?: string;
  readonly ocppVersion?: OcppVersion;
  readonly desired?: Desired;
  readonly provisioningStatus?: ProvisioningStatus;
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

export interface CommandFilter {
  readonly chargerId?: string;
  readonly status?: CommandStatus;
}

/** A command that ended without its charger: what an event about it needs. */
export interface EndedCommand {
  readonly command: QueuedCommand;
  /** Of its charger. */
  readonly locationId: string | null;
  readonly errorCode: string;
  readonly error: string;
}

/** Whom to tell of what happens to chargers. */
export interface WebhookRecord {
  readonly id: string;
  readonly org: string;
  readonly url: string;
  /** Event types; none means all. */
  readonly types: readonly string[];
  /** Only events of this charger, or of this location; null for all. */
  readonly chargerId: string | null;
  readonly locationId: string | null;
  /** What its deliveries are signed with. Shown once, when it is created. */
  readonly secret: string;
  readonly createdAtMs: number;
  readonly progress: WebhookProgress;
}

/** How far the deliveries to a webhook have come. */
export interface WebhookProgress {
  readonly state: 'active' | 'disabled';
  /** The event up to which everything has been delivered. */
  readonly after: string;
  /** How often in a row it was tried in vain; 0 after a success. */
  readonly failures: number;
  /** The first of these failures. */
  readonly failingSinceMs: number | null;
  /** What went wrong last, also when it goes well again. */
  readonly lastError: string | null;
  /** The last success. */
  readonly deliveredAtMs: number | null;
}

/** What one charger's step leaves behind; committed whole or not at all. */
export interface Commit {
  readonly chargerId: string;
  /** Of the tenure under which its charger was taken over; absent where one process owns all chargers. */
  readonly epoch?: number;
  /** The charger's memory as one line of text; absent when it did not change. */
  readonly memory?: string;
  /** A line to be read behind the memory, in place of any before it. A memory that is kept later goes without one. */
  readonly addendum?: string;
  /** Commands whose effect is in `memory` and that still await answers: they turn `running` and are never applied again. */
  readonly applied?: readonly { readonly commandId: string; readonly startedAtMs: number }[];
  /** Commands that have ended. */
  readonly outcomes?: readonly CommandOutcome[];
  /** How far it has come; absent when that did not change. No change of the deployment: `updatedAtMs` stays. */
  readonly provisioning?: Provisioning;
}

export interface FleetMember {
  readonly record: ChargerRecord;
  /** Null for a charger that has never run. An addendum follows on a line of its own. */
  readonly memory: string | null;
}

export interface Store {
  /**
   * All or none: nothing is created when an identity is taken within its org, and the answer names the first such identity.
   * Here and below a `receipt` becomes durable together with the change, or not at all: none is kept when the call finds an
   * identity taken or no charger to change. When one of the same org and key is kept already, the call does nothing and is rejected
   * with `receipt_taken`, whatever else is in its way: so the second of two equal requests learns to read what the first was answered.
   */
  createChargers(records: readonly ChargerRecord[], receipt?: Receipt): Promise<{ readonly taken: string | null }>;
  charger(org: string, id: string): Promise<ChargerRecord | null>;
  chargerByIdentity(org: string, identity: string): Promise<ChargerRecord | null>;
  /** Those of the ids that exist in this org, in no particular order. */
  chargers(org: string, ids: readonly string[]): Promise<readonly ChargerRecord[]>;
  /** Newest first. `page` counts from 1; past the end there are no items. */
  listChargers(org: string, filter: ChargerFilter, page: number, limit: number): Promise<Page<ChargerRecord>>;

  /** The charger as it is afterwards, or null when there is none. `updatedAtMs` becomes `atMs`. */
  changeCharger(
    org: string,
    id: string,
    change: ChargerChange,
    atMs: number,
    receipt?: Receipt,
  ): Promise<ChargerRecord | null>;
  /** The same change to all of these that exist. */
  changeChargers(org: string, ids: readonly string[], change: ChargerChange, atMs: number): Promise<void>;
  /** With their memories. Their commands that have not ended fail as `deleted`. How many chargers there were, and those commands. */
  deleteChargers(
    org: string,
    ids: readonly string[],
    atMs: number,
  ): Promise<{ readonly deleted: number; readonly ended: readonly EndedCommand[] }>;

  createCpo(record: CpoRecord, receipt?: Receipt): Promise<void>;
  cpo(org: string, id: string): Promise<CpoRecord | null>;
  /** Newest first. */
  listCpos(org: string, page: number, limit: number): Promise<Page<CpoRecord>>;
  /** False, and nothing done, while it has locations or when there is none. */
  deleteCpo(org: string, id: string): Promise<boolean>;

  /**
   * Locations and their chargers, all or none, as `createChargers`; a new CPO of theirs with them when one is given. A CPO that is
   * not given must exist in the org: should it be deleted meanwhile, nothing is created and the call is rejected.
   */
  createLocations(
    creation: {
      readonly cpo?: CpoRecord;
      readonly locations: readonly LocationRecord[];
      readonly chargers: readonly ChargerRecord[];
    },
    receipt?: Receipt,
  ): Promise<{ readonly taken: string | null }>;
  location(org: string, id: string): Promise<LocationRecord | null>;
  /** All of an org that bear this name, newest first; at most `limit`. */
  locationsByName(org: string, name: string, limit: number): Promise<readonly LocationRecord[]>;
  /** Of one CPO, newest first. */
  listLocations(org: string, cpoId: string, page: number, limit: number): Promise<Page<LocationRecord>>;
  /** Every charger of a location, in the order of their ids. */
  chargersOfLocation(org: string, locationId: string): Promise<readonly ChargerRecord[]>;
  locationProgress(org: string, locationId: string): Promise<ProvisioningProgress>;
  /** False when there is none. Chargers that are still there belong to no location afterwards. */
  deleteLocation(org: string, id: string): Promise<boolean>;

  receipt(org: string, key: string): Promise<Receipt | null>;
  /** Keeps a receipt of something that changed nothing else; rejected with `receipt_taken` as above. */
  keepReceipt(receipt: Receipt): Promise<void>;
  /** Forgets those older than `beforeMs`. */
  forgetReceipts(beforeMs: number): Promise<void>;

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
  interrupt(chargerIds: readonly string[], atMs: number): Promise<readonly EndedCommand[]>;

  command(org: string, id: string): Promise<CommandRecord | null>;
  /** Newest first. */
  listCommands(org: string, filter: CommandFilter, page: number, limit: number): Promise<Page<CommandRecord>>;
  /**
   * Ends commands that wait in vain: as `expired` those accepted before `beforeMs` whose charger is stopped, as `deleted` those
   * whose charger is gone. A few hundred at a time; ask again until there are none.
   */
  expireCommands(beforeMs: number, atMs: number): Promise<readonly EndedCommand[]>;
  /** Forgets commands that ended before `beforeMs`. */
  forgetCommands(beforeMs: number): Promise<void>;

  createWebhook(record: WebhookRecord, receipt?: Receipt): Promise<void>;
  webhook(org: string, id: string): Promise<WebhookRecord | null>;
  /** Newest first. */
  listWebhooks(org: string, page: number, limit: number): Promise<Page<WebhookRecord>>;
  /** False when there is none. */
  deleteWebhook(org: string, id: string): Promise<boolean>;
  /** Every webhook of every org, in the order of their ids. For whoever delivers. */
  webhooks(): Promise<readonly WebhookRecord[]>;
  /** Keeps how far the deliveries have come; does nothing for a webhook that is gone. */
  keepProgress(webhookId: string, progress: WebhookProgress): Promise<void>;

  /** The next `count` numbers of a named counter: `from`, `from + 1` … Never given out twice, whatever happens. Counts from 1. */
  reserveNumbers(name: string, count: number): Promise<number>;

  /** Resolves when the store can be read and written. */
  ping(): Promise<void>;
  /** Writes what is still under way, then closes. */
  close(): Promise<void>;
}
