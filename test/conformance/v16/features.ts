// What an OCPP 1.6 charger can do, each thing with a way to switch it off and the cases that must fail then.

import { available } from '../../../src/charger/connector.ts';
import type { Payload } from '../../../src/ocpp/frame.ts';
import { root, stranger } from '../line-stage.ts';
import {
  charger,
  connectors,
  type Feature,
  fixed,
  heedless,
  type Mutation,
  mishearing,
  misreading,
  misstating,
  misunderstanding,
  silent,
} from '../mutation.ts';

/** `'003 004_1'` for `TC_003_CS` and `TC_004_1_CS`. */
const feature = (name: string, off: Mutation, cases: string): Feature => ({
  name,
  off,
  cases: cases.split(' ').map((number) => `TC_${number}_CS`),
});

const accepted = { status: 'Accepted' };
const idTagInfo = (change: (info: Payload) => Payload) => (payload: Payload) => ({
  ...payload,
  idTagInfo: change(payload['idTagInfo'] as Payload),
});
const withoutParent = ({ parentIdTag: _, ...info }: Payload) => info;
const farAway = '2090-01-01T00:00:00.000Z';
const longAgo = '2020-01-01T00:00:00.000Z';

function withLimit(payload: Payload, limit: number): Payload {
  const profile = payload['csChargingProfiles'] as Payload;
  const schedule = profile['chargingSchedule'] as Payload;
  const periods = (schedule['chargingSchedulePeriod'] as Payload[]).map((period) => ({ ...period, limit }));
  const chargingSchedule = { ...schedule, chargingSchedulePeriod: periods };
  return { ...payload, csChargingProfiles: { ...profile, chargingSchedule } };
}

const coming: readonly Feature[] = [
  feature('heartbeats at the interval of the boot', fixed('OCPPCommCtrlr.HeartbeatInterval', 300), '001'),
  feature(
    'statuses after a boot',
    silent('status', ({ from }) => from === null),
    '001 002',
  ),
  feature(
    'changes of status',
    silent('status', ({ from }) => from !== null),
    '003 004_1 004_2 011_1 011_2 024 030 034 041 046_1 047 049 050_1 050_3 051',
  ),
  feature(
    'silence while Pending',
    mishearing('boot', (payload) => ({ ...payload, ...accepted })),
    '002',
  ),
  feature('resets', heedless('Reset', accepted), '013 014 015 016'),
  feature(
    'the reason why a transaction ends',
    misstating('transaction', 'StopTransaction', { reason: 'Other' }),
    '003 005_1 005_2 005_3 012 015 016 018_1 032_1 032_2 037_3 038 039 068 069',
  ),
  feature(
    'transactions that end with the power',
    silent('transaction', ({ stopReason }) => stopReason === 'PowerLoss'),
    '032_1 032_2',
  ),
  feature('availability on request', heedless('ChangeAvailability', accepted), '034 048_3 050_3'),
  feature(
    'availability that outlives the power',
    charger((one) =>
      one.boot.status === 'none'
        ? {
            ...one,
            connectors: one.connectors.map((connector) => ({ ...connector, operative: true, shown: available })),
          }
        : one,
    ),
    '034',
  ),
  feature(
    'faults',
    charger((one) => ({
      ...one,
      faults: [],
      connectors: one.connectors.map((connector) => ({ ...connector, faults: [] })),
    })),
    '024 030 041 048_1 050_1',
  ),
];

const visiting: readonly Feature[] = [
  feature(
    'starts with an accepted tag',
    mishearing(
      'authorize',
      idTagInfo((info) => ({ ...info, status: 'Invalid' })),
    ),
    '003 004_1 004_2 010 046_1 061_1 061_2',
  ),
  feature(
    'no start with a refused tag',
    mishearing(
      'authorize',
      idTagInfo((info) => ({ ...info, status: 'Accepted' })),
    ),
    '023_4 023_5',
  ),
  feature(
    'tags that wait for a car',
    charger((one) => ({
      ...one,
      waiting: null,
      connectors: one.connectors.map((connector) => ({ ...connector, waiting: null })),
    })),
    '004_1 011_1 046_1 046_2 053_1 053_2',
  ),
  feature('the connection time-out', fixed('TxCtrlr.EVConnectionTimeOut', 86_400), '004_2 011_2'),
  feature('ends when the car leaves', fixed('TxCtrlr.StopTxOnEVSideDisconnect', false), '005_1 005_2'),
  feature('going on when the car leaves', fixed('TxCtrlr.StopTxOnEVSideDisconnect', true), '005_3'),
  feature('the cable that stays locked', fixed('OCPPCommCtrlr.UnlockOnEVSideDisconnect', true), '005_2'),
  feature('the cable that is released', fixed('OCPPCommCtrlr.UnlockOnEVSideDisconnect', false), '005_1'),
  feature(
    'stops by the tag that started',
    connectors((connector) =>
      connector.session === null
        ? connector
        : { ...connector, session: { ...connector.session, token: { idTag: 'NOBODY', type: 'ISO14443' } } },
    ),
    '003 005_3 068',
  ),
  feature('groups of tags', mishearing('authorize', idTagInfo(withoutParent)), '069 053_1 053_2'),
];

const knowing: readonly Feature[] = [
  feature(
    'the cache',
    charger((one) => ({ ...one, tokenCache: [] })),
    '007_1 007_2',
  ),
  feature('clearing the cache', heedless('ClearCache', accepted), '061_1 061_2'),
  feature(
    'tags of the local list',
    charger((one) => ({ ...one, localList: { ...one.localList, entries: {} } })),
    '008_1 008_2 043',
  ),
  feature('the local list switched off', fixed('LocalAuthListCtrlr.Enabled', true), '042_1 043_1'),
  feature(
    'the version of the list',
    heedless('GetLocalListVersion', { listVersion: 3 }),
    '042_1 042_2 043 043_2 043_3',
  ),
  feature('lists from the CSMS', heedless('SendLocalList', accepted), '008_1 008_2 042_2 043 043_1 043_2 043_3'),
  feature(
    'starts of unknown tags offline',
    fixed('AuthCtrlr.OfflineTxForUnknownIdEnabled', false),
    '037_1 037_2 037_3 039',
  ),
  feature('the pause of a refused tag', fixed('TxCtrlr.StopTxOnInvalidId', true), '037_2'),
  feature('the end of a refused tag', fixed('TxCtrlr.StopTxOnInvalidId', false), '037_3'),
  feature(
    'messages kept for the line to come back',
    {
      state: (conversation) =>
        conversation.line.state === 'connected'
          ? conversation
          : { ...conversation, outbox: { ...conversation.outbox, queue: [] } },
    },
    '036 037_1 037_2 037_3 038 039',
  ),
];

const fromAfar: readonly Feature[] = [
  feature(
    'remote start',
    heedless('RemoteStartTransaction', accepted),
    '002 007_2 008_2 010 011_1 011_2 023_5 026 027 046_2 053_2 059 060',
  ),
  feature('asking before a remote start', fixed('AuthCtrlr.AuthorizeRemoteStart', false), '010 023_5 061_2'),
  feature('remote start without asking', fixed('AuthCtrlr.AuthorizeRemoteStart', true), '011_1'),
  feature('remote stop', heedless('RemoteStopTransaction', accepted), '012 028'),
  feature('unlocking', heedless('UnlockConnector', { status: 'Unlocked' }), '017_1 017_2 018_1 018_2 030 031'),
  feature('reading the configuration', heedless('GetConfiguration', { configurationKey: [] }), '002 019 021 040_2'),
  feature('changing the configuration', heedless('ChangeConfiguration', accepted), '002 021 040_1 040_2 073 083 084'),
  feature('messages on request', heedless('TriggerMessage', accepted), '054 055'),
  feature('messages of other makers', heedless('DataTransfer', accepted), '062'),
];

const charging: readonly Feature[] = [
  feature('periodic samples', fixed('SampledDataCtrlr.TxUpdatedInterval', 0), '021 028 036 037_1 070'),
  feature('what is sampled', fixed('SampledDataCtrlr.TxUpdatedMeasurands', 'SoC'), '070'),
  feature(
    'samples on the clock',
    charger((one) => ({ ...one, aligned: null })),
    '071',
  ),
  feature(
    'charging profiles from the CSMS',
    heedless('SetChargingProfile', accepted),
    '056 057 058_1 058_2 066 067 072 082',
  ),
  feature(
    'limits by charging profiles',
    charger((one) => ({ ...one, profiles: [] })),
    '056 057 059 066 067 072',
  ),
  feature(
    'the profile of a remote start',
    misreading('RemoteStartTransaction', ({ chargingProfile: _, ...payload }) => payload),
    '059 060',
  ),
  feature(
    'limits that change at once',
    misreading('SetChargingProfile', (payload) => withLimit(payload, 1_000)),
    '056 057 066 067 072 082',
  ),
  feature(
    'stack levels',
    misreading('SetChargingProfile', (payload) => ({
      ...payload,
      csChargingProfiles: { ...(payload['csChargingProfiles'] as Payload), stackLevel: 0 },
    })),
    '072',
  ),
  feature('clearing charging profiles', heedless('ClearChargingProfile', accepted), '067'),
  feature('the plan', heedless('GetCompositeSchedule', { status: 'Rejected' }), '056 057 058_1 059 066 072'),
];

const keeping: readonly Feature[] = [
  feature(
    'reservations',
    heedless('ReserveNow', accepted),
    '046_1 046_2 047 048_1 048_2 048_3 048_4 049 050_1 050_2 050_3 050_4 051 052 053_1 053_2',
  ),
  feature(
    'the end of a reservation',
    misreading('ReserveNow', (payload) => ({ ...payload, expiryDate: farAway })),
    '047',
  ),
  feature(
    'the reservation of a transaction',
    misstating('transaction', 'StartTransaction', { reservationId: undefined }),
    '046_1 046_2 049 053_1 053_2',
  ),
  feature(
    'the group of a reservation',
    misreading('ReserveNow', ({ parentIdTag: _, ...payload }) => payload),
    '053_1 053_2',
  ),
  feature('reservations switched off', fixed('ReservationCtrlr.Enabled', true), '048_4'),
  feature('no reservation of the whole', fixed('ReservationCtrlr.NonEvseSpecific', true), '050_4'),
  feature('reservations of the whole', fixed('ReservationCtrlr.NonEvseSpecific', false), '049 050_1 050_2 050_3'),
  feature('cancelling reservations', heedless('CancelReservation', accepted), '051 052'),
];

const files: readonly Feature[] = [
  feature('new firmware', heedless('UpdateFirmware', {}), '044_1 044_2 044_3'),
  feature(
    'the moment for new firmware',
    misreading('UpdateFirmware', (payload) => ({ ...payload, retrieveDate: longAgo })),
    '044_1',
  ),
  feature('the state of an update', silent('firmware-status'), '044_1 044_2 044_3 080 081'),
  feature('the version of the firmware', misstating('boot', 'BootNotification', { firmwareVersion: '1' }), '044_1 080'),
  feature('diagnostics', heedless('GetDiagnostics', { fileName: 'x' }), '045_1 045_2'),
  feature(
    'another try',
    misreading('GetDiagnostics', (payload) => ({ ...payload, retries: 0 })),
    '045_2',
  ),
  feature('the state of an upload', silent('upload-status'), '045_1 045_2 079'),
  feature('logs', heedless('GetLog', { status: 'Accepted', filename: 'x' }), '079'),
  feature(
    'the security log',
    charger((one) => ({ ...one, security: { ...one.security, log: [] } })),
    '079',
  ),
  feature(
    'the signature of firmware',
    misunderstanding('SignedUpdateFirmware', (request) => ({
      ...request,
      order: { ...(request['order'] as Payload), signing: null },
    })),
    '080 081',
  ),
  feature('signed firmware', heedless('SignedUpdateFirmware', accepted), '080 081'),
];

const security: readonly Feature[] = [
  feature('security events', silent('security-event'), '077 078 080 081'),
  feature('authorities from the CSMS', heedless('InstallCertificate', accepted), '075_1 075_2 076 083'),
  feature('the list of authorities', heedless('GetInstalledCertificateIds', { status: 'NotFound' }), '075_1 075_2 076'),
  feature('taking authorities away', heedless('DeleteCertificate', accepted), '076'),
  feature('the request for a certificate', silent('certificate-request'), '074 077'),
  feature('requests for a certificate on demand', heedless('ExtendedTriggerMessage', accepted), '074 077'),
  feature('certificates of its own', heedless('CertificateSigned', accepted), '074 077'),
  feature('passwords', { dialling: ({ basicAuth: _, ...request }) => request }, '073 083 085 086'),
  feature('authorities for the CSMS', { dialling: (request) => ({ ...request, tls: {} }) }, '074 078 083 084 086 087'),
  feature(
    'distrust of strangers',
    {
      dialling: (request) => ({ ...request, tls: { ...request.tls, ca: root.certificate + stranger.certificate } }),
    },
    '078',
  ),
  feature(
    'certificates that are shown',
    { dialling: ({ tls: { ca = '' } = {}, ...request }) => ({ ...request, tls: { ca } }) },
    '074 087',
  ),
];

export const features16: readonly Feature[] = [
  ...coming,
  ...visiting,
  ...knowing,
  ...fromAfar,
  ...charging,
  ...keeping,
  ...files,
  ...security,
];
