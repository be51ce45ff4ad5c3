// A charger as it is right now, and its log, as clients see them.

import Type from 'typebox';
import { closed, cursorPattern, limitQuery, nullable, text, timestamp, word } from './schema.ts';

const fault = Type.Object({
  error_code: Type.String({ description: 'A code of OCPP 1.6, in every version, or `EmergencyStop`.' }),
  blocking: Type.Boolean({ description: 'Whether nothing can be charged while it lasts.' }),
  info: nullable(Type.String()),
  vendor_error_code: nullable(Type.String()),
  until: nullable(timestamp(), 'When it ends by itself; null: when it is cleared.'),
});

const transaction = Type.Object({
  id: nullable(Type.String(), 'As the CSMS knows it; null while it has no name.'),
  id_tag: Type.String(),
  started_at: timestamp(),
  energy_wh: Type.Number({ description: 'Delivered so far.' }),
});

const statusWords = 'In the nine words of OCPP 1.6, whatever version the charger speaks.';

const connector = Type.Object({
  evse_id: Type.Integer(),
  connector_id: Type.Integer(),
  status: Type.String({ description: statusWords }),
  underlying_status: Type.String({ description: 'What the status would be without faults.' }),
  error_code: Type.String({ description: '`NoError`, or the fault that is shown.' }),
  plugged: Type.Boolean({ description: 'Whether a car is plugged in.' }),
  locked: Type.Boolean({ description: 'Whether the cable is locked.' }),
  power_w: Type.Number({ description: 'What the car draws.' }),
  offered_w: Type.Number({ description: 'What the car may draw.' }),
  energy_wh: nullable(Type.Number(), 'The meter register; null while the charger does not run.'),
  soc_percent: nullable(Type.Number(), 'Of the plugged car’s battery.'),
  transaction: nullable(transaction),
  reservation_id: nullable(Type.Integer()),
  faults: Type.Array(fault),
});

export const simulator = Type.Object(
  {
    identity: Type.String(),
    charger_id: Type.String({ description: 'The deployment id.' }),
    ocpp_version: Type.String(),
    runtime: Type.Object({
      desired: word(['running', 'stopped']),
      actual: word(['starting', 'running', 'stopping', 'stopped', 'crashed']),
      since: timestamp(),
      last_error: nullable(Type.String()),
    }),
    connection: Type.Object({
      state: word(['connecting', 'connected', 'offline', 'closed']),
      url: Type.String({ description: 'The address that the charger dials.' }),
      since: timestamp(),
      attempts: Type.Integer({ description: 'Failed attempts since it was last connected.' }),
      last_error: nullable(Type.String()),
    }),
    boot: Type.Object({
      status: nullable(Type.String(), 'What the CSMS answered last: Accepted, Pending or Rejected; null before that.'),
      at: nullable(timestamp()),
    }),
    connectors: Type.Array(connector),
    faults: Type.Array(fault, { description: 'Of the station as a whole.' }),
    local_list_version: Type.Integer(),
    queued_messages: Type.Integer({ description: 'Messages to the CSMS that wait, for the line or for an answer.' }),
  },
  { title: 'Simulator' },
);
export type SimulatorResource = Type.Static<typeof simulator>;
export type FaultResource = Type.Static<typeof fault>;
export type ConnectorResource = Type.Static<typeof connector>;

export const simulatorExample: SimulatorResource = {
  identity: 'CP-1',
  charger_id: '019a8b1e-6c3f-7d20-b7a5-0c9d5b1e7f42',
  ocpp_version: '1.6',
  runtime: { desired: 'running', actual: 'running', since: '2026-11-14T10:00:00.000Z', last_error: null },
  connection: {
    state: 'connected',
    url: 'ws://127.0.0.1:8080/csms/demo/CP-1',
    since: '2026-11-14T10:00:00.020Z',
    attempts: 0,
    last_error: null,
  },
  boot: { status: 'Accepted', at: '2026-11-14T10:00:00.030Z' },
  connectors: [
    {
      evse_id: 1,
      connector_id: 1,
      status: 'Charging',
      underlying_status: 'Charging',
      error_code: 'NoError',
      plugged: true,
      locked: true,
      power_w: 11_000,
      offered_w: 11_000,
      energy_wh: 5_321,
      soc_percent: 41.5,
      transaction: { id: '7', id_tag: 'DEADBEEF', started_at: '2026-11-14T10:05:00.000Z', energy_wh: 321 },
      reservation_id: null,
      faults: [],
    },
  ],
  faults: [],
  local_list_version: 0,
  queued_messages: 0,
};

const directions = ['in', 'out', 'internal'] as const;

export const logEntry = Type.Object(
  {
    id: Type.String(),
    at: timestamp(),
    direction: word(directions),
    kind: word(['call', 'result', 'error', 'lifecycle', 'command']),
    action: nullable(
      Type.String(),
      'The OCPP action, of answers too; of a lifecycle entry what happened; of a command its event type.',
    ),
    message_id: nullable(Type.String()),
    payload: Type.Unknown({ description: 'Of a frame its payload; of an error its code, description and details.' }),
    raw: Type.String({ description: 'The text exactly as it went, save secret values, which read ***.' }),
    latency_ms: nullable(Type.Number(), 'Of an answer: how long it took.'),
    command_id: nullable(Type.String(), 'The command that caused it.'),
  },
  { title: 'LogEntry' },
);
export type LogEntryResource = Type.Static<typeof logEntry>;

export const logPage = Type.Object(
  {
    data: Type.Array(logEntry),
    next_cursor: nullable(Type.String(), 'Asks for what is older; null when nothing is.'),
  },
  { title: 'LogPage' },
);

export const logQuery = closed({
  cursor: Type.Optional(
    Type.String({
      pattern: cursorPattern,
      description: 'The `next_cursor` of the answer before: goes on with what is older.',
    }),
  ),
  ...limitQuery,
  direction: Type.Optional(word(directions, { description: 'Only what went this way, seen from the charger.' })),
  action: Type.Optional(text(64, { description: 'Only this action.' })),
  since: Type.Optional(timestamp({ description: 'Nothing before this moment.' })),
  until: Type.Optional(timestamp({ description: 'Nothing after this moment.' })),
});

export const logEntryExample: LogEntryResource = {
  id: '1-2s',
  at: '2026-11-14T10:00:00.031Z',
  direction: 'out',
  kind: 'call',
  action: 'Heartbeat',
  message_id: '3f6d9c1e-5b0a-4f7e-9f57-2f0f5f3c8a11',
  payload: {},
  raw: '[2,"3f6d9c1e-5b0a-4f7e-9f57-2f0f5f3c8a11","Heartbeat",{}]',
  latency_ms: null,
  command_id: null,
};
