// OCPP 1.6 with its security extension: passwords, certificates, logs and signed firmware.

import { createPublicKey, sign } from 'node:crypto';
import { elementAt, pem } from '../../../src/adapters/keys/der.ts';
import { authority, certificateFor } from '../../certificates.ts';
import { type Group, theCase, theLineCase } from '../case.ts';
import { expectSame, expectTrue, present } from '../expecting.ts';
import { chargerIdentity, root, stranger } from '../line-stage.ts';
import type { Stage, StageCsms } from '../stage.ts';

const password = 'a long password 1';
const csmsRoot = 'CentralSystemRootCertificate';
const makerRoot = 'ManufacturerRootCertificate';
const maker = authority('Maker');
const credentials = { profile: 2, password, roots: [root.certificate], certificate: null, key: null };

/** A certificate for the key that the charger has made. */
function certified(csr: string, issuer = root) {
  const bytes = Buffer.from(csr.replace(/-----.*-----/g, ''), 'base64');
  const publicKey = createPublicKey(pem('PUBLIC KEY', elementAt(bytes, 0, 0, 2).whole));
  return certificateFor('CP-1', { issuer, publicKey });
}

const passwords: Group['cases'] = [
  theLineCase(
    'TC_073_CS',
    'a new password',
    {
      given: 'a charger of security profile 1',
      when: 'the CSMS sets AuthorizationKey to sixteen bytes in hexadecimal digits',
      follows: 'Accepted; the charger hangs up, and comes in with the new bytes, without a new boot',
    },
    async (line) => {
      line.demands(password);
      await line.charger({ profile: 1, basicPassword: password });
      line.demands('sixteen new byte');
      await line.configure('AuthorizationKey', Buffer.from('sixteen new byte').toString('hex'));
      const { basicAuth } = await line.arrives(2);
      expectSame(basicAuth, 'CP-1:sixteen new byte', 'the password');
      await line.expect('StatusNotification', { connectorId: 0 });
    },
  ),
];

const certificates: Group['cases'] = [
  theLineCase(
    'TC_074_CS',
    'a new certificate of the charger',
    {
      given: 'a charger of security profile 3',
      when: 'the CSMS has it ask for a certificate, and brings one for the key that it has made',
      follows: 'Accepted, SignCertificate, Accepted; the charger comes in anew and shows the new certificate',
    },
    async (line) => {
      const own = chargerIdentity();
      const security = { caPem: root.certificate, clientCertPem: own.certificate, clientKeyPem: own.key };
      await line.charger({ profile: 3, ...security });
      const before = await line.arrives(1);
      await line.send(
        'ExtendedTriggerMessage',
        { requestedMessage: 'SignChargePointCertificate' },
        { status: 'Accepted' },
      );
      const { csr } = await line.expect('SignCertificate', { csr: present });
      const { certificate } = certified(csr);
      await line.send('CertificateSigned', { certificateChain: certificate }, { status: 'Accepted' });
      const after = await line.arrives(2);
      expectTrue(after.certificate !== null, 'no certificate was shown');
      expectTrue(after.certificate?.serialNumber !== before.certificate?.serialNumber, 'it shows the same certificate');
    },
  ),
  ...[
    { id: 'TC_075_1_CS', certificateType: makerRoot, whose: 'the maker', certificate: maker.certificate },
    { id: 'TC_075_2_CS', certificateType: csmsRoot, whose: 'the CSMS', certificate: stranger.certificate },
  ].map(({ id, certificateType, whose, certificate }) =>
    theCase(
      id,
      `an authority of ${whose} is installed`,
      {
        given: 'an idle charger',
        when: `the CSMS installs a ${certificateType}, asks for the list, and installs what is no certificate`,
        follows: 'Accepted; it is in the list with its hashes; what is no certificate is Rejected',
      },
      async ({ csms }) => {
        await csms.send('InstallCertificate', { certificateType, certificate }, { status: 'Accepted' });
        const { certificateHashData } = await csms.send(
          'GetInstalledCertificateIds',
          { certificateType },
          { status: 'Accepted' },
        );
        expectSame(certificateHashData.length, 1, 'the number of certificates');
        await csms.send('InstallCertificate', { certificateType, certificate: 'nonsense' }, { status: 'Rejected' });
      },
    ),
  ),
  theCase(
    'TC_076_CS',
    'an authority is taken away',
    {
      given: 'a charger with an authority of its maker',
      when: 'the CSMS deletes it by its hashes, twice',
      follows: 'Accepted and gone from the list; the second time NotFound',
    },
    async ({ csms }) => {
      const certificateType = makerRoot;
      await csms.send(
        'InstallCertificate',
        { certificateType, certificate: maker.certificate },
        { status: 'Accepted' },
      );
      const { certificateHashData } = await csms.send(
        'GetInstalledCertificateIds',
        { certificateType },
        { status: 'Accepted' },
      );
      const request = { certificateHashData: certificateHashData[0] };
      await csms.send('DeleteCertificate', request, { status: 'Accepted' });
      await csms.send('GetInstalledCertificateIds', { certificateType }, { status: 'NotFound' });
      await csms.send('DeleteCertificate', request, { status: 'NotFound' });
    },
  ),
  theCase(
    'TC_077_CS',
    'a certificate for the charger that is not right',
    {
      given: 'a charger that has asked for a certificate',
      when: 'the CSMS brings one that a stranger has issued',
      follows: 'Rejected, and SecurityEventNotification (InvalidChargePointCertificate)',
    },
    async ({ csms }) => {
      const trigger = { requestedMessage: 'SignChargePointCertificate' };
      csms.answers('SignCertificate', { status: 'Accepted' });
      await csms.send('ExtendedTriggerMessage', trigger, { status: 'Accepted' });
      const { csr } = csms.expect('SignCertificate', { csr: present });
      const certificateChain = certified(csr, stranger).certificate;
      await csms.send('CertificateSigned', { certificateChain }, { status: 'Rejected' });
      csms.expect('SecurityEventNotification', { type: 'InvalidChargePointCertificate', timestamp: present });
    },
    { credentials },
  ),
  theLineCase(
    'TC_078_CS',
    'a CSMS that is not the right one',
    {
      given: 'a charger of security profile 2',
      when: 'the line breaks, a CSMS with the certificate of a stranger takes its place, and then the right one again',
      follows:
        'the charger does not speak to the stranger; back at the right one it tells InvalidCentralSystemCertificate',
    },
    async (line) => {
      await line.charger({ profile: 2, basicPassword: password, caPem: root.certificate });
      line.shows('wrong');
      await line.hangsUp();
      await line.turnsAway();
      line.shows('right');
      await line.arrives(2);
      await line.expect('SecurityEventNotification', { type: 'InvalidCentralSystemCertificate' });
    },
  ),
];

async function updates({ csms }: Stage, signature: string): Promise<void> {
  const location = 'https://files.test/acme-3.0.0.bin';
  csms.files.served.set(location, content);
  await csms.send(
    'InstallCertificate',
    { certificateType: makerRoot, certificate: maker.certificate },
    { status: 'Accepted' },
  );
  const firmware = { location, retrieveDateTime: csms.inS(0), signingCertificate: signer.certificate, signature };
  await csms.send('SignedUpdateFirmware', { requestId: 5, firmware }, { status: 'Accepted' });
}

const content = Buffer.from('firmware of the maker');
const signer = certificateFor('Firmware', { issuer: maker });
const signatureOf = (bytes: Buffer): string => sign('sha256', bytes, signer.privateKey).toString('base64');
const expectFirmware = (csms: StageCsms, status: string) =>
  csms.expect('SignedFirmwareStatusNotification', { status, requestId: 5 });

const logAndFirmware: Group['cases'] = [
  theCase(
    'TC_079_CS',
    'the security log is sent',
    {
      given: 'a charger of security profile 2 that has started',
      when: 'the CSMS asks for its security log',
      follows:
        'Accepted with the name of the file; Uploading, Uploaded with the number of the request; the start is in it',
    },
    async ({ csms }) => {
      const request = { logType: 'SecurityLog', requestId: 9, log: { remoteLocation: 'https://files.test/logs' } };
      const { filename } = await csms.send('GetLog', request, { status: 'Accepted', filename: present });
      for (const status of ['Uploading', 'Uploaded']) csms.expect('LogStatusNotification', { status, requestId: 9 });
      const [file] = csms.files.received;
      expectSame(file?.fileName, filename, 'the name of the file');
      expectTrue(Buffer.from(file?.content ?? []).includes('StartupOfTheDevice'), 'the start is not in the log');
    },
    { credentials },
  ),
  theCase(
    'TC_080_CS',
    'signed firmware is installed',
    {
      given: 'a charger that trusts its maker',
      when: 'the CSMS orders firmware that the maker has signed',
      follows:
        'Accepted; each status to Installed with the number of the request, a boot between; FirmwareUpdated at the end',
    },
    async (stage) => {
      const { station, csms } = stage;
      await updates(stage, signatureOf(content));
      await station.waitS(30);
      for (const status of ['Downloading', 'Downloaded', 'SignatureVerified']) expectFirmware(csms, status);
      csms.expectStatus('Unavailable');
      for (const status of ['Installing', 'InstallRebooting']) expectFirmware(csms, status);
      csms.expect('BootNotification', { firmwareVersion: '3.0.0' });
      for (const connectorId of [0, 1]) csms.expectStatus('Available', connectorId);
      expectFirmware(csms, 'Installed');
      csms.expect('SecurityEventNotification', { type: 'FirmwareUpdated' });
    },
  ),
  theCase(
    'TC_081_CS',
    'firmware with a signature that is not right',
    {
      given: 'a charger that trusts its maker',
      when: 'the CSMS orders firmware with the signature of other bytes',
      follows:
        'Accepted, Downloading, Downloaded, InvalidSignature; InvalidFirmwareSignature, and nothing is installed',
    },
    async (stage) => {
      const { station, csms } = stage;
      await updates(stage, signatureOf(Buffer.from('something else')));
      for (const status of ['Downloading', 'Downloaded', 'InvalidSignature']) expectFirmware(csms, status);
      csms.expect('SecurityEventNotification', { type: 'InvalidFirmwareSignature' });
      await station.waitS(30);
      csms.expectSilence();
    },
  ),
];

const profiles: Group['cases'] = [
  theLineCase(
    'TC_083_CS',
    'the security profile is raised',
    {
      given: 'a charger of security profile 1 without an authority of the CSMS',
      when: 'the CSMS raises the profile to 2, installs its authority, and raises it again',
      follows: 'Rejected for want of an authority; then Accepted, and the charger comes in over TLS with its password',
    },
    async (line) => {
      await line.charger({ profile: 1, basicPassword: password });
      expectSame((await line.arrives(1)).isEncrypted, false, 'that it came over TLS');
      await line.configure('SecurityProfile', '2', 'Rejected');
      const install = { certificateType: csmsRoot, certificate: root.certificate };
      await line.send('InstallCertificate', install, { status: 'Accepted' });
      await line.configure('SecurityProfile', '2');
      const { isEncrypted, basicAuth } = await line.arrives(2);
      expectSame([isEncrypted, basicAuth], [true, `CP-1:${password}`], 'how it came');
    },
  ),
  theLineCase(
    'TC_084_CS',
    'the security profile is lowered',
    {
      given: 'a charger of security profile 2',
      when: 'the CSMS lowers the profile to 1',
      follows: 'Rejected; the charger stays, and comes over TLS the next time, too',
    },
    async (line) => {
      await line.charger({ profile: 2, basicPassword: password, caPem: root.certificate });
      await line.configure('SecurityProfile', '1', 'Rejected');
      await line.hangsUp();
      expectSame((await line.arrives(2)).isEncrypted, true, 'that it came over TLS');
    },
  ),
  theLineCase(
    'TC_085_CS',
    'a charger shows its password',
    {
      given: 'a CSMS that lets nobody in without the password',
      when: 'a charger of security profile 1 comes',
      follows: 'it shows its identity and its password, is let in, and boots',
    },
    async (line) => {
      line.demands(password);
      await line.charger({ profile: 1, basicPassword: password });
      expectSame((await line.arrives(1)).basicAuth, `CP-1:${password}`, 'the password');
    },
  ),
  theLineCase(
    'TC_086_CS',
    'a charger trusts its CSMS',
    {
      given: 'a CSMS with a certificate of an authority that the charger knows',
      when: 'a charger of security profile 2 comes',
      follows: 'it comes over TLS, shows its password, and boots',
    },
    async (line) => {
      line.demands(password);
      await line.charger({ profile: 2, basicPassword: password, caPem: root.certificate });
      const { isEncrypted, basicAuth } = await line.arrives(1);
      expectSame([isEncrypted, basicAuth], [true, `CP-1:${password}`], 'how it came');
    },
  ),
  theLineCase(
    'TC_087_CS',
    'a charger shows its certificate',
    {
      given: 'a CSMS that lets in only who has a certificate of its authority',
      when: 'a charger of security profile 3 comes',
      follows: 'it shows its certificate and no password, and boots',
    },
    async (line) => {
      const own = chargerIdentity();
      line.demands('nobody knows this one');
      const security = { caPem: root.certificate, clientCertPem: own.certificate, clientKeyPem: own.key };
      await line.charger({ profile: 3, ...security });
      const { certificate, basicAuth } = await line.arrives(1);
      expectSame([certificate?.name, basicAuth], ['CP-1', null], 'how it came');
    },
  ),
];

export const security: Group = {
  name: 'security',
  cases: [...passwords, ...certificates, ...logAndFirmware, ...profiles],
};
