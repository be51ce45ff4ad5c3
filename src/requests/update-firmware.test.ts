// New firmware: fetched, checked, installed when nobody charges, and announced by the boot after it.

import { sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authority, certificateFor } from '../../test/certificates.ts';
import { ErrandRunner } from '../../test/errand-runner.ts';
import { booted, charging, inShort, type Payload, startMs, type Talk } from '../../test/talk.ts';
import { versionAfter } from '../charger/firmware.ts';

const location = 'http://files.test/firmware-2.1.0.bin';
const at = (seconds: number): string => new Date(startMs + seconds * 1000).toISOString();
const fetched = { trouble: null, isSigned: null };
const lost = { trouble: 'failed', isSigned: null } as const;

const told = (talk: Talk): string[] =>
  talk
    .said()
    .map((call) =>
      /Firmware/.test(call.action)
        ? `${call.action} ${call.payload['status']} ${call.payload['requestId'] ?? ''}`.trim()
        : call.action === 'BootNotification'
          ? `BootNotification ${call.payload['firmwareVersion']}`
          : inShort(call),
    );

describe('UpdateFirmware', () => {
  it('is fetched, installed with the connectors out of service, and there after a restart', async () => {
    const talk = await booted('1.6');
    expect(talk.request('UpdateFirmware', { location, retrieveDate: at(0) })?.[2]).toEqual({});
    talk.bring(fetched).pass(10);
    expect(told(talk)).toEqual([
      'FirmwareStatusNotification Downloading',
      'FirmwareStatusNotification Downloaded',
      'StatusNotification 1 Unavailable',
      'FirmwareStatusNotification Installing',
    ]);
    talk.pass(5);
    expect(talk.dialled).toBe(true);
    talk.reconnect();
    expect(told(talk)).toEqual([
      'BootNotification 2.1.0',
      'StatusNotification 0 Available',
      'StatusNotification 1 Available',
      'FirmwareStatusNotification Installed',
    ]);
    talk.powerCut();
    expect(told(talk)).toContain('BootNotification 2.1.0');
  });

  it('waits for the moment at which it shall be fetched, over a power cut too', async () => {
    const talk = await booted('1.6');
    talk.request('UpdateFirmware', { location, retrieveDate: at(3600) });
    talk.pass(1800).powerCut().pass(1799);
    expect(talk.errands).toEqual([]);
    talk.pass(1);
    expect(talk.errands).toMatchObject([{ errand: { kind: 'fetch-firmware', location } }]);
    expect(told(talk)).toContain('FirmwareStatusNotification Downloading');
  });

  it('that cannot be fetched is tried as often as the CSMS says, and then fails', async () => {
    const talk = await booted('1.6');
    talk.request('UpdateFirmware', { location, retrieveDate: at(0), retries: 2, retryInterval: 30 });
    talk.bring(lost).pass(30).bring(lost);
    expect(told(talk)).toEqual(['FirmwareStatusNotification Downloading', 'FirmwareStatusNotification DownloadFailed']);
    talk.pass(60);
    expect(talk.errands).toEqual([]);
    expect(told(talk)).toEqual([]);
  });

  it.each(['InstallationFailed', 'InstallVerificationFailed'] as const)(
    'that does not take (%s) leaves the old firmware and the connectors in service',
    async (firmwareFailure) => {
      const talk = await booted('1.6');
      const { charger } = talk.conversation;
      talk.conversation = { ...talk.conversation, charger: { ...charger, conditions: { firmwareFailure } } };
      talk.request('UpdateFirmware', { location, retrieveDate: at(0) });
      talk.bring(fetched).pass(60);
      expect(told(talk)).toEqual([
        'FirmwareStatusNotification Downloading',
        'FirmwareStatusNotification Downloaded',
        'StatusNotification 1 Unavailable',
        'FirmwareStatusNotification Installing',
        'FirmwareStatusNotification InstallationFailed',
        'StatusNotification 1 Available',
      ]);
      expect(talk.conversation.charger.station.firmwareVersion).toBe('1.0.0');
    },
  );

  it('waits for the running transaction; nobody else may begin one', async () => {
    const talk = await charging('1.6', { station: { connectorCount: 2 } as Payload });
    talk.request('UpdateFirmware', { location, retrieveDate: at(0) });
    talk.bring(fetched).pass(50);
    expect(told(talk).filter((said) => !said.startsWith('MeterValues'))).toEqual([
      'FirmwareStatusNotification Downloading',
      'FirmwareStatusNotification Downloaded',
      'StatusNotification 2 Unavailable',
    ]);
    expect(talk.request('RemoteStartTransaction', { idTag: 'OTHER', connectorId: 2 })?.[2]).toEqual({
      status: 'Rejected',
    });
    talk.command('stop-session');
    talk.pass(1);
    expect(told(talk)).toContain('FirmwareStatusNotification Installing');
  });

  it('goes on by itself after a power cut in the middle of the download', async () => {
    const talk = await booted('1.6');
    talk.request('UpdateFirmware', { location, retrieveDate: at(0) });
    talk.pass(2).powerCut();
    expect(talk.calledOff).toHaveLength(1);
    talk.said();
    talk.errands.shift();
    talk.bring(fetched).pass(1);
    expect(told(talk)).toEqual([
      'FirmwareStatusNotification Downloaded',
      'StatusNotification 1 Unavailable',
      'FirmwareStatusNotification Installing',
    ]);
  });

  it('is installed anew after a power cut in the middle of the installation', async () => {
    const talk = await booted('1.6');
    talk.request('UpdateFirmware', { location, retrieveDate: at(0) });
    talk.bring(fetched).pass(5).powerCut().pass(15);
    expect(talk.dialled).toBe(true);
    talk.reconnect();
    const boots = talk.said().flatMap(({ payload }) => payload['firmwareVersion'] ?? []);
    expect(boots).toEqual(['1.0.0', '2.1.0']);
    expect(talk.conversation.charger.firmware).toBeNull();
  });

  it('is lost on the way or was never the maker’s, when the world wants it so', async () => {
    const talk = await booted('1.6');
    const { charger } = talk.conversation;
    talk.conversation = {
      ...talk.conversation,
      charger: { ...charger, conditions: { firmwareFailure: 'DownloadFailed' } },
    };
    talk.request('UpdateFirmware', { location, retrieveDate: at(0) });
    talk.bring(fetched);
    expect(told(talk).at(-1)).toBe('FirmwareStatusNotification DownloadFailed');
  });

  it('gives way to another one while it is being fetched', async () => {
    const talk = await booted('1.6');
    talk.request('UpdateFirmware', { location, retrieveDate: at(0) });
    talk.request('UpdateFirmware', { location: 'http://files.test/3.0.bin', retrieveDate: at(0) });
    expect(talk.calledOff).toHaveLength(1);
    talk.bring(fetched).bring(fetched).pass(20);
    expect(talk.conversation.charger.station.firmwareVersion).toBe('3.0');
  });

  it('is told about when the CSMS wants to hear of it', async () => {
    const talk = await booted('1.6');
    const ask = (action: string) => talk.request(action, { requestedMessage: 'FirmwareStatusNotification' });
    ask('TriggerMessage');
    ask('ExtendedTriggerMessage');
    talk.request('UpdateFirmware', { location, retrieveDate: at(60) });
    ask('TriggerMessage');
    talk.pass(60);
    ask('TriggerMessage');
    expect(told(talk)).toEqual([
      'FirmwareStatusNotification Idle',
      'SignedFirmwareStatusNotification Idle',
      'FirmwareStatusNotification Idle',
      'FirmwareStatusNotification Downloading',
      'FirmwareStatusNotification Downloading',
    ]);
  });
});

describe('the version after an update', () => {
  it('is the one in the name of the file, or the next', () => {
    expect(versionAfter('1.0.0', 'ftp://files.test/v10.2/acme_4.12.bin?v=1.1')).toBe('4.12');
    expect(versionAfter('1.0.9', 'ftp://files.test/latest.bin')).toBe('1.0.10');
    expect(versionAfter('R7b', 'ftp://files.test/')).toBe('R8b');
  });
});

const content = Buffer.from('firmware of the maker');
const maker = authority('Maker');
const signer = certificateFor('Firmware', { issuer: maker });

describe.each([
  ['1.6', 'SignedUpdateFirmware', 'SignedFirmwareStatusNotification'],
  ['2.0.1', 'UpdateFirmware', 'FirmwareStatusNotification'],
  ['2.1', 'UpdateFirmware', 'FirmwareStatusNotification'],
] as const)('signed firmware in OCPP %s', (version, action, notification) => {
  async function world() {
    const talk = await booted(version);
    const runner = new ErrandRunner();
    runner.files.served.set(location, content);
    const install = { certificateType: 'ManufacturerRootCertificate', certificate: maker.certificate };
    expect(await runner.ask(talk, 'InstallCertificate', install)).toEqual({ status: 'Accepted' });
    return { talk, runner };
  }
  const signature = sign('sha256', content, signer.privateKey).toString('base64');
  const request = (more: Payload = {}): Payload => ({
    requestId: 5,
    firmware: { location, retrieveDateTime: at(0), signingCertificate: signer.certificate, signature, ...more },
  });
  const firmwareOf = (talk: Talk): string[] => told(talk).filter((said) => /Firmware|Security/.test(said));

  it('is checked, installed, and told about step by step', async () => {
    const { talk, runner } = await world();
    expect(await runner.ask(talk, action, request())).toEqual({ status: 'Accepted' });
    talk.pass(20).reconnect();
    expect(firmwareOf(talk)).toEqual([
      ...['Downloading', 'Downloaded', 'SignatureVerified', 'Installing', 'InstallRebooting', 'Installed'].map(
        (status) => `${notification} ${status} 5`,
      ),
      'SecurityEventNotification',
    ]);
  });

  it('is installed when the CSMS says', async () => {
    const { talk, runner } = await world();
    const scheduled = request({ retrieveDateTime: at(60), installDateTime: at(120) });
    expect(await runner.ask(talk, action, scheduled)).toEqual({ status: 'Accepted' });
    talk.pass(60);
    await runner.run(talk);
    talk.pass(59);
    expect(firmwareOf(talk)).toEqual(
      ['DownloadScheduled', 'Downloading', 'Downloaded', 'SignatureVerified', 'InstallScheduled'].map(
        (status) => `${notification} ${status} 5`,
      ),
    );
    talk.pass(1);
    expect(firmwareOf(talk)).toEqual([`${notification} Installing 5`]);
  });

  it('with a wrong signature is not installed, and that is a matter of security', async () => {
    const { talk, runner } = await world();
    runner.files.served.set(location, Buffer.from('firmware of somebody else'));
    expect(await runner.ask(talk, action, request())).toEqual({ status: 'Accepted' });
    talk.pass(60);
    expect(talk.calls.find((call) => call.action === 'SecurityEventNotification')?.payload).toMatchObject({
      type: 'InvalidFirmwareSignature',
    });
    expect(firmwareOf(talk)).toEqual([
      ...['Downloading', 'Downloaded', 'InvalidSignature'].map((status) => `${notification} ${status} 5`),
      'SecurityEventNotification',
    ]);
  });

  it('by somebody whom the maker has not certified is refused at once', async () => {
    const { talk, runner } = await world();
    const stranger = certificateFor('Stranger', { issuer: authority('Somebody') });
    const expired = certificateFor('Old', { issuer: maker, validTo: new Date(startMs - 1000) });
    for (const { certificate } of [stranger, expired, { certificate: 'nonsense' }]) {
      expect(await runner.ask(talk, action, request({ signingCertificate: certificate }))).toEqual({
        status: 'InvalidCertificate',
      });
    }
    const events = talk.said().map(({ payload }) => payload['type']);
    expect(events).toEqual(Array(3).fill('InvalidFirmwareSigningCertificate'));
  });

  it('is refused while other firmware is being installed, and cancels one that is not', async () => {
    const { talk, runner } = await world();
    talk.request(action, request());
    // The certificate is right; the download is still under way.
    talk.bring({ problem: null });
    talk.errands.shift();
    expect(await runner.ask(talk, action, { ...request(), requestId: 6 })).toEqual({ status: 'AcceptedCanceled' });
    talk.pass(1);
    expect(await runner.ask(talk, action, { ...request(), requestId: 7 })).toEqual({ status: 'Rejected' });
  });
});
