// The CSMS of a simulated location: answers with chance from the seed, keeps books on energy, and says what does not add up.

import type { Answers, Payload } from '../talk.ts';
import type { Dice } from './dice.ts';

const registerName = 'Energy.Active.Import.Register';

/** What the CSMS thinks of a tag, by the beginning of its name. */
const opinions: Readonly<Record<string, string>> = {
  GOOD: 'Accepted',
  BLOCK: 'Blocked',
  OLD: 'Expired',
  ODD: 'Invalid',
};

export const tags: readonly string[] = [
  ...Array.from({ length: 40 }, (_, index) => `GOOD-${index}`),
  'BLOCK-1',
  'BLOCK-2',
  'OLD-1',
  'ODD-1',
  'ODD-2',
];

export interface Transaction {
  readonly id: number | string;
  readonly connectorId: number;
  readonly tag: string;
  readonly startedMs: number;
  readonly startWh: number | null;
}

/** Numbers, and who charges where: what all chargers of the location share. */
export class LocationCsms {
  readonly #running = new Map<string, number>();
  #transactionId = 0;

  nextTransactionId(): number {
    return ++this.#transactionId;
  }

  charges(tag: string, by: 1 | -1): void {
    this.#running.set(tag, (this.#running.get(tag) ?? 0) + by);
  }

  opinionOf(tag: string, isStart: boolean): Payload {
    const status = opinions[tag.split('-')[0] ?? ''] ?? 'Invalid';
    const isElsewhere = isStart && status === 'Accepted' && (this.#running.get(tag) ?? 0) > 2;
    const parentIdTag = tag.endsWith('7') ? { parentIdTag: 'FAMILY' } : {};
    return { status: isElsewhere ? 'ConcurrentTx' : status, ...parentIdTag };
  }
}

/** What the CSMS knows of one charger. */
export class ChargerBook {
  readonly running = new Map<number, Transaction>();
  /** Profiles may change what flows at any moment. */
  hasProfiles = false;
  /** What each connector's register was last told to show. */
  readonly registers = new Map<number, number>();
  /** How often the CSMS does not answer, or answers badly. */
  trouble = 0;
  /** By how much the clock of the CSMS is ahead. */
  offsetMs = 0;
  heard = 0;
  ended = 0;
  /** When something last happened that may have changed what flows. */
  disturbedMs = 0;
  readonly problems: string[] = [];
  readonly #csms: LocationCsms;
  readonly #dice: Dice;
  readonly #nowMs: () => number;
  readonly #failures = new Map<string, number>();
  /** The latest sample of each connector's transaction. */
  readonly #samples = new Map<number, { readonly atMs: number; readonly wh: number; readonly powerW: number }>();
  readonly #powerLimitW: (connectorId: number) => number;

  constructor(csms: LocationCsms, dice: Dice, nowMs: () => number, powerLimitW: (connectorId: number) => number) {
    this.#csms = csms;
    this.#dice = dice;
    this.#nowMs = nowMs;
    this.#powerLimitW = powerLimitW;
  }

  get answers(): Answers {
    const { idTagInfo, idTokenInfo } = this.#infos();
    const table: Readonly<Record<string, (payload: Payload) => Payload>> = {
      BootNotification: () => this.#boot(),
      Heartbeat: () => ({ currentTime: this.time(0) }),
      Authorize: ({ idTag, idToken }) =>
        idTag === undefined ? { idTokenInfo: idTokenInfo(idToken.idToken) } : { idTagInfo: idTagInfo(idTag) },
      StartTransaction: (payload) => this.#start(payload, idTagInfo(payload['idTag'], true)),
      MeterValues: (payload) => this.#meterValues(payload),
      StopTransaction: (payload) => this.#stop(payload),
      TransactionEvent: (payload) => this.#event(payload),
      StatusNotification: () => {
        this.disturbedMs = this.#nowMs() + this.offsetMs;
        return {};
      },
    };
    const answering = (action: string, answer: (payload: Payload) => Payload) => (payload: Payload) => {
      this.heard++;
      const failure = this.#failure(action, payload);
      return failure === undefined ? answer(payload) : failure;
    };
    return Object.fromEntries(Object.entries(table).map(([action, answer]) => [action, answering(action, answer)]));
  }

  /** So many seconds from now by the clock of the CSMS. */
  time(seconds: number): string {
    return new Date(this.#nowMs() + this.offsetMs + seconds * 1000).toISOString();
  }

  #infos() {
    const idTagInfo = (tag: string, isStart = false): Payload => this.#csms.opinionOf(tag, isStart);
    const idTokenInfo = (tag: string): Payload => ({ status: this.#csms.opinionOf(tag, false)['status'] });
    return { idTagInfo, idTokenInfo };
  }

  /** Silence or an error, or undefined: it does as it should. Nothing that must be told fails so often that it is given up. */
  #failure(action: string, payload: Payload): string | null | undefined {
    const text = this.trouble === 0 && this.#failures.size === 0 ? '' : JSON.stringify([action, payload]);
    const failures = this.#failures.get(text) ?? 0;
    this.#failures.delete(text);
    if (!this.#dice.isLucky(this.trouble) || failures >= 2) return undefined;
    this.#failures.set(text, failures + 1);
    return this.#dice.pick([null, 'InternalError']);
  }

  #boot(): Payload {
    const status = this.#dice.isLucky(0.05) ? this.#dice.pick(['Pending', 'Rejected']) : 'Accepted';
    return { status, currentTime: this.time(0), interval: status === 'Accepted' ? 300 : this.#dice.pick([0, 30, 90]) };
  }

  #start({ connectorId, idTag, meterStart, timestamp }: Payload, idTagInfo: Payload): Payload {
    const id = this.#csms.nextTransactionId();
    const before = this.registers.get(connectorId);
    if (before !== undefined && before !== meterStart) {
      this.problems.push(`connector ${connectorId} starts at ${meterStart} Wh, and was left at ${before} Wh`);
    }
    const unended = this.running.get(connectorId);
    if (unended !== undefined) this.problems.push(`transaction ${unended.id} has never ended`);
    const startedMs = Date.parse(timestamp);
    this.running.set(connectorId, { id, connectorId, tag: idTag, startedMs, startWh: meterStart });
    this.registers.set(connectorId, meterStart);
    this.#csms.charges(idTag, 1);
    return { transactionId: id, idTagInfo };
  }

  #stop({ transactionId, meterStop, timestamp, idTag }: Payload): Payload {
    const transaction = [...this.running.values()].find(({ id }) => id === transactionId);
    if (transaction === undefined) {
      this.problems.push(`transaction ${transactionId} ends, and is not running`);
      return {};
    }
    const { connectorId, tag, startedMs, startWh } = transaction;
    this.running.delete(connectorId);
    this.#csms.charges(tag, -1);
    this.ended++;
    const told = this.registers.get(connectorId) ?? 0;
    if (meterStop < told) this.problems.push(`transaction ${transactionId} ends at ${meterStop} Wh, after ${told} Wh`);
    const mostWh = (this.#powerLimitW(connectorId) * (Date.parse(timestamp) - startedMs)) / 3_600_000;
    const takenWh = meterStop - (startWh ?? meterStop);
    if (takenWh > mostWh + 1) this.problems.push(`transaction ${transactionId} took ${takenWh} Wh of ${mostWh} Wh`);
    this.registers.set(connectorId, meterStop);
    return idTag === undefined ? {} : { idTagInfo: this.#csms.opinionOf(idTag, false) };
  }

  #meterValues({ connectorId, transactionId, meterValue }: Payload): Payload {
    for (const { timestamp, sampledValue } of (meterValue ?? []) as Payload[]) {
      const atMs = Date.parse(timestamp);
      for (const reading of sampledValue as Payload[]) this.#reading(connectorId, transactionId, reading);
      if (transactionId !== undefined) this.#expectFlow(connectorId, sampledValue, atMs);
    }
    return {};
  }

  /** As much has flowed since the last sample as its power says, where nothing has happened in between. */
  #expectFlow(connectorId: number, sampledValue: readonly Payload[], atMs: number): void {
    const reading = (name: string): number =>
      Number(sampledValue.find(({ measurand }) => measurand === name)?.['value']);
    const sample = { atMs, wh: reading(registerName), powerW: reading('Power.Active.Import') };
    const before = this.#samples.get(connectorId);
    if (Number.isNaN(sample.wh + sample.powerW)) return;
    this.#samples.set(connectorId, sample);
    const startedMs = this.running.get(connectorId)?.startedMs ?? atMs;
    if (before === undefined || before.powerW !== sample.powerW) return;
    if (before.atMs <= Math.max(this.disturbedMs, startedMs) || this.hasProfiles) return;
    const flowedWh = (sample.powerW * (atMs - before.atMs)) / 3_600_000;
    if (Math.abs(sample.wh - before.wh - flowedWh) > 1.5) {
      this.problems.push(`connector ${connectorId} counts ${sample.wh - before.wh} Wh where ${flowedWh} Wh flowed`);
    }
  }

  #reading(connectorId: number, transactionId: number | string | undefined, reading: Payload): void {
    const value = Number(reading['value']);
    const { measurand = registerName, phase } = reading;
    if (phase !== undefined) return;
    if (measurand === registerName && transactionId !== undefined) {
      this.registers.set(connectorId, Math.max(value, this.registers.get(connectorId) ?? 0));
    }
    const mostW = this.#powerLimitW(connectorId);
    if (measurand === 'Power.Active.Import' && value > mostW + 1)
      this.problems.push(`connector ${connectorId} draws ${value} W of ${mostW} W`);
  }

  #event(payload: Payload): Payload {
    const { eventType, transactionInfo, evse, idToken, timestamp, meterValue = [] } = payload;
    const { transactionId: id } = transactionInfo;
    const known = [...this.running.values()].find((transaction) => transaction.id === id);
    const connectorId = known?.connectorId ?? evse?.id;
    if (connectorId === undefined) {
      this.problems.push(`${eventType} of ${id}, which is not running`);
      return {};
    }
    this.#eventEnergy(connectorId, known?.startWh ?? null, payload);
    for (const { sampledValue } of meterValue as Payload[]) {
      for (const reading of sampledValue) this.#reading(connectorId, id, reading);
    }
    if (eventType === 'Started') {
      const tag = idToken?.idToken ?? '';
      const startWh = registersIn(meterValue, 'Transaction.Begin')[0] ?? null;
      this.running.set(connectorId, { id, connectorId, tag, startedMs: Date.parse(timestamp), startWh });
      this.#csms.charges(tag, 1);
      return { idTokenInfo: { status: this.#csms.opinionOf(tag, true)['status'] } };
    }
    if (eventType !== 'Ended' || known === undefined) return {};
    this.running.delete(connectorId);
    this.#csms.charges(known.tag, -1);
    this.ended++;
    return {};
  }

  /** A transaction begins where the register was left, and ends with the energy that was counted since. */
  #eventEnergy(connectorId: number, startWh: number | null, { eventType, meterValue = [] }: Payload): void {
    const before = this.registers.get(connectorId);
    const begun = registersIn(meterValue, 'Transaction.Begin')[0];
    const isOdd = eventType === 'Started' && begun !== undefined && before !== undefined && begun !== before;
    if (isOdd) this.problems.push(`EVSE ${connectorId} starts at ${begun} Wh, and was left at ${before} Wh`);
    if (eventType !== 'Ended') return;
    const ended = registersIn(meterValue, 'Transaction.End')[0];
    if (begun !== undefined && startWh !== null && begun !== startWh) {
      this.problems.push(`EVSE ${connectorId} began at ${startWh} Wh, and says ${begun} Wh in the end`);
    }
    if (ended !== undefined && ended < (before ?? 0)) {
      this.problems.push(`EVSE ${connectorId} ends at ${ended} Wh, after ${before} Wh`);
    }
  }
}

const registersIn = (meterValue: readonly Payload[], context: string): number[] =>
  meterValue
    .flatMap(({ sampledValue }) => sampledValue as Payload[])
    .filter((reading) => (reading['measurand'] ?? registerName) === registerName && reading['context'] === context)
    .map(({ value }) => Number(value));
