// Every rule of the line notices what breaks it, and a day without fault breaks none.

import { describe, expect, it } from 'vitest';
import type { Payload } from '../talk.ts';
import { WireWatch, wireRules } from '../wire-rules.ts';
import { Line, uuid } from './line-by-hand.ts';

const register = (value: string | number, context = 'Sample.Periodic', more: Payload = {}): Payload => ({
  value,
  context,
  measurand: 'Energy.Active.Import.Register',
  ...more,
});
/** In amperes, from before now on. */
const limit = (line: Line, amperes: number): Payload => ({
  csChargingProfiles: {
    chargingProfileId: 1,
    stackLevel: 0,
    chargingProfilePurpose: 'TxProfile',
    chargingProfileKind: 'Absolute',
    chargingSchedule: {
      startSchedule: line.time(-60),
      chargingRateUnit: 'A',
      chargingSchedulePeriod: [{ startPeriod: 0, limit: amperes }],
    },
  },
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
  'a transaction message that was refused waits for its interval, longer each time': (line) =>
    line
      .charging()
      .stops({}, 'InternalError')
      .passes(59)
      .stops({ timestamp: line.time(-59) }),
  'what is said of transactions comes in the order in which it happened': (line) =>
    line
      .charging()
      .passes(60)
      .meters([register('100')])
      .stops({ timestamp: line.time(-30) }),
  'a vendor that is not known is answered, not complained about': (line) =>
    line.ready().asks('DataTransfer', { vendorId: 'nobody' }, 'NotSupported'),
  'a register never counts down, over transactions, outages and restarts': (line) =>
    line
      .charging()
      .passes(60)
      .meters([register('99')]),
  'the station as a whole is available, unavailable or faulted': (line) => line.ready().shows(0, 'Preparing'),
  'what is faulted says why': (line) => line.ready().shows(1, 'Faulted'),
  'what has recovered does not say any more what was wrong': (line) =>
    line.ready().shows(1, 'Faulted', 'GroundFailure').shows(1, 'Available', 'GroundFailure'),
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
  'what is measured at one moment is told as one': (line) =>
    line.charging().calls('MeterValues', {
      connectorId: 1,
      transactionId: 7,
      meterValue: ['Energy.Active.Import.Register', 'SoC'].map((measurand) => ({
        timestamp: line.time(),
        sampledValue: [{ value: '100', context: 'Sample.Periodic', measurand }],
      })),
    }),
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
  'NotImplemented answers what is no action, and nothing else': (line) =>
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
  'of a connector that is not there nothing is promised': (line) =>
    line.ready().asks('ChangeAvailability', { connectorId: 2, type: 'Operative' }),
  'a remote start is taken only where a transaction can begin, and with a profile of its own only': (line) =>
    line.ready().shows(1, 'Faulted', 'GroundFailure').asks('RemoteStartTransaction', { idTag: 'TAG', connectorId: 1 }),
  'a wish for a reservation is answered by what the connector is': (line) =>
    line.charging().asks('ReserveNow', { connectorId: 1, reservationId: 5 }),
  'a transaction names a reservation that was made': (line) =>
    line
      .ready()
      .shows(1, 'Preparing')
      .calls('StartTransaction', { connectorId: 1, meterStart: 0, timestamp: line.time(), reservationId: 5 }),
  'a transaction takes no more than its profiles allow': (line) =>
    line
      .charging()
      .asks('SetChargingProfile', { connectorId: 1, ...limit(line, 10) })
      .passes(60)
      .meters([{ value: '10.3', measurand: 'Current.Import', phase: 'L1' }]),
  'where nothing may be taken nothing charges: it is suspended by the EVSE': (line) =>
    line
      .charging()
      .asks('SetChargingProfile', { connectorId: 1, ...limit(line, 0) })
      .passes(60),
  'a composite schedule begins with no more than the profiles allow now': (line) =>
    line
      .charging()
      .asks('SetChargingProfile', { connectorId: 1, ...limit(line, 10) })
      .passes(60)
      .asks(
        'GetCompositeSchedule',
        { connectorId: 1, duration: 60 },
        {
          status: 'Accepted',
          chargingSchedule: {
            duration: 60,
            chargingRateUnit: 'A',
            chargingSchedulePeriod: [{ startPeriod: 0, limit: 16 }],
          },
        },
      ),
  'a charger that is not accepted starts and stops nothing': (line) =>
    line.opens().boots('Pending').asks('RemoteStartTransaction', { idTag: 'TAG', connectorId: 1 }),
  'what is asked for and agreed to is done': (line) =>
    line.ready().asks('TriggerMessage', { requestedMessage: 'MeterValues' }).passes(200),
  'before a soft reset every transaction has ended': (line) =>
    line.charging().asks('Reset', { type: 'Soft' }).closes('charger'),
  'a remote start waits for its car until the time is over, and no longer': (line) =>
    line.ready().asks('RemoteStartTransaction', { idTag: 'TAG', connectorId: 1 }).shows(1, 'Preparing').passes(90),
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
  'a remote start begins with its number': (line) =>
    line
      .opens()
      .boots()
      .asks('RequestStartTransaction', { idToken: { idToken: 'TAG', type: 'ISO14443' }, remoteStartId: 5 })
      .event('Started', 0, { triggerReason: 'CablePluggedIn' }),
  'a transaction that the CSMS has stopped or reset says so': (line) =>
    line.opens().boots().event('Started', 0).asks('RequestStopTransaction', { transactionId: 'one' }).event('Ended', 1),
  'what happened without a line says so, and nothing else does': (line) =>
    line
      .opens()
      .boots()
      .passes(10)
      .closes()
      .passes(60)
      .opens()
      .passes(10)
      .event('Started', 0, { timestamp: line.time(-30) }),
  'a connector in an authorized transaction is not unlocked': (line) =>
    line
      .opens()
      .boots()
      .event('Started', 0)
      .asks('UnlockConnector', { evseId: 1, connectorId: 1 }, { status: 'Unlocked' }),
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
