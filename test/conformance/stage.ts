// Where a conformance case plays: a charger with hands at it, and a CSMS that hears everything; no network, no clock.

import type { MemoryFiles } from '../../src/adapters/files/memory.ts';
import type { FirmwareFailure } from '../../src/charger/firmware-update.ts';
import { ErrandRunner } from '../errand-runner.ts';
import { type Payload, station as plate, type SentCall, Talk, type TalkOptions, type Version } from '../talk.ts';
import { expectFields, expectTrue, Mismatch, type Wanted } from './expecting.ts';
import type { Mutation } from './mutation.ts';

export interface StageOptions {
  readonly connectors?: number;
  /** A fixed cable has no lock. */
  readonly cable?: 'fixed' | 'socket';
  /** The case lets it boot itself. */
  readonly isOff?: boolean;
  readonly credentials?: NonNullable<TalkOptions['station']>['credentials'];
}

/** Said now and then by every charger; a case that is about them asks for them. */
const background: ReadonlySet<string> = new Set(['Heartbeat', 'MeterValues', 'SecurityEventNotification']);

export class Stage {
  readonly station: StationHands;
  readonly csms: StageCsms;
  readonly #talk: Talk;

  static async set(version: Version, options: StageOptions, mutation: Mutation | null): Promise<Stage> {
    const { connectors = 1, cable = 'socket', credentials } = options;
    const built = plate({ connectorCount: connectors });
    const station = {
      ...built,
      connectors: built.connectors.map((spec) => ({ ...spec, hasLock: cable === 'socket' })),
      ...(credentials === undefined ? {} : { credentials }),
    };
    const talk = await Talk.with(version, { station, ...(mutation === null ? {} : { spoil: mutation }) });
    const stage = new Stage(talk);
    if (options.isOff) return stage;
    await stage.station.powerOn();
    stage.csms.expectBoot(connectors);
    return stage;
  }

  private constructor(talk: Talk) {
    this.#talk = talk;
    const errands = new ErrandRunner();
    this.csms = new StageCsms(talk, errands);
    this.station = new StationHands(talk, this.csms);
  }

  /** Nothing is left that the case has not accounted for. */
  end(): void {
    this.csms.expectSilence();
    const ids = this.#talk.texts.map((text) => JSON.parse(text) as [number, string]).filter(([type]) => type === 2);
    expectTrue(new Set(ids.map(([, id]) => id)).size === ids.length, 'a message id was used twice');
  }
}

/** What hands do at a charger, by the operator's commands. */
export class StationHands {
  readonly #talk: Talk;
  readonly #csms: StageCsms;

  constructor(talk: Talk, csms: StageCsms) {
    this.#talk = talk;
    this.#csms = csms;
  }

  async powerOn(): Promise<void> {
    this.#talk.connect();
    await this.#csms.settle();
  }

  plug = (connectorId = 1): Promise<void> => this.do('plug-connector', at(connectorId));
  unplug = (connectorId = 1): Promise<void> => this.do('unplug-connector', at(connectorId));
  present = (idTag: string, connectorId = 1): Promise<void> =>
    this.do('authorize', { id_tag: idTag, id_token_type: 'ISO14443', ...at(connectorId) });
  /** Of a connector, or with 0 of the station. */
  breaks = (error_code: string, connectorId = 1, more: Payload = {}): Promise<void> =>
    this.do('inject-fault', { ...place(connectorId), error_code, ...more });
  mends = (connectorId = 1): Promise<void> => this.do('clear-fault', place(connectorId));
  stops = (reason: string, connectorId = 1): Promise<void> =>
    this.do('stop-transaction', { ...at(connectorId), reason });
  goesOffline = (): Promise<void> => this.do('set-connectivity', { online: false, mode: 'drop' });
  comesOnline = (): Promise<void> => this.do('set-connectivity', { online: true });
  set = (key: string, value: string): Promise<void> => this.do('set-configuration', { key, value });

  powerCycle = (off_s = 5): Promise<void> => this.do('power-cycle', { off_s });

  /** A car comes and charges, as the CSMS hears. */
  async charges(idTag = 'TAG-1', connectorId = 1): Promise<void> {
    await this.plug(connectorId);
    this.#csms.expectStatus('Preparing', connectorId);
    await this.present(idTag, connectorId);
    this.#csms.expect('Authorize', { idTag });
    this.#csms.expect('StartTransaction', { connectorId, idTag });
    this.#csms.expectStatus('Charging', connectorId);
  }

  /** A refusal is for the case to see on the wire. */
  async do(command: string, event: Payload): Promise<void> {
    this.#talk.command(command, event);
    await this.#csms.settle();
  }

  async waitS(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.#talk.pass(1);
      await this.#csms.settle();
    }
  }

  /** The next update of its firmware will go wrong: in more ways than a hand has. */
  doom(firmwareFailure: FirmwareFailure): void {
    const { conversation } = this.#talk;
    const charger = { ...conversation.charger, conditions: { firmwareFailure } };
    this.#talk.conversation = { ...conversation, charger };
  }

  get isLocked(): boolean {
    return this.#talk.conversation.charger.connectors.some(({ locked }) => locked);
  }
}

const at = (connectorId: number) => ({ evse_id: connectorId, connector_id: 1 });
const place = (connectorId: number) => (connectorId === 0 ? { evse_id: 0, connector_id: 0 } : at(connectorId));

export class StageCsms {
  readonly files: MemoryFiles;
  readonly #talk: Talk;
  readonly #errands: ErrandRunner;

  constructor(talk: Talk, errands: ErrandRunner) {
    this.#talk = talk;
    this.#errands = errands;
    this.files = errands.files;
  }

  /** A moment so many seconds from now, as OCPP writes it. */
  inS(seconds: number): string {
    return new Date(this.#talk.nowMs + seconds * 1000).toISOString();
  }

  /** From now on the CSMS answers so. */
  answers(action: string, answer: Payload): void {
    this.#talk.answers = { ...this.#talk.answers, [action]: () => answer };
  }

  /** The CSMS answers as it does by itself again. */
  answersAsUsual(action: string): void {
    const { [action]: _, ...answers } = this.#talk.answers;
    this.#talk.answers = answers;
  }

  /** Asks the charger; its answer must have these fields, and come before anything that follows from it. */
  async send(action: string, payload: Payload, wanted: Wanted = {}): Promise<Payload> {
    const { replies, texts } = this.#talk;
    const said = texts.length;
    const before = replies.length;
    this.#talk.request(action, payload);
    await this.settle();
    const [type, , answer] = replies[before] ?? [];
    if (type !== 3) throw new Mismatch(`${action} was not answered but ${JSON.stringify(replies[before])}`);
    expectTrue(JSON.parse(texts[said] ?? '[]')[0] === 3, `something was said before ${action} was answered`);
    expectFields(`the answer to ${action}`, answer as Payload, wanted);
    return answer as Payload;
  }

  configure = (key: string, value: string): Promise<Payload> =>
    this.send('ChangeConfiguration', { key, value }, { status: 'Accepted' });

  /** The next that the charger says, with these fields. */
  expect(action: string, wanted: Wanted = {}): Payload {
    const { calls } = this.#talk;
    let call = calls.shift();
    while (call !== undefined && call.action !== action && background.has(call.action)) call = calls.shift();
    if (call === undefined) throw new Mismatch(`${action} was not said`);
    if (call.action !== action) throw new Mismatch(`${inWords(call)} was said instead of ${action}`);
    expectFields(action, call.payload, wanted);
    return call.payload;
  }

  expectStatus(status: string, connectorId = 1, errorCode = 'NoError'): Payload {
    return this.expect('StatusNotification', { connectorId, status, errorCode });
  }

  expectBoot(connectors = 1, status = 'Available'): void {
    this.expect('BootNotification');
    for (let connectorId = 0; connectorId <= connectors; connectorId++) {
      this.expectStatus(connectorId === 0 ? 'Available' : status, connectorId);
    }
  }

  /** Nothing but the background. */
  expectSilence(...besides: string[]): void {
    const call = this.#talk.said().find(({ action }) => !background.has(action) && !besides.includes(action));
    if (call !== undefined) throw new Mismatch(`${inWords(call)} was said`);
  }

  /** Everything of one kind that was said since, in order; nothing else but the background was. */
  heard(action: string): SentCall[] {
    const calls = this.#talk.calls.filter((call) => call.action === action);
    this.expectSilence(action);
    return calls;
  }

  /** Lines are taken up and errands run until the charger wants nothing more. */
  async settle(): Promise<void> {
    while (this.#talk.dialled || this.#talk.errands.length > 0) {
      if (this.#talk.dialled) this.#talk.reconnect();
      await this.#errands.run(this.#talk);
    }
  }
}

const inWords = ({ action, payload }: SentCall): string => `${action} ${JSON.stringify(payload)}`;
