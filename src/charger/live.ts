// How a charger is right now, for people who look at it.

import { type Charger, connectorAt } from './charger.ts';
import { show, underlyingStatus } from './connector.ts';
import type { Fault } from './faults.ts';
import { powerW, registerWh } from './meter.ts';
import type { ConnectorStatus } from './report.ts';
import { chargerAt } from './time.ts';

export interface LiveConnector {
  readonly evseId: number;
  readonly connectorId: number;
  readonly status: ConnectorStatus;
  readonly underlyingStatus: ConnectorStatus;
  readonly errorCode: string;
  readonly plugged: boolean;
  readonly locked: boolean;
  readonly powerW: number;
  readonly offeredW: number;
  readonly energyWh: number;
  readonly socPercent: number | null;
  readonly transaction: LiveTransaction | null;
  readonly reservationId: number | null;
  readonly faults: readonly Fault[];
}

export interface LiveTransaction {
  readonly sessionId: string;
  readonly idTag: string;
  readonly startedAtMs: number;
  readonly energyWh: number;
}

export interface LiveCharger {
  readonly boot: { readonly status: string; readonly atMs: number };
  readonly connectors: readonly LiveConnector[];
  readonly faults: readonly Fault[];
  readonly localListVersion: number;
}

/** Reads the charger at `atMs` without moving it. */
export function liveCharger(charger: Charger, atMs: number): LiveCharger {
  const present = chargerAt(charger, atMs);
  return {
    boot: { status: present.boot.status, atMs: present.boot.atMs },
    connectors: present.connectors.map((_, outlet) => liveConnector(present, outlet)),
    faults: present.faults,
    localListVersion: present.localList.version,
  };
}

function liveConnector(charger: Charger, outlet: number): LiveConnector {
  const connector = connectorAt(charger, outlet);
  const spec = charger.station.connectors[outlet];
  const { session, ev } = connector;
  const shown = show(connector, charger);
  return {
    evseId: spec?.evseId ?? 0,
    connectorId: spec?.connectorId ?? 0,
    status: shown.status,
    underlyingStatus: underlyingStatus(connector, charger),
    errorCode: shown.errorCode,
    plugged: ev !== null,
    locked: connector.locked,
    powerW: Math.round(powerW(connector)),
    offeredW: Math.round(connector.offeredW),
    energyWh: registerWh(connector),
    socPercent: ev === null ? null : Math.round(ev.battery.soc * 1000) / 10,
    transaction:
      session === null
        ? null
        : {
            sessionId: session.id,
            idTag: session.token.idTag,
            startedAtMs: session.startedAtMs,
            energyWh: Math.floor(connector.meterWh - session.startWh),
          },
    reservationId: connector.reservation?.id ?? null,
    faults: connector.faults,
  };
}
