// The world does something to a charger.

import Type from 'typebox';
import { type Charger, type Refusal, refuse, type Step } from '../charger/charger.ts';
import { failFirmware, jamLock, limitFromOutside, parkInBay, tamper } from '../charger/conditions.ts';
import { command, connectorFields } from './command.ts';

type Switch = (charger: Charger, outlet: number, on: boolean, atMs: number) => Step | Refusal;

/** Conditions that are so or not. */
const switches = {
  parking_bay: parkInBay,
  lock_failure: jamLock,
  tamper: (charger, _outlet, on, atMs) => tamper(charger, on, atMs),
  firmware_failure: (charger, _outlet, on) => failFirmware(charger, on),
  battery_swap: () => refuse('not_supported', 'this charger has no place for batteries to be swapped'),
} satisfies Record<string, Switch>;

type Condition = 'external_limit' | keyof typeof switches;
const conditions: readonly Condition[] = [
  'parking_bay',
  'external_limit',
  'lock_failure',
  'tamper',
  'firmware_failure',
  'battery_swap',
];

export const setCondition = command({
  name: 'set-condition',
  summary: 'Let the world do something to a charger',
  description: [
    'Each condition has its kind of `value`; another kind fails as `bad_value`. What is so already stays so without a word. All of them outlast a power cut.',
    '- `parking_bay`, true or false: the bay’s sensor sees a car, or none. A running transaction of OCPP 2.x tells it (`EVDetected`, `EVDeparted`); it neither starts nor ends one.',
    '- `external_limit`, watts or null: a local energy manager caps what the connector offers, beside the charging profiles and as part of the composite schedule; 0, or on AC less than 6 A a phase, suspends (SuspendedEVSE), null lifts it. 2.x sends NotifyChargingLimit and ClearedChargingLimit.',
    '- `lock_failure`, true or false: the lock of a socket jams. A cable that cannot be locked makes the connector Faulted (`ConnectorLockFailure`), one that cannot be released raises the same as a warning; unlocking and unplugging fail as `lock_failure`, and a CSMS that asks is told UnlockFailed. False mends it. A fixed cable has no lock: `no_lock`.',
    '- `tamper`, true or false: somebody opens the charger. SecurityEventNotification `TamperDetectionActivated` goes to the CSMS, after an outage if need be, and into the security log; false says nothing.',
    '- `firmware_failure`, true or false: firmware is fetched and cannot be installed (`InstallationFailed`).',
    '- `battery_swap`, true or false: fails as `not_supported`, for no charger swaps batteries.',
    '',
    'The last three are about the charger as a whole, whatever the connector.',
  ].join('\n'),
  addresses: 'connector',
  event: Type.Object(
    {
      ...connectorFields,
      condition: Type.Enum([...conditions], { description: 'What happens.' }),
      value: Type.Union([Type.Boolean(), Type.Number({ minimum: 0, maximum: 10_000_000 }), Type.Null()], {
        description: 'True or false; for `external_limit` watts, or null to lift it.',
      }),
    },
    { additionalProperties: false },
  ),
  example: { evse_id: 1, connector_id: 1, condition: 'external_limit', value: 7_400 },
  apply(charger, { condition, value }, outlet, atMs) {
    if (condition === 'external_limit') {
      if (typeof value === 'boolean') return refuse('bad_value', `${condition} is in watts, or null, not ${value}`);
      return limitFromOutside(charger, outlet, value, atMs);
    }
    if (typeof value !== 'boolean') return refuse('bad_value', `${condition} is true or false, not ${value}`);
    return switches[condition](charger, outlet, value, atMs);
  },
});
