// What a running charger says of itself, or is known of one that does not run, as clients see it.

import type { LiveCharger } from '../charger/live.ts';
import type { LiveState } from '../ports/ask.ts';
import type { ChargerRecord } from '../ports/store.ts';
import { versionOf } from './charger-view.ts';
import { instant, instantOrNull } from './schema.ts';
import type { ConnectorResource, FaultResource, SimulatorResource } from './simulator-schema.ts';

type LiveConnector = LiveCharger['connectors'][number];
type Fault = LiveCharger['faults'][number];

export function liveView(record: ChargerRecord, live: LiveState): SimulatorResource {
  const { runtime, connection, charger } = live;
  const isBooted = charger.boot.status !== 'none';
  return {
    ...headOf(record),
    runtime: {
      desired: runtime.desired,
      actual: runtime.actual,
      since: instant(runtime.sinceMs),
      last_error: runtime.lastError,
    },
    connection: {
      state: connection.state,
      url: connection.url,
      since: instant(connection.sinceMs),
      attempts: connection.attempts,
      last_error: connection.lastError,
    },
    boot: isBooted ? { status: charger.boot.status, at: instant(charger.boot.atMs) } : { status: null, at: null },
    connectors: charger.connectors.map((connector) => connectorView(connector, live.transactionIds)),
    faults: charger.faults.map(faultView),
    local_list_version: charger.localListVersion,
    queued_messages: live.queuedMessages,
  };
}

/** Why nobody could be asked: nobody runs the charger, or whoever does has not answered. */
export type Silence = 'not_running' | 'no_answer';

/** Of a charger that cannot be asked its deployment is all that is known, and the address that it would dial. */
export function silentView(record: ChargerRecord, url: string, silence: Silence): SimulatorResource {
  const since = instant(record.updatedAtMs);
  const error = silence === 'no_answer' ? 'the process that runs the charger does not answer' : null;
  const notRunning = record.desired === 'running' ? 'starting' : 'stopped';
  return {
    ...headOf(record),
    runtime: {
      desired: record.desired,
      actual: silence === 'no_answer' ? 'crashed' : notRunning,
      since,
      last_error: error,
    },
    connection: { state: 'closed', url, since, attempts: 0, last_error: null },
    boot: { status: null, at: null },
    connectors: record.layout.map(({ evseId, connectorId }) => ({
      evse_id: evseId,
      connector_id: connectorId,
      status: 'Unavailable',
      underlying_status: 'Unavailable',
      error_code: 'NoError',
      plugged: false,
      locked: false,
      power_w: 0,
      offered_w: 0,
      energy_wh: null,
      soc_percent: null,
      transaction: null,
      reservation_id: null,
      faults: [],
    })),
    faults: [],
    local_list_version: 0,
    queued_messages: 0,
  };
}

const headOf = (record: ChargerRecord) => ({
  identity: record.identity,
  charger_id: record.id,
  ocpp_version: versionOf(record),
});

function connectorView(
  connector: LiveConnector,
  transactionIds: Readonly<Record<string, string | null>>,
): ConnectorResource {
  const { transaction } = connector;
  return {
    evse_id: connector.evseId,
    connector_id: connector.connectorId,
    status: connector.status,
    underlying_status: connector.underlyingStatus,
    error_code: connector.errorCode,
    plugged: connector.plugged,
    locked: connector.locked,
    power_w: connector.powerW,
    offered_w: connector.offeredW,
    energy_wh: connector.energyWh,
    soc_percent: connector.socPercent,
    transaction:
      transaction === null
        ? null
        : {
            id: transactionIds[transaction.sessionId] ?? null,
            id_tag: transaction.idTag,
            started_at: instant(transaction.startedAtMs),
            energy_wh: transaction.energyWh,
          },
    reservation_id: connector.reservationId,
    faults: connector.faults.map(faultView),
  };
}

const faultView = (fault: Fault): FaultResource => ({
  error_code: fault.errorCode,
  blocking: fault.blocking,
  info: fault.info,
  vendor_error_code: fault.vendorErrorCode,
  until: instantOrNull(fault.untilMs),
});
