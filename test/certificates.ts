// Certificates for tests, made on the spot: authorities, servers, chargers, signers of firmware.

import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { distinguishedName, signatureAlgorithm } from '../src/adapters/keys/certification-request.ts';
import { bitString, der, integer, oid, pem, sequence } from '../src/adapters/keys/der.ts';

export interface Identity {
  readonly certificate: string;
  readonly key: string;
  readonly privateKey: KeyObject;
  readonly name: string;
}

export interface Wishes {
  readonly issuer?: Identity;
  /** It may issue others. */
  readonly authority?: boolean;
  readonly algorithm?: 'EC' | 'RSA';
  readonly validFrom?: Date;
  readonly validTo?: Date;
  /** IP addresses and host names of a server. */
  readonly addresses?: readonly string[];
  /** The key that it is for, where that is not to be made. */
  readonly publicKey?: KeyObject;
}

export function certificateFor(name: string, wishes: Wishes = {}): Identity {
  const { privateKey } =
    wishes.algorithm === 'RSA'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = wishes.issuer?.privateKey ?? privateKey;
  const signed = sequence(
    der(0xa0, integer(2)),
    der(0x02, Buffer.from([0x01]), randomBytes(8)),
    signatureAlgorithm(signer),
    distinguishedName({ commonName: wishes.issuer?.name ?? name, organization: null }),
    sequence(
      time(wishes.validFrom ?? new Date(Date.UTC(2020, 0, 1))),
      time(wishes.validTo ?? new Date(Date.UTC(2090, 0, 1))),
    ),
    distinguishedName({ commonName: name, organization: null }),
    (wishes.publicKey ?? createPublicKey(privateKey)).export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions(wishes))),
  );
  const whole = sequence(signed, signatureAlgorithm(signer), bitString(sign('sha256', signed, signer)));
  return {
    certificate: pem('CERTIFICATE', whole),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    privateKey,
    name,
  };
}

export const authority = (name: string, wishes: Wishes = {}): Identity =>
  certificateFor(name, { ...wishes, authority: true });

function extensions({ authority: isAuthority = false, addresses = [] }: Wishes): readonly Buffer[] {
  const yes = Buffer.from([0x01, 0x01, 0xff]);
  const basic = extension('2.5.29.19', sequence(...(isAuthority ? [yes] : [])), yes);
  if (addresses.length === 0) return [basic];
  const names = addresses.map((address) =>
    /^[\d.]+$/.test(address) ? der(0x87, Buffer.from(address.split('.').map(Number))) : der(0x82, Buffer.from(address)),
  );
  return [basic, extension('2.5.29.17', sequence(...names))];
}

const extension = (id: string, value: Buffer, ...critical: readonly Buffer[]): Buffer =>
  sequence(oid(id), ...critical, der(0x04, value));

/** GeneralizedTime. */
const time = (date: Date): Buffer => der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`));
