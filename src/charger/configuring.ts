// A setting changes, and has its effect at once.

import { type Charger, withConnector } from './charger.ts';
import { nextAligned } from './metering.ts';
import { nextSampleMs } from './session.ts';
import type { SettingValue } from './settings.ts';

/** `value` undefined: back to the default, or gone when it has none. */
export function configured(charger: Charger, name: string, value: SettingValue | undefined, atMs: number): Charger {
  const { [name]: _, ...others } = charger.overrides;
  const changed = { ...charger, overrides: value === undefined ? others : { ...others, [name]: value } };
  if (name === 'AlignedDataCtrlr.Interval') return { ...changed, aligned: nextAligned(changed, atMs) };
  if (name !== 'SampledDataCtrlr.TxUpdatedInterval') return changed;
  // Running sessions count the new interval from now on.
  return changed.connectors.reduce(
    (next, { session }, outlet) =>
      session === null
        ? next
        : withConnector(next, outlet, { session: { ...session, sampleAtMs: nextSampleMs(changed, atMs) } }),
    changed,
  );
}
