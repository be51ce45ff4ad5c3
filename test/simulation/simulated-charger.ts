// One charger of a simulated location: its conversation, its CSMS's books on it, and what must hold at every moment.

import { liveCharger } from '../../src/charger/live.ts';
import { connectorKind, type Station } from '../../src/charger/station.ts';
import { type Payload, Talk, type Version } from '../talk.ts';
import type { Dice } from './dice.ts';
import { ChargerBook, type LocationCsms } from './location-csms.ts';

/** The kinds of chargers that stand at a location. */
const kinds = [
  { type: 'Type2', maxPowerW: 22_000, stationW: 22_000, count: 2, hasLock: true },
  { type: 'Type2', maxPowerW: 22_000, stationW: 44_000, count: 2, hasLock: true },
  { type: 'Type2', maxPowerW: 11_000, stationW: 11_000, count: 1, hasLock: true },
  { type: 'Type2', maxPowerW: 7_400, stationW: 7_400, count: 1, hasLock: false },
  { type: 'CCS2', maxPowerW: 150_000, stationW: 200_000, count: 2, hasLock: false },
] as const;

export class SimulatedCharger {
  readonly talk: Talk;
  readonly book: ChargerBook;
  readonly #dice: Dice;
  #asked = 0;

  static async build(version: Version, number: number, dice: Dice, csms: LocationCsms): Promise<SimulatedCharger> {
    const kind = dice.pick(kinds);
    const connectors = Array.from({ length: kind.count }, (_, index) => ({
      evseId: index + 1,
      connectorId: 1,
      type: kind.type,
      ...connectorKind(kind.type, kind.maxPowerW),
      hasLock: kind.hasLock,
      maxPowerW: kind.maxPowerW,
    }));
    const station: Partial<Station> = { identity: `SIM-${number}`, connectors, maxPowerW: kind.stationW };
    return new SimulatedCharger(await Talk.with(version, { station, seed: dice.whole(1, 1e9) }), dice, csms);
  }

  private constructor(talk: Talk, dice: Dice, csms: LocationCsms) {
    this.talk = talk;
    this.#dice = dice;
    const { connectors, maxPowerW } = talk.conversation.charger.station;
    const ratingW = (connectorId: number): number => connectors[connectorId - 1]?.maxPowerW ?? maxPowerW;
    this.book = new ChargerBook(csms, dice, () => talk.nowMs, ratingW);
    // A few have a CSMS whose clock is wrong.
    if (dice.isLucky(0.06)) this.book.offsetMs = dice.pick([-3_600_000, 7_200_000]);
    talk.answers = this.book.answers;
    talk.connect();
    // Most are read less often than once a minute.
    const interval =
      talk.dialect.version === '1.6'
        ? { key: 'MeterValueSampleInterval' }
        : { component: 'SampledDataCtrlr', variable: 'TxUpdatedInterval' };
    if (dice.isLucky(0.8)) talk.command('set-configuration', { ...interval, value: '300' });
  }

  get connectorCount(): number {
    return this.talk.conversation.charger.connectors.length;
  }

  get isConnected(): boolean {
    return this.talk.conversation.line.state === 'connected';
  }

  /** Time passes; lines that are dialled are taken up, errands are run. */
  passUntil(untilMs: number): void {
    while (this.talk.nowMs < untilMs) {
      const restS = (untilMs - this.talk.nowMs) / 1000;
      this.talk.pass(this.isConnected ? restS : Math.min(60, restS));
      if (this.talk.dialled) {
        if (this.#dice.isLucky(0.8)) this.talk.reconnect();
        else this.talk.cut(1006, 'nobody is there');
      }
    }
    for (const act of this.talk.errands.splice(0)) {
      const trouble = this.#dice.isLucky(0.2) ? 'failed' : null;
      this.talk.bring({ trouble, isSigned: null }, act);
    }
  }

  /** Whether it is refused does not matter. */
  command(name: string, event: Payload): void {
    this.talk.command(name, event);
  }

  breakLine(): void {
    if (this.isConnected) this.talk.cut();
  }

  /** Null where nobody hears it, or it is answered with an error. */
  ask(action: string, payload: Payload): Payload | null {
    if (!this.isConnected) return null;
    const { replies } = this.talk;
    const before = replies.length;
    this.talk.receive(JSON.stringify([2, `csms-${++this.#asked}`, action, payload]));
    const reply = replies.slice(before).find(([, id]) => id === `csms-${this.#asked}`);
    if (reply === undefined) throw new Error(`${action} is not answered`);
    return reply[0] === 3 ? (reply[2] as Payload) : null;
  }

  /** Of any shape. Direct current is limited in watts: what an ampere of it is, only the charger knows. */
  profile(dice: Dice, purpose: string): Payload {
    const isDirect = this.talk.conversation.charger.station.connectors.some(({ current }) => current === 'DC');
    const unit = isDirect || dice.isLucky(0.4) ? 'W' : 'A';
    const limits = unit === 'A' ? [0, 5, 6, 10.5, 16, 32] : [0, 1_000, 4_200, 7_000, 15_000, 60_000];
    const kind = dice.pick(['Absolute', 'Absolute', 'Recurring', 'Relative']);
    const isRelative = kind === 'Relative' && purpose !== 'ChargePointMaxProfile';
    const changes = Array.from({ length: dice.whole(0, 3) }, (_, index) => (index + 1) * dice.whole(100, 2_000));
    const starts = [...new Set([0, ...changes])].sort((one, other) => one - other);
    return {
      chargingProfileId: dice.whole(1, 8),
      stackLevel: dice.whole(0, 2),
      chargingProfilePurpose: purpose,
      chargingProfileKind: isRelative ? kind : kind === 'Recurring' ? kind : 'Absolute',
      ...(kind === 'Recurring' ? { recurrencyKind: 'Daily' } : {}),
      ...(dice.isLucky(0.2) ? { validTo: this.book.time(dice.whole(60, 7_200)) } : {}),
      chargingSchedule: {
        ...(isRelative ? {} : { startSchedule: this.book.time(dice.whole(-3_600, 600)) }),
        ...(dice.isLucky(0.5) ? { duration: dice.whole(60, 20_000) } : {}),
        chargingRateUnit: unit,
        chargingSchedulePeriod: starts.map((startPeriod) => ({ startPeriod, limit: dice.pick(limits) })),
      },
    };
  }

  setProfile(dice: Dice): void {
    const purpose = dice.pick(['ChargePointMaxProfile', 'TxDefaultProfile', 'TxDefaultProfile', 'TxProfile']);
    const connectorId = purpose === 'ChargePointMaxProfile' ? 0 : dice.whole(0, this.connectorCount);
    const profile = this.profile(dice, purpose);
    const answer = this.ask('SetChargingProfile', { connectorId, csChargingProfiles: profile });
    if (answer?.['status'] === 'Accepted') this.book.hasProfiles = true;
  }

  /** What does not hold right now. */
  problems(): string[] {
    const { talk, book } = this;
    const { charger, outbox } = talk.conversation;
    const live = liveCharger(charger, talk.nowMs);
    const found = book.problems.splice(0);
    const powerW = live.connectors.reduce((sum, connector) => sum + connector.powerW, 0);
    if (powerW > charger.station.maxPowerW + live.connectors.length) {
      found.push(`the station draws ${powerW} W of ${charger.station.maxPowerW} W`);
    }
    const isTold = outbox.queue.length === 0 && outbox.inFlight === null;
    live.connectors.forEach(({ energyWh, transaction, status }, index) => {
      const told = book.registers.get(index + 1);
      const started = book.running.get(index + 1)?.startWh;
      if (told !== undefined && energyWh < told)
        found.push(`connector ${index + 1} shows ${energyWh} Wh, told ${told} Wh`);
      if (transaction === null && isTold && told !== undefined && energyWh !== told) {
        found.push(`idle connector ${index + 1} shows ${energyWh} Wh, and told ${told} Wh`);
      }
      if (
        transaction !== null &&
        isTold &&
        started != null &&
        Math.abs(energyWh - started - transaction.energyWh) > 1
      ) {
        found.push(`connector ${index + 1} took ${energyWh - started} Wh, its transaction ${transaction.energyWh} Wh`);
      }
      if (transaction === null && status === 'Charging') found.push(`connector ${index + 1} charges nobody`);
    });
    return found;
  }

  /** What was said is not needed any more. */
  forget(): void {
    const { calls, texts, replies, outcomes, events, calledOff } = this.talk;
    for (const list of [calls, texts, replies, outcomes, events, calledOff]) list.length = 0;
  }
}
