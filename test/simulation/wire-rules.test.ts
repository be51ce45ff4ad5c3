// Every rule of the line notices what breaks it, and a day without fault breaks none.

import { describe, expect, it } from 'vitest';
import type { Payload } from '../talk.ts';
import { WireWatch, wireRules } from '../wire-rules.ts';

const noon = Date.UTC(2026, 0, 31, 12);
const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** A line on which anything can be said. */
class Line {
  readonly broken: string[] = [];
  readonly watch: WireWatch;
  nowMs = noon;
  #count = 0;

  constructor(version: string) {
    this.watch = new WireWatch({ version, instant: true });
  }

  time = (seconds = 0): string => new Date(this.nowMs + seconds * 1000).toISOString();

  opens(life = 1): this {
    return this.#note(this.watch.opened(this.nowMs, life));
  }

  closes(by: 'charger' | 'csms' = 'csms'): this {
    return this.#note(this.watch.closed(this.nowMs, by));
  }

  passes(seconds: number): this {
    this.nowMs += seconds * 1000;
    return this.#note(this.watch.passed(this.nowMs));
  }

  /** The charger says exactly this. */
  says(...parts: unknown[]): this {
    return this.#note(this.watch.heard('charger', JSON.stringify(parts), this.nowMs));
  }

  /** A call of the charger and its answer; null: there is none, a text: an error. */
  calls(action: string, payload: Payload = {}, answer: Payload | string | null = {}): this {
    const id = uuid(++this.#count);
    this.says(2, id, action, payload);
    if (answer === null) return this;
    const said = typeof answer === 'string' ? [4, id, answer, '', {}] : [3, id, answer];
    return this.#note(this.watch.heard('csms', JSON.stringify(said), this.nowMs));
  }

  /** The CSMS asks; with an answer null the charger has yet to answer. */
  asks(action: string, payload: Payload = {}, answer: Payload | string | null = { status: 'Accepted' }): this {
    const id = `csms-${++this.#count}`;
    this.#note(this.watch.heard('csms', JSON.stringify([2, id, action, payload]), this.nowMs));
    if (answer === null) return this;
    return typeof answer === 'string' ? this.says(4, id, answer, '', {}) : this.says(3, id, answer);
  }

  boots(status = 'Accepted', interval = 300): this {
    return this.calls('BootNotification', {}, { status, interval, currentTime: this.time() });
  }

  shows(connectorId: number, status: string, errorCode = 'NoError'): this {
    return this.calls('StatusNotification', { connectorId, status, errorCode, timestamp: this.time() });
  }

  /** A charger of 1.6 that is ready. */
  ready(): this {
    return this.opens().boots().shows(0, 'Available').shows(1, 'Available');
  }

  /** One that charges, too. */
  charging(status = 'Accepted'): this {
    this.ready().shows(1, 'Preparing');
    const start = { connectorId: 1, idTag: 'TAG', meterStart: 100, timestamp: this.time() };
    this.calls('StartTransaction', start, { transactionId: 7, idTagInfo: { status } });
    return this.shows(1, 'Charging');
  }

  meters(readings: Payload[], more: Payload = { connectorId: 1, transactionId: 7 }): this {
    return this.calls('MeterValues', { ...more, meterValue: [{ timestamp: this.time(), sampledValue: readings }] });
  }

  stops(more: Payload = {}): this {
    return this.calls('StopTransaction', {
      transactionId: 7,
      meterStop: 200,
      timestamp: this.time(),
      reason: 'Local',
      ...more,
    });
  }

  event(eventType: string, seqNo: number, more: Payload = {}, info: Payload = {}): this {
    const start = { evse: { id: 1, connectorId: 1 }, idToken: { idToken: 'TAG', type: 'ISO14443' } };
    const reason = eventType === 'Ended' ? { stoppedReason: 'Local' } : {};
    return this.calls('TransactionEvent', {
      eventType,
      seqNo,
      timestamp: this.time(),
      triggerReason: eventType === 'Started' ? 'Authorized' : 'StopAuthorized',
      transactionInfo: { transactionId: 'one', ...reason, ...info },
      ...(eventType === 'Started' ? start : {}),
      ...more,
    });
  }

  #note(broken: readonly string[]): this {
    this.broken.push(...broken);
    return this;
  }
}

const register = (value: string | number, context = 'Sample.Periodic', more: Payload = {}): Payload => ({
  value,
  context,
  measurand: 'Energy.Active.Import.Register',
  ...more,
});
const profile = (chargingProfilePurpose: string): Payload => ({ csChargingProfiles: { chargingProfilePurpose } });

/** What breaks each rule of 1.6, or of every version. */
const breaches16: Readonly<Record<string, (line: Line) => Line>> = {
  'a frame is an array: a call of 4, a result of 3, an error of 5 with details': (line) =>
    line.ready().says(2, 'id', 'Heartbeat'),
  'a message id is a string of 1 to 36 characters and used once on a connection': (line) =>
    line.ready().says(2, uuid(1), 'Heartbeat', {}),
  'one call of the charger is unanswered at a time': (line) =>
    line.ready().calls('Authorize', { idTag: 'A' }, null).passes(29).calls('Authorize', { idTag: 'B' }),
  'an error has a code that its version knows': (line) => line.ready().asks('ClearCache', {}, 'FormatViolation'),
  'an answer is given to a question, and once': (line) => line.ready().says(3, 'csms-0', {}),
  'every question is answered before the charger hangs up, and before long': (line) =>
    line.ready().asks('Reset', { type: 'Hard' }, null).closes('charger'),
  'an answer comes before what follows from it': (line) =>
    line.ready().asks('RemoteStartTransaction', { idTag: 'TAG' }, null).calls('Authorize', { idTag: 'TAG' }),
  'nothing is said before the boot is accepted but the boot, and what the CSMS has asked for': (line) =>
    line.opens().boots('Pending').shows(0, 'Available'),
  'a boot comes first on its connection, in a new life, or when it is asked for or asked again': (line) =>
    line.ready().closes().opens(1).boots(),
  'a charger that is not accepted boots again when the interval is over, and not sooner': (line) =>
    line.opens().boots('Rejected', 60).passes(59).boots(),
  'heartbeats come after the interval without a call, and not sooner': (line) => line.ready().passes(400),
  'times are UTC with Z, have 3 decimals at most, and are not in the future': (line) =>
    line.ready().calls('StatusNotification', { connectorId: 1, status: 'Preparing', timestamp: line.time(60) }),
  'what is not known is left out, never null or empty': (line) => line.ready().calls('Authorize', { idTag: '' }),
  'a transaction message that failed is said again word for word, before the next': (line) =>
    line.charging().calls('StopTransaction', { transactionId: 7, meterStop: 150 }, 'InternalError').stops(),
  'a vendor that is not known is answered, not complained about': (line) =>
    line.ready().asks('DataTransfer', { vendorId: 'nobody' }, 'NotSupported'),
  'a register never counts down, over transactions, outages and restarts': (line) =>
    line
      .charging()
      .passes(60)
      .meters([register('99')]),
  'the station as a whole is available, unavailable or faulted': (line) => line.ready().shows(0, 'Preparing'),
  'what is faulted says why': (line) => line.ready().shows(1, 'Faulted'),
  'after a boot and after a reconnection the status of the station and of every connector comes first, once': (line) =>
    line.opens().boots().shows(0, 'Available').calls('Authorize', { idTag: 'TAG' }),
  'a status is told when it has changed': (line) => line.ready().shows(1, 'Available'),
  'a connector becomes only what it can become': (line) => line.ready().shows(1, 'Finishing'),
  'a connector charges in a transaction only': (line) => line.ready().shows(1, 'Preparing').shows(1, 'Charging'),
  'a transaction begins where a car has come': (line) =>
    line.ready().calls('StartTransaction', { connectorId: 1, meterStart: 0, timestamp: line.time() }),
  'with the cable still in a transaction ends in Finishing': (line) => line.charging().stops().shows(1, 'Available'),
  'a transaction is called by the number that the CSMS gave it, and not after its end': (line) =>
    line.charging().meters([register('100')], { connectorId: 1, transactionId: 8 }),
  'a connector has one transaction at a time': (line) =>
    line.charging().calls('StartTransaction', { connectorId: 1, meterStart: 200, timestamp: line.time() }),
  'registers are in whole Wh': (line) => line.charging().meters([register('0.1', 'Sample.Periodic', { unit: 'kWh' })]),
  'a transaction begins and ends with what its samples say': (line) =>
    line.charging().stops({
      transactionData: [{ timestamp: line.time(), sampledValue: [register('199', 'Transaction.End')] }],
    }),
  'what is said of a transaction is dated between its start and its end, in order': (line) =>
    line.charging().stops({ timestamp: line.time(-60) }),
  'meter values of a transaction bear its number, others bear none': (line) =>
    line
      .charging()
      .passes(60)
      .meters([register('150')], { connectorId: 1 })
      .passes(60)
      .stops(),
  'the end of a transaction names a token only when one was presented': (line) =>
    line.charging().stops({ reason: 'Remote', idTag: 'TAG' }),
  'a transaction that the CSMS has stopped, reset or unlocked says so': (line) =>
    line.charging().asks('Reset', { type: 'Soft' }).stops({ reason: 'HardReset' }),
  'a transaction whose token the CSMS refuses ends, or gets no more energy': (line) =>
    line
      .charging('Blocked')
      .passes(60)
      .meters([register('150')]),
  'values read on the clock are read on the grid of the clock': (line) =>
    line
      .ready()
      .asks('ChangeConfiguration', { key: 'ClockAlignedDataInterval', value: '300' })
      .passes(7)
      .meters([register('100', 'Sample.Clock')], { connectorId: 1 }),
  'what is not an action is not implemented, what is one is': (line) =>
    line.ready().asks('MakeCoffee', {}, 'NotSupported'),
  'a transaction that is not known cannot be stopped, one that runs can': (line) =>
    line.ready().asks('RemoteStopTransaction', { transactionId: 7 }),
  'every key that is asked for is found or unknown': (line) =>
    line.ready().asks('GetConfiguration', { key: ['Mine'] }, { configurationKey: [] }),
  'a key that does not exist is not supported, one that is read-only is not changed': (line) =>
    line
      .ready()
      .asks('GetConfiguration', { key: ['Mine'] }, { configurationKey: [], unknownKey: ['Mine'] })
      .asks('ChangeConfiguration', { key: 'Mine', value: '1' }, { status: 'Rejected' }),
  'a list is brought up to date from an older version only': (line) =>
    line
      .ready()
      .asks('GetLocalListVersion', {}, { listVersion: 5 })
      .asks('SendLocalList', { listVersion: 5, updateType: 'Differential', localAuthorizationList: [] }),
  'a profile is taken where it belongs only': (line) =>
    line.ready().asks('SetChargingProfile', { connectorId: 1, ...profile('TxProfile') }),
  'a composite schedule begins at 0 and says how long it is': (line) =>
    line
      .ready()
      .asks('GetCompositeSchedule', { connectorId: 1, duration: 60 }, { status: 'Accepted', chargingSchedule: {} }),
  'what charges is switched off when it is done, and stays off until it is switched on': (line) =>
    line
      .ready()
      .asks('ChangeAvailability', { connectorId: 1, type: 'Inoperative' })
      .shows(1, 'Unavailable')
      .passes(5)
      .shows(1, 'Available'),
  'an update of the firmware is told step by step, each once': (line) =>
    line
      .ready()
      .asks('UpdateFirmware', {}, {})
      .calls('FirmwareStatusNotification', { status: 'Downloading' })
      .calls('FirmwareStatusNotification', { status: 'Installing' }),
};

/** What breaks each rule of 2.x. */
const breaches2: Readonly<Record<string, (line: Line) => Line>> = {
  'the status of a connector is told, not that of the station': (line) =>
    line.opens().boots().calls('StatusNotification', { evseId: 0, connectorId: 0, connectorStatus: 'Available' }),
  'a status is told when it has changed': (line) => {
    const payload = { evseId: 1, connectorId: 1, connectorStatus: 'Available' };
    return line.opens().boots().calls('StatusNotification', payload).calls('StatusNotification', payload);
  },
  'a transaction has one start, one end, and every number between, once or word for word again': (line) =>
    line.opens().boots().event('Started', 0).event('Ended', 2),
  'a start names the EVSE and the token, an end its reason': (line) =>
    line.opens().boots().event('Started', 0).event('Ended', 1, {}, { stoppedReason: 'EVDisconnected' }),
  'a remote start has a number that the CSMS gave it': (line) =>
    line.opens().boots().event('Started', 0, { triggerReason: 'RemoteStart' }, { remoteStartId: 5 }),
  'in a transaction the meter is told of by the transaction': (line) =>
    line
      .opens()
      .boots()
      .event('Started', 0)
      .passes(10)
      .meters([register(100)], { evseId: 1 })
      .passes(10)
      .event('Ended', 1),
  'after a reset the boot says so': (line) =>
    line
      .opens()
      .boots()
      .asks('Reset', { type: 'Immediate' })
      .closes()
      .opens(2)
      .calls('BootNotification', { reason: 'Unknown' }, null),
  'a report is numbered from 0, and its last part says so': (line) =>
    line.opens().boots().calls('NotifyReport', { requestId: 1, seqNo: 1, tbc: false }),
  'the state of an update names the request, unless nothing goes on': (line) =>
    line.opens().boots().calls('FirmwareStatusNotification', { status: 'Downloading' }),
};

const namesBroken = (line: Line): string[] =>
  wireRules.map(({ name }) => name).filter((name) => line.broken.some((problem) => problem.startsWith(`${name}: `)));

describe('the rules of the line', () => {
  it.each(Object.entries(breaches16))('OCPP 1.6: %s', (name, tell) => {
    expect(namesBroken(tell(new Line('1.6')))).toContain(name);
  });

  it.each(Object.entries(breaches2))('OCPP 2.0.1: %s', (name, tell) => {
    expect(namesBroken(tell(new Line('2.0.1')))).toContain(name);
  });

  it('are all tried', () => {
    const tried = new Set([...Object.keys(breaches16), ...Object.keys(breaches2)]);
    expect(wireRules.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });

  it('are not broken by a day without fault', () => {
    const line = new Line('1.6')
      .charging()
      .passes(60)
      .meters([register('150')]);
    line.asks('ChangeAvailability', { connectorId: 1, type: 'Inoperative' }, { status: 'Scheduled' });
    line.stops({ idTag: 'TAG' }).shows(1, 'Unavailable').closes().passes(30).opens(1);
    line.shows(0, 'Available').shows(1, 'Unavailable').passes(300).calls('Heartbeat', {}, { currentTime: line.time() });
    expect(line.broken).toEqual([]);
  });

  it('that do not exist cannot be excepted', () => {
    expect(() => new WireWatch({ version: '1.6', breaks: ['be polite'] })).toThrow('there is no rule');
  });
});
