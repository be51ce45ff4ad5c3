// The conformance cases of an OCPP 1.6 charge point, by group, and the features that they are about.

import type { Group } from '../case.ts';
import type { Suite } from '../running.ts';
import { configuration, dataTransfer, triggering } from './asking.ts';
import { coldBoot, powerFailure, resetting } from './booting.ts';
import { meterValues, smartCharging } from './charging.ts';
import { features16 } from './features.ts';
import { diagnostics, firmware } from './files.ts';
import { offline } from './offline.ts';
import { refusedRemoteActions, remoteActions, unlocking } from './remote.ts';
import { reservations } from './reservations.ts';
import { security } from './security.ts';
import { faults, refusedStarts, starting, stopping } from './sessions.ts';
import { cache, localList } from './tokens.ts';

const groups: readonly Group[] = [
  coldBoot,
  starting,
  stopping,
  cache,
  remoteActions,
  resetting,
  unlocking,
  configuration,
  meterValues,
  refusedStarts,
  refusedRemoteActions,
  powerFailure,
  offline,
  faults,
  localList,
  firmware,
  diagnostics,
  reservations,
  triggering,
  smartCharging,
  dataTransfer,
  security,
];

export const suite16: Suite = { groups, features: features16 };
