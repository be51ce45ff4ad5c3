// The certificates of a charger: those that it trusts, and its own, which it asks its CSMS for.

import { andThen, type Charger, type Step, step } from './charger.ts';
import { dialAnew } from './credentials.ts';
import type { CertificateName, ErrandOf, ResultOf } from './errand.ts';
import { drawUuid } from './random.ts';
import { csmsRoots, ownCertificate, profileOf, withSecurity } from './security.ts';
import { securityEvent } from './security-events.ts';
import { setting } from './settings.ts';

/** What a certificate is trusted for: to vouch for the CSMS, or for the maker's firmware. */
export type CertificateUse = 'csms' | 'maker';

export interface Trusted {
  readonly use: CertificateUse;
  readonly certificate: string;
}

export const trusted = (charger: Charger): readonly Trusted[] => [
  ...csmsRoots(charger).map((certificate) => ({ use: 'csms', certificate }) as const),
  ...charger.security.makerRoots.map((certificate) => ({ use: 'maker', certificate }) as const),
];

export function withTrusted(charger: Charger, all: readonly Trusted[]): Charger {
  const used = (use: CertificateUse) => all.flatMap((one) => (one.use === use ? [one.certificate] : []));
  return withSecurity(charger, { roots: used('csms'), makerRoots: used('maker') });
}

export const nameErrand = (
  charger: Charger,
  certificates: readonly string[],
  algorithm: CertificateName['hashAlgorithm'],
): ErrandOf<'name-certificates'> => ({
  kind: 'name-certificates',
  id: errandId(charger, 'names'),
  certificates,
  algorithm,
});

/** Answers that come back with the request need no more than a name. */
export const errandId = (charger: Charger, what: string): string => `${what} of ${charger.station.identity}`;

/** Makes a key pair and asks the CSMS for its certificate; an earlier request is forgotten. */
export function requestCertificate(charger: Charger): Step {
  // Keys are dear: whoever asks twice gets the first.
  if (charger.security.request !== null && charger.security.request.made === null) return step(charger);
  const [id, chance] = drawUuid(charger.chance);
  const organization = String(charger.overrides['SecurityCtrlr.OrganizationName'] ?? '');
  const errand: ErrandOf<'make-key'> = {
    kind: 'make-key',
    id,
    commonName: charger.station.serialNumber,
    organization: organization === '' ? null : organization,
    algorithm: setting(charger, 'SecurityCtrlr.KeyAlgorithm') === 'RSA' ? 'RSA' : 'EC',
  };
  const request = { id, made: null, attempts: 0, dueAtMs: null };
  return step(withSecurity({ ...charger, chance }, { request }), [{ kind: 'errand', errand }]);
}

export function keyMade(charger: Charger, id: string, made: ResultOf<'make-key'>['result'], atMs: number): Step {
  const { request } = charger.security;
  if (request?.id !== id) return step(charger);
  if (made === null) return securityEvent(withSecurity(charger, { request: null }), 'CSRGenerationFailed', atMs);
  return askForCertificate(withSecurity(charger, { request: { ...request, made } }), atMs);
}

/** Asks, and asks again later unless the certificate has come; each time it waits twice as long. */
export function askForCertificate(charger: Charger, atMs: number): Step {
  const { request } = charger.security;
  if (request?.made == null) return step(charger);
  const attempts = request.attempts + 1;
  const waitS = setting(charger, 'SecurityCtrlr.CertSigningWaitMinimum') * 2 ** request.attempts;
  const isLast = attempts > setting(charger, 'SecurityCtrlr.CertSigningRepeatTimes');
  const asked = withSecurity(charger, {
    request: { ...request, attempts, dueAtMs: isLast ? null : atMs + waitS * 1000 },
  });
  // A CSMS that has not accepted the charger yet may want it to have a certificate first.
  const report = { kind: 'certificate-request', csr: request.made.csr } as const;
  return step(asked, [{ kind: 'report', report, triggered: true }, { kind: 'keep' }]);
}

/** The CSMS does not want to have it signed. */
export const certificateRefused = (charger: Charger): Step => step(withSecurity(charger, { request: null }));

/** The power has failed while a key was being made: it is gone. */
export const keptRequest = ({ security }: Pick<Charger, 'security'>): Charger['security'] =>
  security.request !== null && security.request.made === null ? { ...security, request: null } : security;

/** The certificate that was asked for has come; where it is what the line is opened with, the line is opened anew. */
export function certificateCame(charger: Charger, certificate: string): Step {
  const key = charger.security.request?.made?.key;
  if (key === undefined) return step(charger);
  const changed = withSecurity(charger, { own: { certificate, key }, request: null });
  const kept = step(changed, [{ kind: 'keep' }]);
  return profileOf(charger) === 3 ? andThen(kept, (next) => dialAnew(charger, next)) : kept;
}

export const invalidOwnCertificate = (charger: Charger, problem: string, atMs: number): Step =>
  securityEvent(charger, 'InvalidChargingStationCertificate', atMs, problem);

/** The one that it shows itself, first of its chain. */
export const ownLeaf = (charger: Charger): string | null => {
  const own = ownCertificate(charger);
  return own === null ? null : (certificatesIn(own.certificate)[0] ?? null);
};

export const certificatesIn = (text: string): readonly string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
