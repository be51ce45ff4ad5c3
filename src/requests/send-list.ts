// The CSMS replaces or changes the local authorization list.

import { type Charger, step } from '../charger/charger.ts';
import { withList } from '../charger/local-list.ts';
import { setting } from '../charger/settings.ts';
import { updateList } from '../charger/tokens.ts';
import type { ListAnswer, RequestHandler, Requests } from './request.ts';

export const sendList: RequestHandler<'send-list'> = {
  kind: 'send-list',
  answer(charger, request, atMs) {
    const refused = refusal(charger, request);
    if (refused !== null) return { ...step(charger), answer: refused };
    const outcome = updateList(charger.localList, request, setting(charger, 'LocalAuthListCtrlr.Entries'));
    if (outcome.status !== 'Accepted') return { ...step(charger), answer: { status: 'Failed' } };
    return { ...withList(charger, outcome.list, atMs), answer: { status: 'Accepted' } };
  },
};

function refusal(charger: Charger, { version, full, entries }: Requests['send-list']): ListAnswer | null {
  if (!setting(charger, 'LocalAuthListCtrlr.Enabled')) return { status: 'NotSupported', reasonCode: 'NotEnabled' };
  if (version <= 0) return { status: 'Failed', reasonCode: 'InvalidValue' };
  if (!full && version <= charger.localList.version) return { status: 'VersionMismatch' };
  const most = setting(charger, 'LocalAuthListCtrlr.ItemsPerMessage');
  return entries.length > most ? { status: 'Failed', reasonCode: 'TooManyElements' } : null;
}
