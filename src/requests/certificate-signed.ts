// The CSMS brings the certificate that the charger has asked for.

import { certificateCame, errandId, invalidOwnCertificate } from '../charger/certificates.ts';
import { type Charger, step } from '../charger/charger.ts';
import { csmsRoots } from '../charger/security.ts';
import { setting } from '../charger/settings.ts';
import { type Answered, type RequestHandler, resultOf } from './request.ts';

export const certificateSigned: RequestHandler<'certificate-signed'> = {
  kind: 'certificate-signed',
  answer(charger, { chain }, atMs) {
    const made = charger.security.request?.made ?? null;
    if (made === null) return rejected(charger, 'it was not asked for', atMs);
    if (chain.length > setting(charger, 'SecurityCtrlr.MaxCertificateChainSize')) {
      return rejected(charger, 'it is too long', atMs);
    }
    const after = {
      kind: 'check-chain',
      id: errandId(charger, 'own certificate'),
      chain,
      key: made.key,
      roots: csmsRoots(charger),
      atMs: atMs + charger.clockOffsetMs,
    } as const;
    return { ...step(charger), after };
  },
  answerAfter(charger, { chain }, result, atMs) {
    const { problem } = resultOf('check-chain', result);
    if (problem !== null) return rejected(charger, problem, atMs);
    return { ...certificateCame(charger, chain), answer: { status: 'Accepted' } };
  },
};

const rejected = (charger: Charger, problem: string, atMs: number): Answered<'certificate-signed'> => ({
  ...invalidOwnCertificate(charger, problem, atMs),
  answer: { status: 'Rejected', reasonCode: 'InvalidCertificate' },
});
