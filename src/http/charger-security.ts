// Which credentials go with which OCPP security profile.

import type { SecuritySettings } from '../ports/store.ts';
import type { SecurityProfile } from './charger-schema.ts';
import { isSecureUrl } from './csms-url.ts';
import type { Violation } from './problem.ts';

type Credential = Exclude<keyof SecurityProfile, 'profile'>;

interface Rule {
  readonly needs: readonly Credential[];
  readonly mayHave: readonly Credential[];
  /** The line must be encrypted. */
  readonly secure: boolean;
}

/** By profile. */
const rules: readonly Rule[] = [
  { needs: [], mayHave: [], secure: false },
  { needs: ['basic_password'], mayHave: [], secure: false },
  { needs: ['basic_password'], mayHave: ['ca_pem'], secure: true },
  { needs: ['client_cert_pem', 'client_key_pem'], mayHave: ['ca_pem'], secure: true },
];

const certificates = /^\s*(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;
const privateKey = /^\s*-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----[A-Za-z0-9+/=\s]+-----END \1-----\s*$/;

const looks: Readonly<Partial<Record<Credential, { readonly like: RegExp; readonly otherwise: string }>>> = {
  ca_pem: { like: certificates, otherwise: 'must be certificates in PEM' },
  client_cert_pem: { like: certificates, otherwise: 'must be a certificate in PEM' },
  client_key_pem: { like: privateKey, otherwise: 'must be a private key in PEM, not encrypted' },
};

const credentials: readonly Credential[] = ['basic_password', 'ca_pem', 'client_cert_pem', 'client_key_pem'];

export function securityViolations(security: SecurityProfile): readonly Violation[] {
  const { profile } = security;
  const { needs = [], mayHave = [] } = rules[profile] ?? {};
  return credentials.flatMap((name) => {
    const value = security[name];
    const field = `security.${name}`;
    if (value == null) return needs.includes(name) ? [{ field, message: `is required with profile ${profile}` }] : [];
    if (![...needs, ...mayHave].includes(name)) {
      return [{ field, message: `must not be given with profile ${profile}` }];
    }
    const look = looks[name];
    return look === undefined || look.like.test(value) ? [] : [{ field, message: look.otherwise }];
  });
}

/** Says why a charger with this profile cannot dial this address, or null. */
export function insecureUrl(profile: number, base: string): string | null {
  return rules[profile]?.secure && !isSecureUrl(base)
    ? `must be a wss:// address with security profile ${profile}`
    : null;
}

export const securitySettings = ({
  profile,
  basic_password,
  ca_pem,
  client_cert_pem,
  client_key_pem,
}: SecurityProfile): SecuritySettings => ({
  profile,
  ...(basic_password == null ? {} : { basicPassword: basic_password }),
  ...(ca_pem == null ? {} : { caPem: ca_pem }),
  ...(client_cert_pem == null ? {} : { clientCertPem: client_cert_pem }),
  ...(client_key_pem == null ? {} : { clientKeyPem: client_key_pem }),
});
