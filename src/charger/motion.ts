// What moves while cars charge and nothing else happens: little enough to be kept at every sample, where the whole memory is not.

import { type Charger, connectorAt } from './charger.ts';
import type { Ev } from './connector.ts';
import type { ChargerMemory } from './memory.ts';
import type { Session } from './session.ts';

/** Of each outlet; null where no session runs. */
export type Motion = readonly (OutletMotion | null)[];
type OutletMotion = readonly [meterWh: number, meteredAtMs: number, soc: number, seqNo: number, sampledWh: number];

/** What moved from one charger to the next; null: more than that has changed. */
export function motionOf(former: Charger, charger: Charger): Motion | null {
  if (!isSame(former, charger, workedOutAnew)) return null;
  const motion: (OutletMotion | null)[] = [];
  for (let outlet = 0; outlet < charger.connectors.length; outlet++) {
    const before = former.connectors[outlet];
    const connector = connectorAt(charger, outlet);
    const { ev, session, meterWh, meteredAtMs } = connector;
    if (before === undefined || !isSame(before, connector, moving)) return null;
    if (!isSameEv(before.ev, ev) || !isSameSession(before.session, session)) return null;
    motion.push(
      session === null ? null : [meterWh, meteredAtMs, ev?.battery.soc ?? 0, session.seqNo, session.sampledWh],
    );
  }
  return motion;
}

/** The memory as it would be, had it been kept whole when the motion was. */
export function withMotion(memory: ChargerMemory, motion: Motion): ChargerMemory {
  const connectors = memory.connectors.map((connector, outlet) => {
    const moved = motion[outlet];
    const { ev, session } = connector;
    if (moved === null || moved === undefined || session === null) return connector;
    const [meterWh, meteredAtMs, soc, seqNo, sampledWh] = moved;
    return {
      ...connector,
      meterWh,
      meteredAtMs,
      ev: ev === null ? null : { ...ev, battery: { ...ev.battery, soc } },
      session: { ...session, seqNo, sampledWh },
    };
  });
  return { ...memory, connectors };
}

// What a waking charger does not take from its memory needs no keeping; what is looked at apart is not compared here.
const workedOutAnew: ReadonlySet<string> = new Set(['connectors', 'aligned', 'offersUntilMs']);
const moving: ReadonlySet<string> = new Set(['meterWh', 'meteredAtMs', 'ev', 'session']);
const movingInEv: ReadonlySet<string> = new Set(['battery']);
const movingInBattery: ReadonlySet<string> = new Set(['soc']);
const movingInSession: ReadonlySet<string> = new Set([
  'seqNo',
  'sampledWh',
  'sampleAtMs',
  'collectAtMs',
  'checkpointAtMs',
]);

const isSameEv = (before: Ev | null, ev: Ev | null): boolean =>
  before === ev ||
  (before !== null &&
    ev !== null &&
    isSame(before, ev, movingInEv) &&
    isSame(before.battery, ev.battery, movingInBattery));

const isSameSession = (before: Session | null, session: Session | null): boolean =>
  before === session || (before !== null && session !== null && isSame(before, session, movingInSession));

/** Every field but these, whichever fields there will be. */
function isSame<Value extends object>(before: Value, now: Value, but: ReadonlySet<string>): boolean {
  let more = 0;
  for (const name in now) {
    if (before[name] !== now[name] && !but.has(name)) return false;
    more++;
  }
  for (const _ in before) more--;
  return more === 0;
}
