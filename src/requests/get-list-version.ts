// The CSMS asks which version of the local authorization list the charger has.

import { step } from '../charger/charger.ts';
import { setting } from '../charger/settings.ts';
import type { RequestHandler } from './request.ts';

export const getListVersion: RequestHandler<'get-list-version'> = {
  kind: 'get-list-version',
  answer(charger) {
    const { version, entries } = charger.localList;
    const isEmpty = Object.keys(entries).length === 0;
    const enabled = setting(charger, 'LocalAuthListCtrlr.Enabled');
    return { ...step(charger), answer: { version: enabled ? (isEmpty ? 0 : version) : null } };
  },
};
