// The driver limits the running transaction.

import Type from 'typebox';
import { refuse } from '../charger/charger.ts';
import { limitTransaction } from '../charger/transaction-limit.ts';
import { command, connectorFields, optionalInteger, optionalNumber } from './command.ts';

export const transactionLimit = command({
  name: 'transaction-limit',
  summary: 'Limit the running transaction',
  description:
    'The driver’s own limit, in place of an earlier one; at least one of the three is needed (`no_limit`). When the energy or the time is reached the connector goes to SuspendedEVSE and the transaction stays open; a higher limit lets it go on. OCPP 2.1 tells the CSMS (TransactionEvent `LimitSet`); in 1.6 and 2.0.1, which have no words for it, it takes effect all the same. The charger does not know what charging costs: `max_cost` is only told, so the CSMS must see to it, and where it cannot be told (1.6, 2.0.1) it fails as `cost_unknown`. Fails as `no_transaction` when none is active.',
  addresses: 'connector',
  event: Type.Object(
    {
      ...connectorFields,
      max_energy_wh: optionalNumber({
        exclusiveMinimum: 0,
        maximum: 10_000_000,
        description: 'Energy since the start of the transaction, in watt-hours.',
      }),
      max_time_s: optionalInteger({
        minimum: 1,
        maximum: 31_536_000,
        description: 'Time since the start of the transaction, in seconds.',
      }),
      max_cost: optionalNumber({
        exclusiveMinimum: 0,
        maximum: 1_000_000_000,
        description: 'Cost of the transaction, in the currency of its tariff.',
      }),
    },
    { additionalProperties: false },
  ),
  example: { evse_id: 1, connector_id: 1, max_energy_wh: 10_000 },
  apply(charger, event, outlet, atMs) {
    const limit = {
      energyWh: event.max_energy_wh ?? null,
      timeS: event.max_time_s ?? null,
      cost: event.max_cost ?? null,
    };
    if (Object.values(limit).every((each) => each === null)) {
      return refuse('no_limit', 'a limit is one of max_energy_wh, max_time_s and max_cost, or several of them');
    }
    return limitTransaction(charger, outlet, limit, atMs);
  },
});
