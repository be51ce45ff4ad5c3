// One trial: a fleet, steps taken with it through the HTTP front, and what the model says of each.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FleetEvent } from '../../src/ports/feed.ts';
import type { ChargerRecord, OcppVersion } from '../../src/ports/store.ts';
import { cpoRecord, locationRecord } from '../contracts/store-samples.ts';
import { record } from '../fleet-world.ts';
import type { Json } from '../flows/gateway.ts';
import type { House } from './house.ts';
import { idle, type Outlet, rebooted, rules } from './model.ts';

/** Locations that there are. */
export const places = [0, 1] as const;
type Place = (typeof places)[number];

export interface ChargerPlan {
  readonly version: OcppVersion;
  readonly outlets: number;
  /** Null: in no location. */
  readonly place: Place | null;
}

/** Chargers are named by their index, counted around. */
export type Target =
  | { readonly kind: 'one'; readonly index: number }
  | { readonly kind: 'all'; readonly place: Place }
  | { readonly kind: 'some'; readonly place: Place; readonly indices: readonly number[] };

export type Step =
  | { readonly kind: 'command'; readonly name: string; readonly outlet: number; readonly target: Target }
  | { readonly kind: 'runtime'; readonly control: 'start' | 'stop' | 'restart'; readonly index: number }
  | { readonly kind: 'delete'; readonly index: number }
  | { readonly kind: 'time'; readonly seconds: number }
  | { readonly kind: 'settle' };

interface Charger {
  readonly record: ChargerRecord;
  readonly place: Place | null;
  outlets: readonly Outlet[];
  state: 'running' | 'stopped' | 'deleted';
  /** Commands that may not have ended yet. */
  readonly underWay: Set<Sent>;
  /** The model does not know how it is. */
  unknown: boolean;
}

interface Sent {
  readonly commandId: string;
  readonly charger: Charger;
  /** Null: the model does not know. */
  expected: 'succeeded' | 'failed' | null;
  /** What the CSMS shall hear. */
  readonly mark: string | null;
}

let trials = 0;

export async function tryOut(
  house: House,
  lagTurns: number,
  fleet: readonly ChargerPlan[],
  steps: readonly Step[],
): Promise<void> {
  house.lines.lagTurns = lagTurns;
  await house.front.newTenant();
  house.recorder.clear();
  const trial = new Trial(house, ++trials, fleet);
  await trial.deploy();
  try {
    for (const step of steps) await trial.take(step);
    await trial.startAll();
    await trial.compare();
    await trial.judge();
  } finally {
    await trial.deleteAll();
  }
}

class Trial {
  readonly #house: House;
  readonly #number: number;
  readonly #chargers: readonly Charger[];
  readonly #sent: Sent[] = [];
  #marks = 0;
  #since = '';

  constructor(house: House, number: number, fleet: readonly ChargerPlan[]) {
    this.#house = house;
    this.#number = number;
    this.#chargers = fleet.map((plan, index) => ({
      record: this.#recordOf(plan, index),
      place: plan.place,
      outlets: Array.from({ length: plan.outlets }, () => idle),
      state: 'running',
      underWay: new Set(),
      unknown: false,
    }));
  }

  async deploy(): Promise<void> {
    const { store, queue, feed, front } = this.#house;
    this.#since = await feed.newest();
    const cpo = cpoRecord(this.#number, { org: front.org });
    const locations = places.map((place) =>
      locationRecord(0, { id: this.#locationId(place), org: front.org, cpoId: cpo.id }),
    );
    const chargers = this.#chargers.map((charger) => charger.record);
    await store.createLocations({ cpo, locations, chargers });
    await queue.refresh(chargers.map(({ id }) => id));
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'command':
        return this.#command(step);
      case 'runtime':
        return this.#control(this.#at(step.index), step.control);
      case 'delete':
        return this.#delete(this.#at(step.index));
      case 'time':
        this.#house.clock.advance(step.seconds * 1000);
        await nextTurn();
        return;
      case 'settle':
        return this.compare();
    }
  }

  async startAll(): Promise<void> {
    for (const charger of this.#chargers) if (charger.state === 'stopped') await this.#control(charger, 'start');
  }

  /** The chargers are as the model says. */
  async compare(): Promise<void> {
    await this.#house.settle();
    for (const charger of this.#chargers) {
      // What a stopped charger has not done yet waits for it.
      if (charger.state !== 'running') continue;
      charger.underWay.clear();
      const { status, body } = await this.#house.front.call('GET', `/ocpp/simulators/${charger.record.identity}`);
      expect(status).toBe(200);
      const outlets = body.connectors.map(({ plugged, transaction, status: shown }: Json) => ({
        plugged,
        session: transaction !== null,
        faulted: shown === 'Faulted',
      }));
      if (charger.unknown) charger.outlets = outlets;
      else expect({ [charger.record.identity]: outlets }).toEqual({ [charger.record.identity]: charger.outlets });
      charger.unknown = false;
    }
  }

  /** Each command has ended once, in order, as the model says; nobody has done anything else. */
  async judge(): Promise<void> {
    const { store, front, recorder, problems } = this.#house;
    const ends = Map.groupBy(await this.#events(), ({ data }) => data['command_id']);
    const said = new Map<Charger, string[]>(this.#chargers.map((charger) => [charger, []]));
    const began = new Map<Charger, number>();
    const marksOf = (charger: Charger): unknown[] =>
      recorder.calls(charger.record.identity, 'DataTransfer').map(({ payload }) => payload['data']);
    for (const { commandId, charger, expected, mark } of this.#sent) {
      const command = await store.command(front.org, commandId);
      expect(command).not.toBeNull();
      if (command === null) continue;
      expect(['succeeded', 'failed']).toContain(command.status);
      if (expected !== null) expect(command).toMatchObject({ status: expected });
      expect(ends.get(commandId)?.map(({ type }) => type)).toEqual([`command.${command.status}`]);
      const wasHeard = mark !== null && marksOf(charger).includes(mark);
      // The answer to what has been said may still have been lost.
      if (mark !== null && (command.status === 'succeeded' || (wasHeard && command.errorCode === 'csms_error')))
        said.get(charger)?.push(mark);
      // What was never begun has no beginning.
      if (command.startedAtMs === null) continue;
      expect(command.startedAtMs).toBeGreaterThanOrEqual(began.get(charger) ?? 0);
      began.set(charger, command.startedAtMs);
    }
    for (const [charger, marks] of said) expect(marksOf(charger)).toEqual(marks);
    for (const [charger, own] of Map.groupBy(this.#sent, (sent) => sent.charger)) {
      const { items, total } = await store.listCommands(front.org, { chargerId: charger.record.id }, 1, 1_000);
      expect(total).toBe(own.length);
      expect(items.map(({ id }) => id).reverse()).toEqual(own.map(({ commandId }) => commandId));
    }
    expect(recorder.violations()).toEqual([]);
    expect(problems).toEqual([]);
  }

  async deleteAll(): Promise<void> {
    for (const charger of this.#chargers) if (charger.state !== 'deleted') await this.#delete(charger);
  }

  async #command({ name, outlet, target }: Extract<Step, { kind: 'command' }>): Promise<void> {
    const mark = name === 'proxy-message' ? String(++this.#marks) : null;
    const place = { evse_id: outlet, connector_id: 1 };
    const event =
      mark === null
        ? { ...place, ...rules[name]?.event }
        : { action: 'DataTransfer', payload: { vendorId: 'test', data: mark } };
    const { body: answer, status } = await this.#house.front.call('POST', `/ocpp/commands/${name}`, {
      body: { target: this.#targetOf(target), event },
    });
    if (target.kind === 'one' && this.#at(target.index).state === 'deleted') {
      expect(status).toBe(404);
      return;
    }
    expect(status).toBe(202);
    const { targeted, strangers } = this.#targeted(target);
    const [able, unable] = halves(
      targeted,
      ({ state, outlets }) => state === 'running' && (mark !== null || outlet <= outlets.length),
    );
    expect(answer.results.map(({ identity }: Json) => identity).sort()).toEqual(identitiesOf(able));
    expect(answer.failed.map(({ identity }: Json) => String(identity)).sort()).toEqual(
      [...identitiesOf(unable), ...strangers].sort(),
    );
    expect(answer.queued_count).toBe(answer.results.length);
    expect(answer.failed_count).toBe(answer.failed.length);
    expect(answer.targeted_count).toBe(answer.queued_count + answer.failed_count);
    for (const { identity, command } of answer.results) {
      const charger = able.find((each) => each.record.identity === identity) as Charger;
      const expected = mark === null ? this.#apply(charger, name, outlet - 1) : 'succeeded';
      const sent = { commandId: command.id, charger, expected: charger.unknown ? null : expected, mark };
      charger.underWay.add(sent);
      this.#sent.push(sent);
    }
  }

  #apply(charger: Charger, name: string, outlet: number): 'succeeded' | 'failed' {
    const after = rules[name]?.after(charger.outlets[outlet] ?? idle) ?? null;
    if (after === null) return 'failed';
    charger.outlets = charger.outlets.with(outlet, after);
    return 'succeeded';
  }

  async #control(charger: Charger, control: 'start' | 'stop' | 'restart'): Promise<void> {
    const { identity } = charger.record;
    const { status } = await this.#house.front.call('POST', `/ocpp/simulators/${identity}/${control}`);
    if (charger.state === 'deleted') {
      expect(status).toBe(404);
      return;
    }
    expect(status).toBe(202);
    const desired = control === 'stop' ? 'stopped' : 'running';
    if (control !== 'restart' && charger.state === desired) return;
    charger.state = desired;
    this.#disturb(charger);
    charger.outlets = charger.outlets.map(rebooted);
  }

  async #delete(charger: Charger): Promise<void> {
    const { status } = await this.#house.front.call('DELETE', `/ocpp/chargers/${charger.record.id}`);
    expect(status).toBe(charger.state === 'deleted' ? 404 : 204);
    charger.state = 'deleted';
    this.#disturb(charger);
  }

  /** Of what is under way nobody can say how it ends. */
  #disturb(charger: Charger): void {
    charger.unknown ||= charger.underWay.size > 0;
    for (const sent of charger.underWay) sent.expected = null;
  }

  #targetOf(target: Target): Json {
    switch (target.kind) {
      case 'one':
        return { charger_id: this.#at(target.index).record.id };
      case 'all':
        return { location_id: this.#locationId(target.place) };
      case 'some': {
        const ids = target.indices.map((index) => this.#at(index).record.id);
        return { location_id: this.#locationId(target.place), charger_ids: ids };
      }
    }
  }

  /** Those that are meant and could take it, and what the answer calls those that could not. */
  #targeted(target: Target): { readonly targeted: readonly Charger[]; readonly strangers: readonly string[] } {
    if (target.kind === 'one') return { targeted: [this.#at(target.index)], strangers: [] };
    const named =
      target.kind === 'all'
        ? this.#chargers.filter(({ place, state }) => place === target.place && state !== 'deleted')
        : [...new Set(target.indices.map((index) => this.#at(index)))];
    const [there, elsewhere] = halves(named, ({ place, state }) => place === target.place && state !== 'deleted');
    const strangers = elsewhere.map(({ record, state }) => (state === 'deleted' ? 'null' : record.identity));
    return { targeted: there, strangers };
  }

  async #events(): Promise<FleetEvent[]> {
    const found: FleetEvent[] = [];
    for (let after = this.#since; ; after = found.at(-1)?.id ?? after) {
      const { events } = await this.#house.feed.read(after, 1_000);
      if (events.length === 0) return found;
      found.push(...events);
    }
  }

  #at(index: number): Charger {
    return this.#chargers[index % this.#chargers.length] as Charger;
  }

  #locationId(place: Place): string {
    return `location-${this.#number}-${place}`;
  }

  #recordOf({ version, outlets, place }: ChargerPlan, index: number): ChargerRecord {
    const outlet = { connectorId: 1, type: 'IEC_62196_T2', format: 'SOCKET', maxPowerW: 22_000 } as const;
    const nowMs = this.#house.clock.nowMs();
    return {
      ...record(`T${this.#number}-${index}`),
      org: this.#house.front.org,
      ocppVersion: version,
      layout: Array.from({ length: outlets }, (_, number) => ({ ...outlet, evseId: number + 1 })),
      locationId: place === null ? null : this.#locationId(place),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
  }
}

const identitiesOf = (chargers: readonly Charger[]): string[] =>
  chargers.map(({ record: { identity } }) => identity).sort();

function halves<Item>(items: readonly Item[], belongs: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}
