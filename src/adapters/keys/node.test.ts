// What keys and certificates promise, on real ones.

import { createHash, createPublicKey, sign, verify, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authority, certificateFor } from '../../../test/certificates.ts';
import { elementAt } from './der.ts';
import { NodeKeys } from './node.ts';

const keys = new NodeKeys();
const atMs = Date.UTC(2026, 0, 31);
const root = authority('Root');
const other = authority('Other root');

describe('a request for a certificate', () => {
  it.each(['EC', 'RSA'] as const)(
    'is signed with the %s key that it is for, and names the charger',
    async (algorithm) => {
      const { key, csr } = await keys.request({ commonName: 'SIM-0001', organization: 'Grüne Ladung' }, algorithm);
      const bytes = Buffer.from(csr.replace(/-----.*-----/g, ''), 'base64');
      const info = elementAt(bytes, 0, 0).whole;
      const spki = elementAt(bytes, 0, 0, 2).whole;
      expect(createPublicKey(key).export({ type: 'spki', format: 'der' })).toEqual(spki);
      expect(info.includes('SIM-0001')).toBe(true);
      expect(info.includes('Grüne Ladung')).toBe(true);
      expect(verify('sha256', info, createPublicKey(key), elementAt(bytes, 0, 2).content.subarray(1))).toBe(true);
    },
  );
});

describe('reading a certificate', () => {
  it('tells an authority from others, and how long it is valid', () => {
    expect(keys.read(root.certificate)).toEqual({
      validFromMs: Date.UTC(2020, 0, 1),
      validToMs: Date.UTC(2090, 0, 1),
      isAuthority: true,
      isSelfSigned: true,
      isSignedByOther: false,
    });
    const leaf = certificateFor('CP-1', { issuer: root });
    expect(keys.read(leaf.certificate, [other.certificate, root.certificate])).toMatchObject({
      isAuthority: false,
      isSelfSigned: false,
      isSignedByOther: true,
    });
  });

  it('fails on what is none', () => {
    expect(() => keys.read('nonsense')).toThrow('the certificate cannot be read');
    const half = root.certificate.slice(0, 200);
    expect(() => keys.read(half)).toThrow('the certificate cannot be read');
  });
});

describe('the name of a certificate', () => {
  it('is made of its issuer’s name and key and its serial number', () => {
    const leaf = certificateFor('CP-1', { issuer: root });
    const rootBytes = new X509Certificate(root.certificate).raw;
    const subject = elementAt(rootBytes, 0, 0, 5).whole;
    const bits = elementAt(rootBytes, 0, 0, 6, 1).content.subarray(1);
    for (const algorithm of ['SHA256', 'SHA384', 'SHA512'] as const) {
      const hash = (bytes: Buffer): string => createHash(algorithm).update(bytes).digest('hex');
      expect(keys.identify(leaf.certificate, algorithm, [other.certificate, root.certificate])).toEqual({
        hashAlgorithm: algorithm,
        issuerNameHash: hash(subject),
        issuerKeyHash: hash(bits),
        serialNumber: new X509Certificate(leaf.certificate).serialNumber.toLowerCase().replace(/^0+/, ''),
      });
    }
  });
});

describe('a chain', () => {
  const between = authority('Between', { issuer: root });
  const leaf = certificateFor('CP-1', { issuer: between });
  const chain = leaf.certificate + between.certificate;

  it('holds up to a trusted root, with the root in it or not', () => {
    expect(keys.check({ chain, roots: [root.certificate], atMs })).toBeNull();
    expect(keys.check({ chain: chain + root.certificate, roots: [root.certificate], atMs })).toBeNull();
    expect(keys.check({ chain, key: leaf.key, roots: [], atMs })).toBeNull();
  });

  it('does not hold with another root, another key, out of its time, or in another order', () => {
    expect(keys.check({ chain, roots: [other.certificate], atMs })).toBe('it was issued by nobody who is trusted here');
    expect(keys.check({ chain, key: other.key, roots: [], atMs })).toBe('it belongs to another key');
    expect(keys.check({ chain, roots: [], atMs: Date.UTC(2019, 0, 1) })).toBe('it is not valid yet');
    expect(keys.check({ chain, roots: [], atMs: Date.UTC(2091, 0, 1) })).toBe('it has expired');
    expect(keys.check({ chain: between.certificate + leaf.certificate, roots: [], atMs })).toBe(
      'its chain does not hold',
    );
    expect(keys.check({ chain: 'nonsense', roots: [], atMs })).toBe('it cannot be read as a certificate');
  });

  it('does not hold through one who may not issue', () => {
    const forged = certificateFor('CP-2', { issuer: leaf });
    expect(keys.check({ chain: forged.certificate + leaf.certificate, roots: [], atMs })).toBe(
      'its chain does not hold',
    );
  });
});

describe('a signature', () => {
  const content = Buffer.from('the new firmware');

  it.each(['EC', 'RSA'] as const)('by an %s key is right for its content and no other', (algorithm) => {
    const signer = certificateFor('Maker', { algorithm });
    const signature = sign('sha256', content, signer.privateKey).toString('base64');
    for (const [pieces, isRight] of [
      [['the new ', 'firmware'], true],
      [['the old firmware'], false],
    ] as const) {
      const check = keys.signatureCheck(signer.certificate);
      for (const piece of pieces) check.take(Buffer.from(piece));
      expect(check.isRight(signature)).toBe(isRight);
    }
  });

  it('may be written in either way that ECDSA has', () => {
    const signer = certificateFor('Maker');
    const signature = sign('sha256', content, { key: signer.privateKey, dsaEncoding: 'ieee-p1363' });
    const check = keys.signatureCheck(signer.certificate);
    check.take(content);
    expect(check.isRight(signature.toString('base64'))).toBe(true);
  });
});
