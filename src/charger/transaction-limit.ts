// The driver limits the running transaction: once it has had its share the charger pauses it, and it stays open.

import { reportChanges } from './changes.ts';
import {
  andThen,
  type Charger,
  connectorAt,
  named,
  type Refusal,
  refuse,
  type Step,
  step,
  withConnector,
} from './charger.ts';
import type { Connector } from './connector.ts';
import type { TransactionLimit } from './report.ts';
import { type Session, tell, updateSession } from './session.ts';
import { setting } from './settings.ts';

export type LimitTrigger = 'EnergyLimitReached' | 'TimeLimitReached';

/** Takes the place of an earlier limit, as a whole. */
export function limitTransaction(
  charger: Charger,
  outlet: number,
  limit: TransactionLimit,
  atMs: number,
): Step | Refusal {
  const connector = connectorAt(charger, outlet);
  const { session } = connector;
  if (session === null) {
    return refuse('no_transaction', `no transaction is active on ${named(charger, outlet)}`);
  }
  const isTold = setting(charger, 'TxCtrlr.LimitReports');
  if (limit.cost !== null && !isTold) {
    return refuse(
      'cost_unknown',
      'the charger does not know what charging costs, and its OCPP version cannot tell the CSMS of a limit',
    );
  }
  if (sameLimit(session.plan.limit, limit)) return step(charger);
  const limited = withLimit(charger, outlet, session, limit, false);
  const told = isTold
    ? tell(limited, outlet, atMs, {
        phase: 'updated',
        trigger: 'LimitSet',
        chargingState: session.state,
        samples: [],
        limit,
      })
    : step(limited);
  const reached = reachedBy(connector, session, limit, atMs);
  return andThen(told, (next) =>
    reached === null ? reportChanges(next, atMs) : reachLimit(next, outlet, reached, atMs),
  );
}

/** No more energy for this transaction, until the limit is raised. */
export function reachLimit(charger: Charger, outlet: number, trigger: LimitTrigger, atMs: number): Step {
  const { session } = connectorAt(charger, outlet);
  const limit = session?.plan.limit;
  if (session === null || limit === undefined) return step(charger);
  const paused = withLimit(charger, outlet, session, limit, true);
  return andThen(updateSession(paused, outlet, trigger, 'Other', atMs), (next) => reportChanges(next, atMs));
}

function withLimit(
  charger: Charger,
  outlet: number,
  session: Session,
  { energyWh, timeS, cost }: TransactionLimit,
  reached: boolean,
): Charger {
  const plan = { ...session.plan, limit: { energyWh, timeS, cost, reached } };
  return withConnector(charger, outlet, { session: { ...session, plan } });
}

/** The cost is not among them: the charger does not know it. */
function reachedBy(
  { meterWh }: Connector,
  { startWh, startedAtMs }: Session,
  { energyWh, timeS }: TransactionLimit,
  atMs: number,
): LimitTrigger | null {
  if (energyWh !== null && meterWh - startWh >= energyWh) return 'EnergyLimitReached';
  return timeS !== null && atMs - startedAtMs >= timeS * 1000 ? 'TimeLimitReached' : null;
}

const sameLimit = (one: TransactionLimit | undefined, other: TransactionLimit): boolean =>
  one !== undefined && one.energyWh === other.energyWh && one.timeS === other.timeS && one.cost === other.cost;
