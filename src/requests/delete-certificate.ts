// The CSMS takes an authority away from the charger. What the line depends on stays.

import { nameErrand, ownLeaf, trusted, withTrusted } from '../charger/certificates.ts';
import { step } from '../charger/charger.ts';
import type { CertificateName } from '../charger/errand.ts';
import { csmsRoots, profileOf } from '../charger/security.ts';
import { type RequestHandler, resultOf } from './request.ts';

export const deleteCertificate: RequestHandler<'delete-certificate'> = {
  kind: 'delete-certificate',
  answer(charger, { name }) {
    const own = ownLeaf(charger);
    const certificates = [...trusted(charger).map(({ certificate }) => certificate), ...(own === null ? [] : [own])];
    return { ...step(charger), after: nameErrand(charger, certificates, name.hashAlgorithm) };
  },
  answerAfter(charger, { name }, result) {
    const all = trusted(charger);
    const index = resultOf('name-certificates', result).names.findIndex(
      (other) => other !== null && isSame(name, other),
    );
    if (index < 0) return { ...step(charger), answer: { status: 'NotFound' } };
    const found = all[index];
    const isLastRoot = found?.use === 'csms' && profileOf(charger) >= 2 && csmsRoots(charger).length === 1;
    // Past the trusted ones stands its own.
    if (found === undefined || isLastRoot) return { ...step(charger), answer: { status: 'Failed' } };
    return {
      ...step(withTrusted(charger, all.toSpliced(index, 1)), [{ kind: 'keep' }]),
      answer: { status: 'Accepted' },
    };
  },
};

const isSame = (one: CertificateName, other: CertificateName): boolean =>
  (['issuerNameHash', 'issuerKeyHash', 'serialNumber'] as const).every((part) => bare(one[part]) === bare(other[part]));

/** Hexadecimal digits, as they come. */
const bare = (digits: string): string => digits.toLowerCase().replace(/^0+(?=.)/, '');
