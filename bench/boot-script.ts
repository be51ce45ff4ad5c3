// What a charger with one connector says when it comes up, in each version: the product must say as much as the floor.

import type { Version } from './bench-case.ts';

export interface Call {
  readonly action: string;
  readonly payload: unknown;
}

const subprotocols: Readonly<Record<Version, string>> = { '1.6': 'ocpp1.6', '2.0.1': 'ocpp2.0.1', '2.1': 'ocpp2.1' };

export const subprotocolOf = (version: Version): string => subprotocols[version];

/** In 1.6 the station as a whole is connector 0 and has a status too. */
export const statusesPerBoot = (version: Version): number => (version === '1.6' ? 2 : 1);

/** The call after so many answers; null when the charger is up. */
export function bootCall(version: Version, answers: number, identity: string, timestamp: string): Call | null {
  if (answers === 0) return { action: 'BootNotification', payload: bootPayload(version, identity) };
  if (answers > statusesPerBoot(version)) return null;
  return { action: 'StatusNotification', payload: statusPayload(version, answers - 1, timestamp) };
}

function bootPayload(version: Version, serialNumber: string): unknown {
  return version === '1.6'
    ? {
        chargePointVendor: 'ChargeSim',
        chargePointModel: 'Virtual',
        chargePointSerialNumber: serialNumber,
        firmwareVersion: '1.0.0',
      }
    : {
        reason: 'PowerUp',
        chargingStation: { model: 'Virtual', vendorName: 'ChargeSim', serialNumber, firmwareVersion: '1.0.0' },
      };
}

function statusPayload(version: Version, connectorId: number, timestamp: string): unknown {
  return version === '1.6'
    ? { connectorId, errorCode: 'NoError', status: 'Available', timestamp }
    : { timestamp, connectorStatus: 'Available', evseId: 1, connectorId: 1 };
}
