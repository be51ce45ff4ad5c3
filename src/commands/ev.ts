// The car as a command describes it, in the charger's words.

import type Type from 'typebox';
import type { EvSpec } from '../charger/battery.ts';
import type { evSchema } from './command.ts';

export function evSpec(ev: Type.Static<typeof evSchema> | undefined): EvSpec {
  if (ev === undefined || ev === null) return {};
  return {
    ...(ev.battery_kwh == null ? {} : { batteryKwh: ev.battery_kwh }),
    ...(ev.soc_percent == null ? {} : { socPercent: ev.soc_percent }),
    ...(ev.max_power_w == null ? {} : { maxPowerW: ev.max_power_w }),
    ...(ev.max_discharge_w == null ? {} : { maxDischargeW: ev.max_discharge_w }),
    ...(ev.phases == null ? {} : { phases: ev.phases }),
    ...(ev.protocol == null ? {} : { protocol: ev.protocol }),
    ...(ev.emaid == null ? {} : { emaid: ev.emaid }),
  };
}
