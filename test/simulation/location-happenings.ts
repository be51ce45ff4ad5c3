// What happens at a simulated location: drivers come and go, things break, lines fail, and the CSMS wants this and that.

import { faultKinds } from '../../src/charger/faults.ts';
import type { Payload } from '../talk.ts';
import type { Dice } from './dice.ts';
import { tags } from './location-csms.ts';
import type { SimulatedCharger } from './simulated-charger.ts';

interface Happening {
  readonly name: string;
  readonly weight: number;
  happen(charger: SimulatedCharger, dice: Dice): void;
}

const at = (charger: SimulatedCharger, dice: Dice): Payload => ({
  evse_id: dice.whole(1, charger.connectorCount),
  connector_id: 1,
});

const place = (charger: SimulatedCharger, dice: Dice): Payload =>
  dice.isLucky(0.2) ? { evse_id: 0, connector_id: 0 } : at(charger, dice);

/** A car of any kind. */
const car = (dice: Dice): Payload => ({
  battery_kwh: dice.pick([20, 40, 60, 90]),
  soc_percent: dice.whole(5, 95),
  ...(dice.isLucky(0.3) ? { phases: 1 } : {}),
  ...(dice.isLucky(0.3) ? { max_power_w: dice.pick([3_700, 11_000, 100_000]) } : {}),
});

const byHand = (name: string, weight: number, more: (dice: Dice) => Payload = () => ({})): Happening => ({
  name,
  weight,
  happen: (charger, dice) => charger.command(name, { ...at(charger, dice), ...more(dice) }),
});

/** Of any version: hands at the charger, and the world around it. */
const drivers: readonly Happening[] = [
  byHand('plug-connector', 12, (dice) => ({ ev: car(dice) })),
  byHand('unplug-connector', 5),
  byHand('authorize', 14, (dice) => ({ id_tag: dice.pick(tags), id_token_type: 'ISO14443' })),
  {
    name: 'the driver comes back',
    weight: 8,
    happen(charger, dice) {
      const running = [...charger.book.running.values()];
      if (running.length === 0) return;
      const { tag, connectorId } = dice.pick(running);
      charger.command('authorize', { id_tag: tag, id_token_type: 'ISO14443' });
      if (dice.isLucky(0.7)) charger.command('unplug-connector', { evse_id: connectorId, connector_id: 1 });
    },
  },
  byHand('start-session', 6, (dice) => ({
    id_tag: dice.pick(tags),
    ev: car(dice),
    ...(dice.isLucky(0.3) ? { duration_s: dice.whole(60, 7_200) } : {}),
    ...(dice.isLucky(0.3) ? { energy_wh: dice.whole(100, 20_000) } : {}),
  })),
  byHand('stop-session', 4),
  byHand('ev-stops-energy', 2),
  byHand('ev-requests-energy', 3),
  byHand('power-update', 2, (dice) => ({ power_w: dice.pick([0, 2_000, 5_000, 11_000, 22_000]) })),
  byHand('transaction-limit', 1, (dice) => ({ max_energy_wh: dice.whole(100, 10_000) })),
  byHand('stop-transaction', 0.5, (dice) => ({ reason: dice.pick(['Local', 'Other', 'EmergencyStop']) })),
];

const world: readonly Happening[] = [
  {
    name: 'something breaks',
    weight: 1.5,
    happen: (charger, dice) =>
      charger.command('inject-fault', {
        ...place(charger, dice),
        error_code: dice.pick(Object.keys(faultKinds)),
        ...(dice.isLucky(0.8) ? { duration_s: dice.whole(10, 1_800) } : {}),
        ...(dice.isLucky(0.2) ? { info: 'smoke' } : {}),
      }),
  },
  {
    name: 'something is mended',
    weight: 2,
    happen: (charger, dice) => charger.command('clear-fault', place(charger, dice)),
  },
  byHand('set-condition', 1, (dice) => ({
    condition: 'external_limit',
    value: dice.pick([0, 4_000, 9_000, 30_000, null, null]),
  })),
  byHand('set-condition', 0.6, (dice) => ({ condition: 'lock_failure', value: dice.isLucky(0.3) })),
  { name: 'the line breaks', weight: 1.5, happen: (charger) => charger.breakLine() },
  {
    name: 'the line is cut by hand',
    weight: 0.5,
    happen: (charger, dice) =>
      charger.command('set-connectivity', { online: false, mode: dice.pick(['close', 'drop']) }),
  },
  {
    name: 'the line is let be',
    weight: 2,
    happen: (charger) => charger.command('set-connectivity', { online: true, mode: 'close' }),
  },
  { name: 'the process is killed', weight: 0.4, happen: (charger) => charger.talk.powerCut() },
  {
    name: 'the power is cut',
    weight: 0.4,
    happen: (charger, dice) => charger.command('power-cycle', { off_s: dice.whole(0, 300) }),
  },
  { name: 'it is put to sleep', weight: 0.3, happen: (charger, dice) => charger.talk.sleepAndWake(dice.whole(1, 600)) },
  {
    name: 'the CSMS has troubles',
    weight: 0.5,
    happen(charger, dice) {
      charger.book.trouble = dice.pick([0.05, 0.2, 0.4]);
    },
  },
  {
    name: 'the CSMS is well again',
    weight: 2,
    happen(charger) {
      charger.book.trouble = 0;
    },
  },
];

const connector = (charger: SimulatedCharger, dice: Dice): number => dice.whole(1, charger.connectorCount);
const anyConnector = (charger: SimulatedCharger, dice: Dice): number => dice.whole(0, charger.connectorCount + 1);

const settings: readonly (readonly [key: string, values: readonly string[]])[] = [
  ['AllowOfflineTxForUnknownId', ['true', 'false']],
  ['AuthorizationCacheEnabled', ['true', 'false']],
  ['AuthorizeRemoteTxRequests', ['true', 'false']],
  ['ClockAlignedDataInterval', ['0', '0', '300', '900', '1000']],
  ['ConnectionTimeOut', ['30', '60', '300']],
  ['HeartbeatInterval', ['60', '300', '900', '0']],
  ['LocalAuthListEnabled', ['true', 'false']],
  ['LocalAuthorizeOffline', ['true', 'false']],
  ['LocalPreAuthorize', ['true', 'false']],
  ['MaxEnergyOnInvalidId', ['0', '500']],
  ['MeterValueSampleInterval', ['0', '10', '60', '300']],
  ['MeterValuesAlignedData', ['Energy.Active.Import.Register', 'Energy.Active.Import.Register,Power.Active.Import']],
  ['MeterValuesSampledData', ['Energy.Active.Import.Register,Power.Active.Import,Current.Import', 'SoC', 'Nonsense']],
  ['MinimumStatusDuration', ['0', '0', '0', '0', '20']],
  ['NoSuchKey', ['1']],
  ['NumberOfConnectors', ['9']],
  ['StopTransactionOnEVSideDisconnect', ['true', 'true', 'false']],
  ['StopTransactionOnInvalidId', ['true', 'false']],
  ['StopTxnAlignedData', ['', 'Energy.Active.Import.Register']],
  ['StopTxnSampledData', ['', 'Energy.Active.Import.Register,SoC']],
  ['TransactionMessageRetryInterval', ['10', '60']],
  ['UnlockConnectorOnEVSideDisconnect', ['true', 'true', 'false']],
];

/** Of the 1.6 CSMS. */
const wishes16: readonly Happening[] = [
  {
    name: 'RemoteStartTransaction',
    weight: 4,
    happen(charger, dice) {
      const connectorId = connector(charger, dice);
      const profile = dice.isLucky(0.3) ? { ...charger.profile(dice, 'TxProfile'), chargingProfileId: 99 } : null;
      charger.ask('RemoteStartTransaction', {
        idTag: dice.pick(tags),
        ...(profile !== null || dice.isLucky(0.8) ? { connectorId } : {}),
        ...(profile === null ? {} : { chargingProfile: profile }),
      });
      if (profile !== null) charger.book.hasProfiles = true;
    },
  },
  {
    name: 'RemoteStopTransaction',
    weight: 4,
    happen(charger, dice) {
      const running = [...charger.book.running.values()].map(({ id }) => id);
      charger.ask('RemoteStopTransaction', { transactionId: dice.pick([...running, ...running, 987_654]) });
    },
  },
  { name: 'SetChargingProfile', weight: 5, happen: (charger, dice) => charger.setProfile(dice) },
  {
    name: 'ClearChargingProfile',
    weight: 2.5,
    happen(charger, dice) {
      const criteria = dice.pick<Payload>([
        {},
        { id: dice.whole(1, 8) },
        { connectorId: anyConnector(charger, dice) },
        { chargingProfilePurpose: 'TxDefaultProfile', stackLevel: dice.whole(0, 2) },
      ]);
      const answer = charger.ask('ClearChargingProfile', criteria);
      if (answer !== null && Object.keys(criteria).length === 0) charger.book.hasProfiles = false;
    },
  },
  {
    name: 'GetCompositeSchedule',
    weight: 1,
    happen: (charger, dice) =>
      void charger.ask('GetCompositeSchedule', {
        connectorId: anyConnector(charger, dice),
        duration: dice.whole(1, 86_400),
        chargingRateUnit: dice.pick(['A', 'W']),
      }),
  },
  {
    name: 'ReserveNow',
    weight: 2,
    happen: (charger, dice) =>
      void charger.ask('ReserveNow', {
        connectorId: anyConnector(charger, dice),
        expiryDate: charger.book.time(dice.whole(-10, 3_600)),
        idTag: dice.pick(tags),
        reservationId: dice.whole(1, 5),
        ...(dice.isLucky(0.2) ? { parentIdTag: 'FAMILY' } : {}),
      }),
  },
  {
    name: 'CancelReservation',
    weight: 1,
    happen: (charger, dice) => void charger.ask('CancelReservation', { reservationId: dice.whole(1, 5) }),
  },
  {
    name: 'ChangeAvailability',
    weight: 3,
    happen: (charger, dice) =>
      void charger.ask('ChangeAvailability', {
        connectorId: dice.whole(0, charger.connectorCount),
        type: dice.pick(['Operative', 'Operative', 'Operative', 'Inoperative']),
      }),
  },
  {
    name: 'Reset',
    weight: 0.6,
    happen: (charger, dice) => void charger.ask('Reset', { type: dice.pick(['Soft', 'Hard']) }),
  },
  {
    name: 'ChangeConfiguration',
    weight: 4,
    happen(charger, dice) {
      const [key, values] = dice.pick(settings);
      charger.ask('ChangeConfiguration', { key, value: dice.pick(values) });
    },
  },
  {
    name: 'GetConfiguration',
    weight: 1,
    happen: (charger, dice) =>
      void charger.ask('GetConfiguration', dice.pick([{}, { key: ['NoSuchKey', 'HeartbeatInterval'] }])),
  },
  {
    name: 'TriggerMessage',
    weight: 2,
    happen: (charger, dice) =>
      void charger.ask('TriggerMessage', {
        requestedMessage: dice.pick([
          'BootNotification',
          'DiagnosticsStatusNotification',
          'FirmwareStatusNotification',
          'Heartbeat',
          'MeterValues',
          'StatusNotification',
        ]),
        ...(dice.isLucky(0.6) ? { connectorId: anyConnector(charger, dice) } : {}),
      }),
  },
  {
    name: 'UnlockConnector',
    weight: 0.7,
    happen: (charger, dice) => void charger.ask('UnlockConnector', { connectorId: connector(charger, dice) }),
  },
  {
    name: 'SendLocalList',
    weight: 1,
    happen: (charger, dice) =>
      void charger.ask('SendLocalList', {
        listVersion: dice.whole(1, 9),
        updateType: dice.pick(['Full', 'Differential']),
        localAuthorizationList: [{ idTag: dice.pick(tags), idTagInfo: { status: dice.pick(['Accepted', 'Blocked']) } }],
      }),
  },
  { name: 'GetLocalListVersion', weight: 0.5, happen: (charger) => void charger.ask('GetLocalListVersion', {}) },
  { name: 'ClearCache', weight: 0.3, happen: (charger) => void charger.ask('ClearCache', {}) },
  { name: 'DataTransfer', weight: 0.2, happen: (charger) => void charger.ask('DataTransfer', { vendorId: 'nobody' }) },
  { name: 'nonsense', weight: 0.2, happen: (charger) => void charger.ask('MakeCoffee', {}) },
  {
    name: 'GetDiagnostics',
    weight: 0.3,
    happen: (charger) => void charger.ask('GetDiagnostics', { location: 'http://files.example/logs' }),
  },
  {
    name: 'UpdateFirmware',
    weight: 0.2,
    happen: (charger, dice) =>
      void charger.ask('UpdateFirmware', {
        location: 'http://files.example/firmware-2.1.bin',
        retrieveDate: charger.book.time(dice.whole(-60, 600)),
      }),
  },
];

/** Of the 2.x CSMS. */
const wishes2: readonly Happening[] = [
  {
    name: 'RequestStartTransaction',
    weight: 4,
    happen: (charger, dice) =>
      void charger.ask('RequestStartTransaction', {
        idToken: { idToken: dice.pick(tags), type: 'ISO14443' },
        remoteStartId: dice.whole(1, 1_000_000),
        evseId: connector(charger, dice),
      }),
  },
  {
    name: 'RequestStopTransaction',
    weight: 4,
    happen(charger, dice) {
      const running = [...charger.book.running.values()].map(({ id }) => id);
      charger.ask('RequestStopTransaction', { transactionId: dice.pick([...running, 'nobody knows']) });
    },
  },
  {
    name: 'ChangeAvailability',
    weight: 2,
    happen: (charger, dice) =>
      void charger.ask('ChangeAvailability', {
        operationalStatus: dice.pick(['Operative', 'Operative', 'Inoperative']),
        ...(dice.isLucky(0.7) ? { evse: { id: connector(charger, dice) } } : {}),
      }),
  },
  {
    name: 'TriggerMessage',
    weight: 2,
    happen: (charger, dice) =>
      void charger.ask('TriggerMessage', {
        requestedMessage: dice.pick(['Heartbeat', 'MeterValues', 'StatusNotification', 'BootNotification']),
      }),
  },
  {
    name: 'UnlockConnector',
    weight: 0.7,
    happen: (charger, dice) =>
      void charger.ask('UnlockConnector', { evseId: connector(charger, dice), connectorId: 1 }),
  },
  {
    name: 'ReserveNow',
    weight: 2,
    happen: (charger, dice) =>
      void charger.ask('ReserveNow', {
        id: dice.whole(1, 5),
        expiryDateTime: charger.book.time(dice.whole(-10, 3_600)),
        idToken: { idToken: dice.pick(tags), type: 'ISO14443' },
        ...(dice.isLucky(0.8) ? { evseId: anyConnector(charger, dice) } : {}),
      }),
  },
  {
    name: 'CancelReservation',
    weight: 1,
    happen: (charger, dice) => void charger.ask('CancelReservation', { reservationId: dice.whole(1, 5) }),
  },
  {
    name: 'SendLocalList',
    weight: 1,
    happen: (charger, dice) =>
      void charger.ask('SendLocalList', {
        versionNumber: dice.whole(1, 9),
        updateType: dice.pick(['Full', 'Differential']),
        localAuthorizationList: [
          {
            idToken: { idToken: dice.pick(tags), type: 'ISO14443' },
            idTokenInfo: { status: dice.pick(['Accepted', 'Blocked']) },
          },
        ],
      }),
  },
  { name: 'ClearCache', weight: 0.3, happen: (charger) => void charger.ask('ClearCache', {}) },
  { name: 'DataTransfer', weight: 0.2, happen: (charger) => void charger.ask('DataTransfer', { vendorId: 'nobody' }) },
  { name: 'nonsense', weight: 0.2, happen: (charger) => void charger.ask('MakeCoffee', {}) },
];

export const happenings = (version: string): readonly Happening[] => [
  ...drivers,
  ...world,
  ...(version === '1.6' ? wishes16 : wishes2),
];
