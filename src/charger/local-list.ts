// The local list takes effect, and a quarrel with the CSMS over it ends.

import { type Charger, isRefusal, type Step, step } from './charger.ts';
import { clearFault } from './faulting.ts';
import type { Fault } from './faults.ts';
import type { LocalList } from './tokens.ts';

/** The list says otherwise of a token than the CSMS. */
export const listConflict: Fault = {
  errorCode: 'LocalListConflict',
  blocking: false,
  info: null,
  vendorErrorCode: null,
  untilMs: null,
};

export function withList(charger: Charger, localList: LocalList, atMs: number): Step {
  const changed = { ...charger, localList };
  const cleared = clearFault(changed, null, listConflict.errorCode, atMs);
  return isRefusal(cleared) ? step(changed) : cleared;
}
