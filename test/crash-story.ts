// A story of chargers that are kept busy while the gateway, or the process that runs them, is killed again and again.

import { setTimeout as pause } from 'node:timers/promises';
import { type Chance, chanceFrom, draw } from '../src/charger/random.ts';
import type { Recorder } from '../src/csms/recorder.ts';
import { type Client, childrenOf, GatewayProcess, type Json, startCsms, temporaryFolder } from './flows/gateway.ts';

export interface Kill {
  readonly what: 'gateway' | 'fleet';
  readonly atMs: number;
}

/** A command that was answered with 202, for one of its chargers. */
export interface Accepted {
  readonly commandId: string;
  readonly identity: string;
  /** Counts the requests of the story: what it marks its commands with. */
  readonly number: number;
}

/** What the meter of a connector showed to somebody who looked. */
export interface Look {
  readonly identity: string;
  readonly evseId: number;
  readonly energyWh: number;
  /** How many frames the CSMS had heard before. */
  readonly cursor: number;
  /** How many kills there had been before, and there were no more until the answer. */
  readonly life: number;
}

export interface CrashStory {
  readonly identities: readonly string[];
  readonly kills: readonly Kill[];
  readonly accepted: readonly Accepted[];
  /** Of each charger, everything on record in the end, in the order accepted. */
  readonly commands: ReadonlyMap<string, readonly Json[]>;
  /** How commands were when somebody first saw that they had ended. */
  readonly seenEnded: ReadonlyMap<string, Json>;
  /** Of each charger, the commands that its log tells of, in its order. */
  readonly logged: ReadonlyMap<string, readonly string[]>;
  readonly looks: readonly Look[];
  /** What chargers could not do that nothing was in the way of any more. */
  readonly stuck: readonly string[];
  readonly recorder: Recorder;
}

type Next = () => number;

function numbersFrom(...words: readonly (string | number)[]): Next {
  let chance: Chance = chanceFrom(...words);
  return () => {
    const [value, rest] = draw(chance);
    chance = rest;
    return value;
  };
}

const pick = <Item>(items: readonly Item[], value: number): Item => items[Math.floor(value * items.length)] as Item;

interface Planned {
  readonly name: string;
  readonly event: Json;
}

/** How often each comes, and what it is; `number` makes it one of a kind. Sessions, meters and messages come most. */
const repertoire: readonly (readonly [
  weight: number,
  plan: (place: Json, number: number, value: number) => Planned,
])[] = [
  [5, (place, number) => ({ name: 'start-session', event: { ...place, id_tag: `S${number}` } })],
  [3, (place) => ({ name: 'stop-session', event: place })],
  [2, (place) => ({ name: 'plug-connector', event: place })],
  [1, (place) => ({ name: 'unplug-connector', event: place })],
  [2, (place, number) => ({ name: 'authorize', event: { ...place, id_tag: `S${number}` } })],
  [1, (place) => ({ name: 'stop-transaction', event: place })],
  [6, (place, number) => ({ name: 'power-update', event: { ...place, power_w: 100_000 + number } })],
  [8, (_, number) => ({ name: 'proxy-message', event: marker(number) })],
  [1, (place) => ({ name: 'inject-fault', event: { ...place, error_code: 'GroundFailure', duration_s: 0.5 } })],
  [1, (place) => ({ name: 'inject-fault', event: { ...place, error_code: 'WeakSignal' } })],
  [2, (place) => ({ name: 'clear-fault', event: place })],
  [1, (place) => ({ name: 'ev-stops-energy', event: place })],
  [1, (place) => ({ name: 'ev-requests-energy', event: place })],
  [1, (_, __, value) => ({ name: 'set-connectivity', event: { online: false, mode: pick(['close', 'drop'], value) } })],
  [3, () => ({ name: 'set-connectivity', event: { online: true } })],
  [1, () => ({ name: 'power-cycle', event: { off_s: 0 } })],
];
const lots = repertoire.flatMap(([weight, plan]) => Array.from({ length: weight }, () => plan));

const marker = (number: number): Json => ({
  action: 'DataTransfer',
  payload: { vendorId: 'test', data: String(number) },
});

/** The number in a call that the marker made, or null. */
export const markOf = (action: string, payload: Json): number | null =>
  action === 'DataTransfer' ? Number(payload.data) : null;

function planned(next: Next, number: number): Planned {
  const plan = pick(lots, next());
  return plan({ evse_id: pick([1, 2], next()), connector_id: 1 }, number, next());
}

const outlets = { number_of_connectors: 2, connector_type: 'CCS2', max_charging_power: 350_000 };
const versions = ['1.6', '2.0.1', '2.1', '1.6', '2.0.1', '2.1'];
const patienceMs = 60_000;

export async function tellCrashStory(seed: number, kills: number): Promise<CrashStory> {
  const folder = temporaryFolder();
  const delay = numbersFrom(seed, 'answers');
  // The CSMS takes its time, so that a kill finds calls under way; then it answers as usual.
  const slowly = async () => void (await pause(delay() * 25));
  const answers = {
    Authorize: slowly,
    DataTransfer: slowly,
    StartTransaction: slowly,
    StopTransaction: slowly,
    MeterValues: slowly,
    TransactionEvent: slowly,
  };
  const csms = await startCsms({ answers });
  const gateway = new GatewayProcess(folder.path, { LOG_MAX_ENTRIES: '1000000' });
  try {
    const teller = new Teller(gateway, csms.recorder, csms.url, numbersFrom(seed, 'story'));
    await teller.prepare();
    for (let round = 0; round < kills; round++) await teller.untilNextKill();
    await teller.settle();
    return await teller.readEverything();
  } finally {
    await gateway.end('SIGKILL');
    await csms.close();
    folder.remove();
  }
}

class Teller {
  readonly #gateway: GatewayProcess;
  readonly #recorder: Recorder;
  readonly #csmsUrl: string;
  readonly #next: Next;
  readonly #chargers: { readonly id: string; readonly identity: string }[] = [];
  readonly #kills: Kill[] = [];
  readonly #accepted: Accepted[] = [];
  readonly #seenEnded = new Map<string, Json>();
  readonly #looks: Look[] = [];
  readonly #stuck: string[] = [];
  #client!: Client;
  #locationId = '';
  #number = 0;

  constructor(gateway: GatewayProcess, recorder: Recorder, csmsUrl: string, next: Next) {
    this.#gateway = gateway;
    this.#recorder = recorder;
    this.#csmsUrl = csmsUrl;
    this.#next = next;
  }

  async prepare(): Promise<void> {
    this.#client = await (await this.#gateway.start()).client();
    const ws_url = this.#csmsUrl;
    const cpo = { name: 'Sun', country_code: 'NL', party_id: 'SUN' };
    const { id } = (await this.#client.fetch('POST', '/ocpi/cpos', cpo)).body;
    const site = { template: 'home-duo', identity_prefix: 'HOME', ws_url };
    const { body } = await this.#client.fetch('POST', `/ocpi/cpos/${id}/locations`, site);
    this.#locationId = body.location.id;
    for (const [index, ocpp_version] of versions.entries()) {
      // All but the last: it shows that commands for the location are not for everybody.
      const location = index < versions.length - 1 ? { location_id: this.#locationId } : {};
      const charger = { identity: `CP-${index + 1}`, ws_url, ocpp_version, ...outlets, ...location };
      this.#chargers.push(await this.#client.create(charger));
    }
    const there = await this.#client.get(`/ocpp/locations/${this.#locationId}/chargers`);
    this.#chargers.push(...there.data.filter(({ identity }: Json) => identity.startsWith('HOME')));
    for (const { id: chargerId, identity } of this.#chargers) {
      await this.#client.untilConnected(identity);
      const { ocpp_version } = await this.#client.live(identity);
      const setting =
        ocpp_version === '1.6'
          ? { key: 'MeterValueSampleInterval', value: '1' }
          : { component: 'SampledDataCtrlr', variable: 'TxUpdatedInterval', value: '1' };
      const ended = await this.#client.command(chargerId, 'set-configuration', setting);
      if (ended.status !== 'succeeded') throw new Error(JSON.stringify(ended));
    }
  }

  /** Commands for a while, then a kill while some more are on their way. */
  async untilNextKill(): Promise<void> {
    // Some kills come before everybody is back from the last one.
    const isBack = this.#next() < 0.7;
    if (isBack) await this.#untilBack();
    for (let left = 3 + Math.floor(this.#next() * 15); left > 0; left--) {
      if (this.#next() < 0.15) await this.#sendToLocation();
      else await this.#send(pick(this.#chargers, this.#next()));
      if (isBack && this.#next() < 0.3) await this.#look(pick(this.#chargers, this.#next()).identity);
      await pause(this.#next() * 20);
    }
    // One each at most: of a charger's commands only the order of answers tells which was first.
    const last = this.#chargers.filter(() => this.#next() < 0.6).map((charger) => this.#send(charger));
    await pause(this.#next() * this.#next() * 60);
    await this.#kill(this.#next() < 0.5 ? 'gateway' : 'fleet');
    await Promise.all(last);
  }

  /** Everything is put right by commands, and waited for. */
  async settle(): Promise<void> {
    await this.#untilBack();
    const orders: readonly Planned[] = [
      { name: 'set-connectivity', event: { online: true } },
      ...[1, 2].flatMap((evse_id) =>
        ['clear-fault', 'stop-session', 'unplug-connector'].map((name) => ({ name, event: { evse_id } })),
      ),
    ];
    for (const { id, identity } of this.#chargers) {
      for (const order of orders) await this.#order({ charger_id: id }, order, ++this.#number);
      const isBack = async () => (await this.#client.live(identity)).boot.status === 'Accepted';
      await this.#client.until(`${identity} is back`, isBack, patienceMs);
    }
    for (const { id, identity } of this.#chargers) {
      await this.#client.command(id, 'proxy-message', marker(++this.#number));
      await this.#client.until(
        `${identity} has nothing more to say`,
        async () => (await this.#client.live(identity)).queued_messages === 0,
        patienceMs,
      );
    }
    // Those too that were accepted without their client hearing of it.
    await this.#client.until('all commands have ended', () => this.#allEnded(), patienceMs);
    for (const { id, identity } of this.#chargers) {
      for (const name of ['start-session', 'stop-session']) {
        const event = name === 'start-session' ? { id_tag: 'LAST' } : {};
        let ended = await this.#client.command(id, name, event);
        if (ended.error_code === 'transaction_active') {
          // A tag of before was still waiting for this car: its session goes first.
          await this.#client.command(id, 'stop-session');
          ended = await this.#client.command(id, name, event);
        }
        if (ended.status !== 'succeeded') this.#stuck.push(`${identity}: ${name}: ${JSON.stringify(ended)}`);
      }
    }
  }

  async readEverything(): Promise<CrashStory> {
    const commands = new Map<string, readonly Json[]>();
    const logged = new Map<string, readonly string[]>();
    for (const { id, identity } of this.#chargers) {
      commands.set(identity, await this.#commandsOf(id));
      logged.set(identity, await this.#logOf(identity));
    }
    return {
      identities: this.#chargers.map(({ identity }) => identity),
      kills: this.#kills,
      accepted: this.#accepted,
      commands,
      seenEnded: this.#seenEnded,
      logged,
      looks: this.#looks,
      stuck: this.#stuck,
      recorder: this.#recorder,
    };
  }

  #send({ id }: { readonly id: string }): Promise<void> {
    const number = ++this.#number;
    return this.#order({ charger_id: id }, planned(this.#next, number), number);
  }

  #sendToLocation(): Promise<void> {
    const number = ++this.#number;
    return this.#order({ location_id: this.#locationId }, planned(this.#next, number), number);
  }

  /** A request that is not answered may or may not have been accepted; one that is, is on record. */
  async #order(target: Json, { name, event }: Planned, number: number): Promise<void> {
    const answer = await this.#client.fetch('POST', `/ocpp/commands/${name}`, { target, event }).catch(() => null);
    if (answer === null) return;
    if (answer.status !== 202) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    for (const { identity, command } of answer.body.results) {
      this.#accepted.push({ commandId: command.id, identity, number });
    }
  }

  async #look(identity: string): Promise<void> {
    const [cursor, life] = [this.#recorder.cursor(), this.#kills.length];
    const live = await this.#client.live(identity).catch(() => null);
    for (const { evse_id: evseId, energy_wh: energyWh } of live?.connectors ?? []) {
      if (energyWh !== null) this.#looks.push({ identity, evseId, energyWh, cursor, life });
    }
  }

  async #kill(wanted: Kill['what']): Promise<void> {
    const [fleet] = wanted === 'fleet' ? childrenOf(this.#gateway.pid) : [];
    if (fleet !== undefined) {
      process.kill(fleet, 'SIGKILL');
      this.#kills.push({ what: 'fleet', atMs: Date.now() });
      return;
    }
    const ended = this.#gateway.end('SIGKILL');
    this.#kills.push({ what: 'gateway', atMs: Date.now() });
    await ended;
    this.#client = await (await this.#gateway.start()).client();
  }

  /** Somebody sees a few commands end, on a charger that is back. */
  async #untilBack(): Promise<void> {
    const { id } = pick(this.#chargers, this.#next());
    await this.#client.command(id, 'set-connectivity', { online: true });
    const { data } = await this.#client.get(`/ocpp/commands?charger_id=${id}&limit=50`);
    for (const command of data) {
      if (command.finished_at !== null && !this.#seenEnded.has(command.id)) this.#seenEnded.set(command.id, command);
    }
  }

  async #allEnded(): Promise<boolean> {
    for (const status of ['queued', 'running']) {
      if ((await this.#client.get(`/ocpp/commands?limit=1&status=${status}`)).total > 0) return false;
    }
    return true;
  }

  async #commandsOf(chargerId: string): Promise<readonly Json[]> {
    const found: Json[] = [];
    for (let page = 1; ; page++) {
      const { data } = await this.#client.get(`/ocpp/commands?charger_id=${chargerId}&limit=100&page=${page}`);
      found.push(...data);
      if (data.length === 0) return found.reverse();
    }
  }

  async #logOf(identity: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { data, next_cursor } = await this.#client.get(`/ocpp/simulators/${identity}/logs?limit=100${from}`);
      found.push(...data.filter(({ kind }: Json) => kind === 'command').map(({ command_id }: Json) => command_id));
      if (next_cursor === null) return found.reverse();
      cursor = next_cursor;
    }
  }
}
