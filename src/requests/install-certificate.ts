// The CSMS gives the charger an authority to trust.

import { errandId, trusted, withTrusted } from '../charger/certificates.ts';
import { step } from '../charger/charger.ts';
import { securityEvent } from '../charger/security-events.ts';
import { setting } from '../charger/settings.ts';
import { type RequestHandler, resultOf } from './request.ts';

export const installCertificate: RequestHandler<'install-certificate'> = {
  kind: 'install-certificate',
  answer(charger, { use, certificate }, atMs) {
    const others = trusted(charger).flatMap((one) => (one.use === use ? [one.certificate] : []));
    const id = errandId(charger, 'certificate');
    return {
      ...step(charger),
      after: { kind: 'read-certificate', id, certificate, others, atMs: atMs + charger.clockOffsetMs },
    };
  },
  answerAfter(charger, { use, certificate }, result, atMs) {
    const { problem, isSignedByOther } = resultOf('read-certificate', result);
    const all = trusted(charger);
    const mustBeSigned =
      use === 'csms' &&
      setting(charger, 'SecurityCtrlr.AdditionalRootCertificateCheck') &&
      all.some((one) => one.use === 'csms');
    if (problem !== null || (mustBeSigned && !isSignedByOther)) {
      const why = problem ?? 'it is not signed by the authority that it shall replace';
      const told = use === 'csms' ? securityEvent(charger, 'InvalidCsmsCertificate', atMs, why) : step(charger);
      return { ...told, answer: { status: 'Rejected', reasonCode: 'InvalidCertificate' } };
    }
    const text = certificate.trim();
    if (all.some((one) => one.use === use && one.certificate.trim() === text)) {
      return { ...step(charger), answer: { status: 'Accepted' } };
    }
    if (all.length >= setting(charger, 'SecurityCtrlr.CertificateEntries')) {
      return { ...step(charger), answer: { status: 'Failed', reasonCode: 'OutOfStorage' } };
    }
    const kept = withTrusted(charger, [...all, { use, certificate: text }]);
    return { ...step(kept, [{ kind: 'keep' }]), answer: { status: 'Accepted' } };
  },
};
