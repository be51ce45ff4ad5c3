// Writes a request for a certificate (PKCS #10, RFC 2986), signed with the key that it is for.

import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { bitString, der, integer, oid, pem, sequence, set, utf8String } from './der.ts';

const commonNameOid = '2.5.4.3';
const organizationOid = '2.5.4.10';
const attributesTag = 0xa0;

export interface Subject {
  readonly commonName: string;
  readonly organization: string | null;
}

export function certificationRequest(subject: Subject, key: KeyObject): string {
  const info = sequence(
    integer(0),
    distinguishedName(subject),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(attributesTag),
  );
  return pem('CERTIFICATE REQUEST', sequence(info, signatureAlgorithm(key), bitString(sign('sha256', info, key))));
}

export function distinguishedName({ commonName, organization }: Subject): Buffer {
  const parts = [nameAttribute(commonNameOid, commonName)];
  if (organization !== null) parts.unshift(nameAttribute(organizationOid, organization));
  return sequence(...parts);
}

const nameAttribute = (type: string, value: string): Buffer => set(sequence(oid(type), utf8String(value)));

/** With SHA-256. */
export const signatureAlgorithm = (key: KeyObject): Buffer =>
  key.asymmetricKeyType === 'rsa'
    ? sequence(oid('1.2.840.113549.1.1.11'), Buffer.from([0x05, 0x00]))
    : sequence(oid('1.2.840.10045.4.3.2'));
