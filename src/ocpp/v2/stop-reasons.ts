// The reasons for the end of a transaction that the 2.x family has words for.

import { type StopReason, stopReasons } from '../../charger/report.ts';

const only16: readonly StopReason[] = ['HardReset', 'SoftReset', 'UnlockCommand'];

export const stopReasons2: readonly StopReason[] = stopReasons.filter((reason) => !only16.includes(reason));
