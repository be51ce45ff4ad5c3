// The CSMS wants to know which authorities the charger trusts.

import { nameErrand, trusted } from '../charger/certificates.ts';
import { type Charger, step } from '../charger/charger.ts';
import { type RequestHandler, type Requests, resultOf } from './request.ts';

export const listCertificates: RequestHandler<'list-certificates'> = {
  kind: 'list-certificates',
  answer(charger, request) {
    const certificates = listed(charger, request).map(({ certificate }) => certificate);
    if (certificates.length === 0) return { ...step(charger), answer: { status: 'NotFound', certificates: [] } };
    return { ...step(charger), after: nameErrand(charger, certificates, 'SHA256') };
  },
  answerAfter(charger, request, result) {
    const { names } = resultOf('name-certificates', result);
    const certificates = listed(charger, request).flatMap(({ use }, index) => {
      const name = names[index];
      return name == null ? [] : [{ use, name }];
    });
    return { ...step(charger), answer: { status: certificates.length === 0 ? 'NotFound' : 'Accepted', certificates } };
  },
};

const listed = (charger: Charger, { uses }: Requests['list-certificates']) =>
  trusted(charger).filter(({ use }) => uses.includes(use));
