// Certificates: the charger asks for its own, and learns whom to trust.

import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authority, certificateFor } from '../../test/certificates.ts';
import { ErrandRunner } from '../../test/errand-runner.ts';
import { booted, type Payload, startMs, type Talk, type TalkOptions } from '../../test/talk.ts';
import { elementAt, pem } from '../adapters/keys/der.ts';
import { NodeKeys } from '../adapters/keys/node.ts';
import { ownCertificate } from '../charger/security.ts';

const keys = new NodeKeys();
const root = authority('CSMS root');
const other = authority('Another root');
const expired = authority('Old root', { validTo: new Date(startMs - 1000) });

const types = {
  '1.6': {
    csms: 'CentralSystemRootCertificate',
    own: 'InvalidChargePointCertificate',
    csmsEvent: 'InvalidCentralSystemCertificate',
  },
  '2.0.1': {
    csms: 'CSMSRootCertificate',
    own: 'InvalidChargingStationCertificate',
    csmsEvent: 'InvalidCsmsCertificate',
  },
} as const;

const events = (talk: Talk): unknown[] =>
  talk
    .said()
    .filter(({ action }) => action === 'SecurityEventNotification')
    .map(({ payload }) => payload['type']);

for (const version of ['1.6', '2.0.1'] as const) {
  const { csms, own, csmsEvent } = types[version];
  const maker = 'ManufacturerRootCertificate';

  async function world(options: TalkOptions = {}) {
    const talk = await booted(version, options);
    const runner = new ErrandRunner();
    const ask = (action: string, payload: object) => runner.ask(talk, action, payload) as Promise<Payload>;
    const install = async (certificate: string, certificateType: string = csms) =>
      (await ask('InstallCertificate', { certificateType, certificate }))['status'];
    const installed = async (certificateType: string) => {
      const asked = version === '1.6' ? certificateType : [certificateType];
      const answer = await ask('GetInstalledCertificateIds', { certificateType: asked });
      const chain = answer['certificateHashDataChain'] as Payload[] | undefined;
      return {
        status: answer['status'],
        names: answer['certificateHashData'] ?? chain?.map((one) => one['certificateHashData']),
      };
    };
    const remove = async (certificateHashData: object) =>
      (await ask('DeleteCertificate', { certificateHashData }))['status'];
    return { talk, runner, ask, install, installed, remove };
  }

  describe(`authorities in OCPP ${version}`, () => {
    it('are installed, listed by their hashes, and deleted', async () => {
      const { install, installed, remove } = await world();
      expect(await installed(csms)).toEqual({ status: 'NotFound', names: undefined });
      expect(await install(root.certificate)).toBe('Accepted');
      expect(await install(root.certificate)).toBe('Accepted');
      expect(await install(other.certificate, maker)).toBe('Accepted');
      const name = keys.identify(root.certificate, 'SHA256');
      expect(await installed(csms)).toEqual({ status: 'Accepted', names: [name] });
      expect(await installed(maker)).toMatchObject({ names: [keys.identify(other.certificate, 'SHA256')] });
      expect(await remove({ ...name, serialNumber: '1234' })).toBe('NotFound');
      expect(await remove(keys.identify(root.certificate, 'SHA512'))).toBe('Accepted');
      expect(await remove(name)).toBe('NotFound');
      expect(await installed(csms)).toEqual({ status: 'NotFound', names: undefined });
    });

    it('survive a power cut', async () => {
      const { talk, install, installed } = await world();
      await install(root.certificate);
      talk.pass(2).powerCut();
      expect(await installed(csms)).toMatchObject({ status: 'Accepted' });
    });

    it('that have expired or cannot be read are rejected, and that is a matter of security', async () => {
      const { talk, install } = await world();
      expect(await install(expired.certificate)).toBe('Rejected');
      expect(await install('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')).toBe('Rejected');
      expect(events(talk)).toEqual([csmsEvent, csmsEvent]);
      expect(await install(expired.certificate, maker)).toBe('Rejected');
      expect(events(talk)).toEqual([]);
    });

    it('that the line depends on are not deleted', async () => {
      const own = certificateFor('SIM-0001', { issuer: root });
      const { certificate, key } = own;
      const credentials = { profile: 3, password: null, roots: [root.certificate], certificate, key };
      const { install, remove, installed } = await world({ station: { credentials } });
      expect(await installed(csms)).toMatchObject({ status: 'Accepted' });
      expect(await remove(keys.identify(root.certificate, 'SHA256'))).toBe('Failed');
      expect(await remove(keys.identify(certificate, 'SHA256', [root.certificate]))).toBe('Failed');
      await install(other.certificate);
      expect(await remove(keys.identify(root.certificate, 'SHA256'))).toBe('Accepted');
    });

    it('must be signed by the one before where that is checked', async () => {
      const { talk, install } = await world();
      const name = 'AdditionalRootCertificateCheck';
      const words = version === '1.6' ? { key: name } : { component: 'SecurityCtrlr', variable: name };
      talk.command('set-configuration', { ...words, value: 'true' });
      expect(await install(root.certificate)).toBe('Accepted');
      expect(await install(other.certificate)).toBe('Rejected');
      expect(await install(authority('Next root', { issuer: root }).certificate)).toBe('Accepted');
      expect(events(talk)).toEqual([csmsEvent]);
    });

    it('are as many as the charger has room for', async () => {
      const { install } = await world();
      for (let count = 0; count < 20; count++) {
        expect(await install(authority(`Root ${count}`).certificate)).toBe('Accepted');
      }
      expect(await install(root.certificate)).toBe('Failed');
    });
  });

  describe(`a certificate of its own in OCPP ${version}`, () => {
    const trigger = (talk: Talk) =>
      version === '1.6'
        ? talk.request('ExtendedTriggerMessage', { requestedMessage: 'SignChargePointCertificate' })
        : talk.request('TriggerMessage', { requestedMessage: 'SignChargingStationCertificate' });

    /** What an authority makes of the request. */
    function signedBy(issuer: ReturnType<typeof authority>, csr: string): string {
      const bytes = Buffer.from(csr.replace(/-----.*-----/g, ''), 'base64');
      const publicKey = createPublicKey(pem('PUBLIC KEY', elementAt(bytes, 0, 0, 2).whole));
      return certificateFor('SIM-0001', { issuer, publicKey }).certificate;
    }

    async function requested(options?: TalkOptions) {
      const parts = await world(options);
      const { talk, runner } = parts;
      talk.answers = { SignCertificate: () => ({ status: 'Accepted' }) };
      expect(trigger(talk)?.[2]).toEqual({ status: 'Accepted' });
      await runner.run(talk);
      const [call] = talk.said();
      expect(call?.action).toBe('SignCertificate');
      return { ...parts, csr: call?.payload['csr'] as string };
    }
    it('is asked for with a new key, and taken when it is for that key', async () => {
      const { talk, ask, install, csr } = await requested();
      await install(root.certificate);
      expect(await ask('CertificateSigned', { certificateChain: signedBy(root, csr) })).toEqual({ status: 'Accepted' });
      expect(events(talk)).toEqual([]);
      expect(talk.conversation.charger.security.own?.certificate).toContain('BEGIN CERTIFICATE');
      expect(await ask('CertificateSigned', { certificateChain: signedBy(root, csr) })).toMatchObject({
        status: 'Rejected',
      });
    });

    it('for another key, by a stranger or unreadable is rejected, and that is a matter of security', async () => {
      const { talk, ask, install, csr } = await requested();
      await install(root.certificate);
      const wrong = [certificateFor('SIM-0001', { issuer: root }).certificate, signedBy(other, csr), 'nonsense'];
      for (const certificateChain of wrong) {
        expect(await ask('CertificateSigned', { certificateChain })).toMatchObject({ status: 'Rejected' });
      }
      expect(events(talk)).toEqual([own, own, own]);
      expect(await ask('CertificateSigned', { certificateChain: signedBy(root, csr) })).toEqual({
        status: 'Accepted',
      });
    });

    it('is what the next line is opened with, which comes at once, where that is how the charger shows who it is', async () => {
      const { certificate, key } = certificateFor('SIM-0001', { issuer: root });
      const credentials = { profile: 3, password: null, roots: [root.certificate], certificate, key };
      const { talk, ask, csr } = await requested({ station: { credentials } });
      const chain = signedBy(root, csr);
      expect(await ask('CertificateSigned', { certificateChain: chain })).toEqual({ status: 'Accepted' });
      expect(talk.dialled).toBe(true);
      expect(ownCertificate(talk.conversation.charger)?.certificate).toBe(chain);
      talk.cut(1006, 'TLS failed');
      expect(ownCertificate(talk.conversation.charger)?.certificate).toBe(certificate);
    });

    it('that is longer than the charger can take is rejected', async () => {
      const { ask, csr } = await requested();
      const certificateChain = signedBy(root, csr) + ' '.repeat(10_000);
      const answer = await ask('CertificateSigned', { certificateChain });
      expect(answer?.['status'] ?? 'CALLERROR').not.toBe('Accepted');
    });

    it('is asked for again while it does not come, each time after twice as long', async () => {
      const { talk } = await requested();
      const asked = () => talk.said().filter(({ action }) => action === 'SignCertificate').length;
      talk.pass(59);
      expect(asked()).toBe(0);
      talk.pass(1);
      expect(asked()).toBe(1);
      talk.pass(119);
      expect(asked()).toBe(0);
      talk.pass(1 + 240);
      expect(asked()).toBe(2);
      talk.pass(10_000);
      expect(asked()).toBe(0);
    });

    it('that the CSMS does not want to have signed is not asked for again', async () => {
      const { talk, runner } = await world();
      talk.answers = { SignCertificate: () => ({ status: 'Rejected' }) };
      trigger(talk);
      await runner.run(talk);
      talk.said();
      talk.pass(1000);
      expect(talk.said().filter(({ action }) => action === 'SignCertificate')).toEqual([]);
    });
  });
}
