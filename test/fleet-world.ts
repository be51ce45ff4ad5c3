// A fleet in a test: its store as a list of commits, a CSMS that accepts everything, a clock that stands still.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { VirtualClock } from '../src/adapters/clock/virtual.ts';
import { MemoryFiles } from '../src/adapters/files/memory.ts';
import { MemoryJournal } from '../src/adapters/journal/memory.ts';
import { NodeKeys } from '../src/adapters/keys/node.ts';
import { LoopbackLink, type LoopbackPeer } from '../src/adapters/link/loopback.ts';
import { Fleet } from '../src/fleet/fleet.ts';
import type { FleetProblem } from '../src/fleet/host.ts';
import type { Delivery } from '../src/fleet/member.ts';
import { loadDialect } from '../src/ocpp/dialects.ts';
import type { NewFleetEvent } from '../src/ports/feed.ts';
import type { QueuedCommand } from '../src/ports/queue.ts';
import type { ChargerRecord, Commit } from '../src/ports/store.ts';
import { newProvisioning } from '../src/provisioning/provisioning.ts';

const startMs = Date.UTC(2026, 0, 31, 12);

export function record(identity: string): ChargerRecord {
  return {
    id: `id-${identity}`,
    org: 'demo',
    identity,
    name: null,
    vendorName: null,
    model: null,
    ocppVersion: '1.6',
    layout: [{ evseId: 1, connectorId: 1, type: 'Type2', format: 'SOCKET', maxPowerW: 22_000 }],
    connectorType: 'Type2',
    maxChargingPowerW: 22_000,
    locationId: null,
    wsUrl: null,
    modelId: null,
    security: null,
    features: [],
    seed: 1,
    desired: 'running',
    generation: 1,
    provisioning: newProvisioning(startMs),
    createdAtMs: startMs,
    updatedAtMs: startMs,
  };
}

/** A fleet, its store as a list of commits, and a CSMS that accepts everything. */
export class World {
  readonly clock = new VirtualClock(startMs);
  readonly journal = new MemoryJournal({ clock: this.clock });
  readonly files = new MemoryFiles();
  readonly commits: Commit[] = [];
  readonly events: NewFleetEvent[] = [];
  readonly problems: FleetProblem[] = [];
  readonly lost: string[] = [];
  /** Chargers whose commits fail. */
  readonly unkeepable = new Set<string>();
  /** Chargers that another process owns: their commits are left out. */
  readonly fenced = new Set<string>();
  readonly actions: string[] = [];
  /** What chargers answered. */
  readonly replies: unknown[][] = [];
  readonly peers: LoopbackPeer[] = [];
  /** Set to hold every commit back until it is called. */
  hold: Promise<void> | null = null;
  csms: 'up' | 'down' | 'silent' = 'up';
  readonly fleet = new Fleet({
    clock: this.clock,
    journal: this.journal,
    link: new LoopbackLink((_request, peer) => this.#accept(peer)),
    loadDialect,
    errands: { files: async () => this.files, keys: async () => new NodeKeys() },
    host: {
      commit: async (commits, events = []) => {
        await this.hold;
        if (commits.some((commit) => this.unkeepable.has(commit.chargerId))) throw new Error('it cannot be kept');
        this.commits.push(...commits.filter(({ chargerId }) => !this.fenced.has(chargerId)));
        this.events.push(...events.filter(({ chargerId }) => !this.fenced.has(chargerId)));
        return commits.flatMap(({ chargerId }) => (this.fenced.has(chargerId) ? [chargerId] : []));
      },
      publish: (events) => this.events.push(...events),
      lost: (chargerIds) => this.lost.push(...chargerIds),
      complain: (problem) => this.problems.push(problem),
    },
  });

  async run(...deliveries: readonly Delivery[]): Promise<void> {
    this.fleet.deliver(deliveries);
    await this.settle();
  }

  /** The CSMS asks the charger that connected last. */
  async ask(action: string, payload: object): Promise<unknown> {
    this.peers.at(-1)?.send(JSON.stringify([2, `csms-${this.replies.length}`, action, payload]));
    await this.settle();
    return this.replies.at(-1)?.[2];
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 30; turn++) await nextTurn();
  }

  get outcomes() {
    return this.commits.flatMap((commit) => commit.outcomes ?? []);
  }

  memoryOf(chargerId: string): string | null {
    return (
      this.commits.findLast((commit) => commit.chargerId === chargerId && commit.memory !== undefined)?.memory ?? null
    );
  }

  #accept(peer: LoopbackPeer) {
    if (this.csms === 'down') return { refuse: 'connection refused' };
    this.peers.push(peer);
    peer.onMessage = (text) => {
      const [type, id, action] = JSON.parse(text) as [number, string, string];
      if (type !== 2) {
        this.replies.push(JSON.parse(text));
        return;
      }
      this.actions.push(action);
      if (this.csms === 'silent') return;
      const currentTime = new Date(this.clock.nowMs()).toISOString();
      const answers: Record<string, object> = {
        BootNotification: { status: 'Accepted', currentTime, interval: 300 },
        Authorize: { idTagInfo: { status: 'Accepted' } },
        SignCertificate: { status: 'Accepted' },
        StartTransaction: { transactionId: 1, idTagInfo: { status: 'Accepted' } },
        Heartbeat: { currentTime },
      };
      peer.send(JSON.stringify([3, id, answers[action] ?? {}]));
    };
    return { protocol: 'ocpp1.6' };
  }
}

export const member = (
  identity: string,
  memory: string | null = null,
  changes: Partial<ChargerRecord> = {},
  pending: readonly Delivery[] = [],
): Delivery => ({
  kind: 'member',
  member: { record: { ...record(identity), ...changes }, memory },
  url: `ws://csms/${identity}`,
  pending: pending.flatMap((each) => (each.kind === 'command' ? [each.command] : [])),
});

let commandNumber = 0;
export const command = (identity: string, eventType: string, payload: QueuedCommand['payload'] = {}): Delivery => ({
  kind: 'command',
  command: {
    id: `command-${++commandNumber}`,
    org: 'demo',
    chargerId: `id-${identity}`,
    identity,
    ocppVersion: '1.6',
    eventType,
    payload,
    acceptedAtMs: startMs,
  },
});
