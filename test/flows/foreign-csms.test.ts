// All that a charger says and answers, before a CSMS that we did not write.

import { createPublicKey, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { elementAt, pem } from '../../src/adapters/keys/der.ts';
import { authority, certificateFor } from '../certificates.ts';
import { type ForeignCsms, startForeignCsms } from './foreign-csms.ts';
import { gatewayHere, type Json } from './gateway.ts';

const accepted = { status: 'Accepted' };
const inS = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

const profile = (chargingProfilePurpose: string, limit: number): Json => ({
  chargingProfileId: chargingProfilePurpose.length,
  stackLevel: 0,
  chargingProfilePurpose,
  chargingProfileKind: 'Absolute',
  chargingSchedule: {
    startSchedule: inS(-10),
    chargingRateUnit: 'A',
    chargingSchedulePeriod: [{ startPeriod: 0, limit }],
  },
});

/** A certificate for the key that the charger has made. */
function certified(csr: string, name: string, issuer: ReturnType<typeof authority>): string {
  const bytes = Buffer.from(csr.replace(/-----.*-----/g, ''), 'base64');
  const publicKey = createPublicKey(pem('PUBLIC KEY', elementAt(bytes, 0, 0, 2).whole));
  return certificateFor(name, { issuer, publicKey }).certificate;
}

describe('a strict ocpp-rpc server', () => {
  let world: Awaited<ReturnType<typeof gatewayHere>>;
  let csms: ForeignCsms;

  beforeAll(async () => {
    world = await gatewayHere();
    csms = await startForeignCsms();
  });
  afterAll(async () => {
    await world.close();
    await csms.close();
  });

  /** A charger that has booted here, and whoever talks to it. */
  async function charger(identity: string, ocpp_version: string, more: Json = {}) {
    const { client } = world;
    let read = csms.calls.length;
    const { id } = await client.create({ identity, ocpp_version, ws_url: csms.url, ...more });
    await client.untilConnected(identity);
    const fits = (params: Json, wanted: Json): boolean =>
      Object.entries(wanted).every(([name, value]) => params[name] === value);
    return {
      ask: (action: string, params: Json = {}) => csms.ask(identity, action, params),
      async does(command: string, event: Json = {}): Promise<void> {
        expect(await client.command(id, command, event)).toMatchObject({ status: 'succeeded' });
      },
      /** What comes next of this, from where was last read. */
      async says(action: string, wanted: Json = {}): Promise<Json> {
        const find = () =>
          csms.calls.findIndex(
            (call, index) =>
              index >= read && call.identity === identity && call.action === action && fits(call.params, wanted),
          );
        await client.until(`${action} ${JSON.stringify(wanted)} is heard`, async () => find() >= 0, 20_000);
        const call = csms.calls[find()];
        read = find() + 1;
        return call?.params;
      },
      async comesBack(after: () => Promise<void>): Promise<void> {
        const before = csms.line(identity);
        await after();
        await client.until('it is back', async () => csms.line(identity) !== before, 20_000);
        await client.untilConnected(identity);
      },
    };
  }

  it.each(['1.6', '2.0.1', '2.1'])('OCPP %s: hears a whole visit', async (version) => {
    const { does } = await charger(`FOREIGN-${version}`, version);
    await does('plug-connector');
    await does('authorize', { id_tag: 'DEADBEEF' });
    await does('power-update', { power_w: 5_000 });
    await does('ev-stops-energy');
    await does('ev-requests-energy');
    await does('inject-fault', { error_code: 'WeakSignal' });
    await does('clear-fault');
    await does('authorize', { id_tag: 'DEADBEEF' });
    await does('unplug-connector');
    await does('start-session', { id_tag: 'DEADBEEF' });
    await does('inject-fault', { error_code: 'GroundFailure' });
    await does('clear-fault');
    expect(csms.problems).toEqual([]);
    const said = csms.calls.filter((call) => call.identity === `FOREIGN-${version}`).map(({ action }) => action);
    expect(said[0]).toBe('BootNotification');
    expect(
      said.filter((action) => /^(?:StartTransaction|StopTransaction|TransactionEvent)$/.test(action)).length,
    ).toBeGreaterThanOrEqual(4);
  });

  it('OCPP 1.6: is answered whatever it asks for', async () => {
    const { ask, does, says, comesBack } = await charger('FOREIGN-ASKED', '1.6');

    const { configurationKey } = await ask('GetConfiguration');
    expect(configurationKey).toContainEqual({ key: 'NumberOfConnectors', readonly: true, value: '1' });
    expect(await ask('GetConfiguration', { key: ['NoSuchKey'] })).toMatchObject({ unknownKey: ['NoSuchKey'] });
    const sampling = { key: 'MeterValueSampleInterval', value: '1' };
    expect(await ask('ChangeConfiguration', sampling)).toEqual(accepted);
    const sampled =
      'Energy.Active.Import.Register,Power.Active.Import,Current.Import,Voltage,SoC,Frequency,Temperature';
    expect(await ask('ChangeConfiguration', { key: 'MeterValuesSampledData', value: sampled })).toEqual(accepted);
    expect(await ask('ChangeConfiguration', { key: 'StopTxnSampledData', value: sampled })).toEqual(accepted);
    const localAuthorizationList = [{ idTag: 'LISTED', idTagInfo: { status: 'Accepted', expiryDate: inS(3_600) } }];
    const list = { listVersion: 1, updateType: 'Full', localAuthorizationList };
    expect(await ask('SendLocalList', list)).toEqual(accepted);
    expect(await ask('GetLocalListVersion')).toEqual({ listVersion: 1 });
    expect(await ask('ClearCache')).toEqual(accepted);
    expect(await ask('DataTransfer', { vendorId: 'nobody' })).toEqual({ status: 'UnknownVendorId' });

    const reservation = { connectorId: 1, expiryDate: inS(3_600), idTag: 'LISTED', reservationId: 5 };
    expect(await ask('ReserveNow', reservation)).toEqual(accepted);
    await says('StatusNotification', { status: 'Reserved' });
    expect(await ask('CancelReservation', { reservationId: 5 })).toEqual(accepted);
    await says('StatusNotification', { status: 'Available' });
    expect(await ask('ChangeAvailability', { connectorId: 0, type: 'Inoperative' })).toEqual(accepted);
    await says('StatusNotification', { status: 'Unavailable', connectorId: 1 });
    expect(await ask('ChangeAvailability', { connectorId: 0, type: 'Operative' })).toEqual(accepted);
    for (const requestedMessage of [
      'BootNotification',
      'DiagnosticsStatusNotification',
      'FirmwareStatusNotification',
      'Heartbeat',
      'MeterValues',
      'StatusNotification',
    ]) {
      expect(await ask('TriggerMessage', { requestedMessage })).toEqual(accepted);
      await says(requestedMessage);
    }

    // The holder of a reservation comes, and is limited.
    expect(await ask('ReserveNow', { ...reservation, reservationId: 6 })).toEqual(accepted);
    const csChargingProfiles = profile('TxDefaultProfile', 16);
    expect(await ask('SetChargingProfile', { connectorId: 1, csChargingProfiles })).toEqual(accepted);
    await does('plug-connector');
    const chargingProfile = profile('TxProfile', 10);
    expect(await ask('RemoteStartTransaction', { idTag: 'LISTED', connectorId: 1, chargingProfile })).toEqual(accepted);
    await says('StartTransaction', { reservationId: 6, idTag: 'LISTED' });
    await says('StatusNotification', { status: 'Charging' });
    const { transactionId } = await says('MeterValues');
    expect(await ask('GetCompositeSchedule', { connectorId: 1, duration: 60 })).toMatchObject({
      status: 'Accepted',
      chargingSchedule: { duration: 60, chargingSchedulePeriod: [{ startPeriod: 0 }] },
    });
    expect(await ask('ChangeAvailability', { connectorId: 1, type: 'Inoperative' })).toEqual({ status: 'Scheduled' });
    expect(await ask('ChangeAvailability', { connectorId: 1, type: 'Operative' })).toEqual(accepted);
    expect(await ask('RemoteStopTransaction', { transactionId })).toEqual(accepted);
    await says('StopTransaction', { reason: 'Remote', transactionId });
    expect(await ask('ClearChargingProfile')).toEqual(accepted);
    expect(await ask('UnlockConnector', { connectorId: 1 })).toEqual({ status: 'Unlocked' });
    await does('unplug-connector');

    for (const type of ['Soft', 'Hard']) {
      await does('start-session', { id_tag: 'DEADBEEF' });
      await comesBack(async () => {
        expect(await ask('Reset', { type })).toEqual(accepted);
      });
      await says('StopTransaction', { reason: `${type}Reset` });
      await says('BootNotification');
      await does('unplug-connector');
    }
    expect(await ask('GetDiagnostics', { location: `${csms.filesUrl}/logs` })).toHaveProperty('fileName');
    await says('DiagnosticsStatusNotification', { status: 'Uploaded' });
    await comesBack(async () => {
      const update = { location: `${csms.filesUrl}/acme-7.8.9.bin`, retrieveDate: inS(-1) };
      expect(await ask('UpdateFirmware', update)).toEqual({});
    });
    await says('FirmwareStatusNotification', { status: 'Installing' });
    await says('BootNotification', { firmwareVersion: '7.8.9' });
    await says('FirmwareStatusNotification', { status: 'Installed' });
    expect(csms.problems).toEqual([]);
  });

  it('OCPP 1.6: is answered in the words of the security extension', async () => {
    const root = authority('CSMS root');
    const maker = authority('Maker');
    const identity = 'FOREIGN-SECURE';
    const security = { profile: 1, basic_password: 'a long password 1' };
    const { ask, says, comesBack } = await charger(identity, '1.6', { security });
    await says('SecurityEventNotification', { type: 'StartupOfTheDevice' });

    for (const [certificateType, { certificate }] of [
      ['CentralSystemRootCertificate', root],
      ['ManufacturerRootCertificate', maker],
    ] as const) {
      expect(await ask('InstallCertificate', { certificateType, certificate })).toEqual(accepted);
      expect(await ask('GetInstalledCertificateIds', { certificateType })).toMatchObject(accepted);
    }
    for (const requestedMessage of [
      'BootNotification',
      'Heartbeat',
      'LogStatusNotification',
      'MeterValues',
      'StatusNotification',
    ]) {
      expect(await ask('ExtendedTriggerMessage', { requestedMessage })).toEqual(accepted);
      await says(requestedMessage);
    }
    expect(await ask('ExtendedTriggerMessage', { requestedMessage: 'FirmwareStatusNotification' })).toEqual(accepted);
    await says('SignedFirmwareStatusNotification', { status: 'Idle' });
    expect(await ask('ExtendedTriggerMessage', { requestedMessage: 'SignChargePointCertificate' })).toEqual(accepted);
    const { csr } = await says('SignCertificate');
    const certificateChain = certified(csr, identity, root);
    expect(await ask('CertificateSigned', { certificateChain: certified(csr, identity, maker) })).toEqual({
      status: 'Rejected',
    });
    await says('SecurityEventNotification', { type: 'InvalidChargePointCertificate' });
    expect(await ask('CertificateSigned', { certificateChain })).toEqual(accepted);

    const log = { logType: 'SecurityLog', requestId: 9, log: { remoteLocation: `${csms.filesUrl}/logs` } };
    expect(await ask('GetLog', log)).toMatchObject({ status: 'Accepted', filename: expect.any(String) });
    await says('LogStatusNotification', { status: 'Uploaded', requestId: 9 });

    const signer = certificateFor('Firmware', { issuer: maker });
    const firmware = {
      location: `${csms.filesUrl}/acme-9.9.9.bin`,
      retrieveDateTime: inS(-1),
      signingCertificate: signer.certificate,
      signature: sign('sha256', Buffer.from('firmware'), signer.privateKey).toString('base64'),
    };
    await comesBack(async () => {
      expect(await ask('SignedUpdateFirmware', { requestId: 3, firmware })).toEqual(accepted);
    });
    await says('SignedFirmwareStatusNotification', { status: 'SignatureVerified', requestId: 3 });
    await says('BootNotification', { firmwareVersion: '9.9.9' });
    await says('SignedFirmwareStatusNotification', { status: 'Installed', requestId: 3 });
    await says('SecurityEventNotification', { type: 'FirmwareUpdated' });

    const { certificateHashData } = await ask('GetInstalledCertificateIds', {
      certificateType: 'ManufacturerRootCertificate',
    });
    expect(await ask('DeleteCertificate', { certificateHashData: certificateHashData[0] })).toEqual(accepted);
    expect(csms.problems).toEqual([]);
  });

  it.each(['2.0.1', '2.1'])('OCPP %s: is answered in what it asks for', async (version) => {
    const { ask, does, says } = await charger(`FOREIGN-ASKED-${version}`, version);
    const idToken = { idToken: 'LISTED', type: 'ISO14443' };
    const localAuthorizationList = [{ idToken, idTokenInfo: { status: 'Accepted' } }];
    const list = { versionNumber: 1, updateType: 'Full', localAuthorizationList };
    expect(await ask('SendLocalList', list)).toEqual(accepted);
    expect(await ask('GetLocalListVersion')).toEqual({ versionNumber: 1 });
    expect(await ask('ClearCache')).toMatchObject({ status: expect.any(String) });
    expect(await ask('DataTransfer', { vendorId: 'nobody' })).toEqual({ status: 'UnknownVendorId' });
    expect(await ask('ReserveNow', { id: 5, expiryDateTime: inS(3_600), idToken, evseId: 1 })).toEqual(accepted);
    await says('StatusNotification', { connectorStatus: 'Reserved' });
    expect(await ask('CancelReservation', { reservationId: 5 })).toEqual(accepted);
    await says('StatusNotification', { connectorStatus: 'Available' });
    expect(await ask('ChangeAvailability', { operationalStatus: 'Inoperative' })).toEqual(accepted);
    await says('StatusNotification', { connectorStatus: 'Unavailable' });
    expect(await ask('ChangeAvailability', { operationalStatus: 'Operative' })).toEqual(accepted);
    for (const requestedMessage of [
      'FirmwareStatusNotification',
      'Heartbeat',
      'LogStatusNotification',
      'MeterValues',
    ]) {
      expect(await ask('TriggerMessage', { requestedMessage })).toEqual(accepted);
      await says(requestedMessage);
    }
    await does('plug-connector');
    const start = { idToken, remoteStartId: 7, evseId: 1 };
    expect(await ask('RequestStartTransaction', start)).toMatchObject(accepted);
    const { transactionInfo } = await says('TransactionEvent', { eventType: 'Started', triggerReason: 'RemoteStart' });
    const { transactionId } = transactionInfo;
    expect(await ask('UnlockConnector', { evseId: 1, connectorId: 1 })).toMatchObject({
      status: 'OngoingAuthorizedTransaction',
    });
    expect(await ask('RequestStopTransaction', { transactionId })).toEqual(accepted);
    await says('TransactionEvent', { eventType: 'Ended', triggerReason: 'RemoteStop' });
    const log = { logType: 'DiagnosticsLog', requestId: 9, log: { remoteLocation: `${csms.filesUrl}/logs` } };
    expect(await ask('GetLog', log)).toMatchObject(accepted);
    await says('LogStatusNotification', { status: 'Uploaded', requestId: 9 });
    const certificateType = 'CSMSRootCertificate';
    const { certificate } = authority('CSMS root');
    expect(await ask('InstallCertificate', { certificateType, certificate })).toEqual(accepted);
    expect(await ask('GetInstalledCertificateIds', { certificateType: [certificateType] })).toMatchObject(accepted);
    expect(csms.problems).toEqual([]);
  });
});
