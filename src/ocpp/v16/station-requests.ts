// How OCPP 1.6 asks for what concerns the charger itself: availability, configuration, resets, locks, triggers.

import type { TriggeredMessage } from '../../requests/request.ts';
import type { RequestRow } from '../dialect.ts';
import { cut } from '../wording.ts';
import { keys16 } from './keys.ts';
import { everyOutlet, outletOf, outletsOf } from './places.ts';
import { keyNamed16, ownPrefix } from './settings.ts';

export const changeAvailability: RequestRow<'change-availability'> = {
  kind: 'change-availability',
  decode(payload, talk) {
    const connectorId = payload['connectorId'] as number;
    const station = connectorId === 0;
    return {
      kind: 'change-availability',
      station,
      outlets: station ? everyOutlet(talk) : outletsOf(connectorId, talk),
      operative: payload['type'] === 'Operative',
    };
  },
  encode: ({ status }) => ({ status }),
};

export const changeConfiguration: RequestRow<'set-setting'> = {
  kind: 'set-setting',
  decode: (payload) => ({
    kind: 'set-setting',
    setting: keyNamed16(payload['key'] as string),
    value: payload['value'] as string,
  }),
  encode: ({ status }) => ({ status }),
};

export const getConfiguration: RequestRow<'get-settings'> = {
  kind: 'get-settings',
  decode(payload) {
    const keys = (payload['key'] as readonly string[] | undefined) ?? [];
    return keys.length === 0
      ? { kind: 'get-settings', wanted: keys16, ownPrefix }
      : { kind: 'get-settings', wanted: keys.map(keyNamed16), ownPrefix: null };
  },
  encode: ({ found, unknown }) => ({
    configurationKey: found.map(({ key, readOnly, value }) => ({
      key,
      readonly: readOnly,
      ...(value === undefined ? {} : { value: cut(value, 500) }),
    })),
    ...(unknown.length === 0 ? {} : { unknownKey: unknown }),
  }),
};

export const reset: RequestRow<'reset'> = {
  kind: 'reset',
  decode({ type }) {
    const hard = type === 'Hard';
    return { kind: 'reset', hard, reason: hard ? 'HardReset' : 'SoftReset' };
  },
  encode: ({ status }) => ({ status }),
};

const unlockStatuses = {
  Unlocked: 'Unlocked',
  UnlockFailed: 'UnlockFailed',
  OngoingAuthorizedTransaction: 'UnlockFailed',
  UnknownConnector: 'NotSupported',
  NoLock: 'NotSupported',
} as const;

export const unlockConnector: RequestRow<'unlock'> = {
  kind: 'unlock',
  decode: (payload, talk) => ({ kind: 'unlock', outlet: outletOf(payload['connectorId'] as number, talk) }),
  encode: ({ status }) => ({ status: unlockStatuses[status] }),
};

const messages: Readonly<Record<string, TriggeredMessage>> = {
  BootNotification: 'boot',
  DiagnosticsStatusNotification: 'diagnostics-status',
  FirmwareStatusNotification: 'firmware-status',
  Heartbeat: 'heartbeat',
  MeterValues: 'meter-values',
  StatusNotification: 'status',
};

/** The security extension's own list. */
const extendedMessages: Readonly<Record<string, TriggeredMessage>> = {
  ...messages,
  FirmwareStatusNotification: 'signed-firmware-status',
  LogStatusNotification: 'log-status',
  SignChargePointCertificate: 'sign-certificate',
};

const triggerOf = (known: Readonly<Record<string, TriggeredMessage>>): RequestRow<'trigger'> => ({
  kind: 'trigger',
  decode(payload, talk) {
    const connectorId = payload['connectorId'] as number | undefined;
    return {
      kind: 'trigger',
      message: known[payload['requestedMessage'] as string] ?? 'unknown',
      station: connectorId === undefined || connectorId === 0,
      outlets: connectorId === undefined ? everyOutlet(talk) : outletsOf(connectorId, talk),
    };
  },
  encode: ({ status }) => ({ status }),
});

export const triggerMessage = triggerOf(messages);
export const extendedTriggerMessage = triggerOf(extendedMessages);
