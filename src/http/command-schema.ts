// Commands as clients send them, what they are answered, and what became of them.

import Type from 'typebox';
import { type Command, connectorEvent } from '../commands/command.ts';
import { mostTargetIds } from './limits.ts';
import { anyObject, closed, nullable, optional, pageOf, text, timestamp, word } from './schema.ts';

const id = text(64);

export const commandTarget = closed(
  {
    charger_id: optional(id, 'One charger, by its deployment id.'),
    location_id: optional(id, 'All chargers of a location, or some of them.'),
    charger_ids: optional(
      Type.Array(id, { minItems: 1, maxItems: mostTargetIds }),
      'Only these chargers of the location; null means all. Only together with location_id.',
    ),
  },
  { title: 'CommandTarget', description: 'Exactly one of charger_id and location_id. Null is as good as left out.' },
);
export type CommandTarget = Type.Static<typeof commandTarget>;

const words = (command: Command): string =>
  command.name
    .split('-')
    .map((each) => each.charAt(0).toUpperCase() + each.slice(1))
    .join('');

/** The body of a command, its event under a name of its own. */
export function commandRequest(command: Command) {
  const { properties } = command.event as Type.TObject;
  const eventTitle = command.event === connectorEvent ? 'ConnectorCommandEvent' : `${words(command)}Event`;
  const event = closed(properties, { title: eventTitle });
  return closed({ target: commandTarget, event }, { title: `${words(command)}Request` });
}

export const operationId = (command: Command): string => {
  const pascal = words(command);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
};

const queuedCommandResponse = Type.Object(
  {
    id: Type.String({ description: 'Names the command: what became of it is read with it.' }),
    event_type: Type.String(),
    ocpp_version: Type.String(),
    payload: anyObject('The event, with its defaults filled in.'),
  },
  { title: 'QueuedCommandResponse' },
);

const queuedResult = Type.Object(
  {
    charger_id: Type.String(),
    identity: Type.String(),
    command: queuedCommandResponse,
  },
  { title: 'LocationQueuedCommandResult' },
);

const commandFailure = Type.Object(
  {
    identity: Type.Optional(nullable(Type.String(), 'Null when there is no such charger.')),
    error: Type.String({ description: 'Why the charger cannot take the command.' }),
  },
  { title: 'LocationCommandFailure' },
);

export const commandResponse = Type.Object(
  {
    targeted_count: Type.Integer(),
    queued_count: Type.Integer(),
    failed_count: Type.Integer(),
    results: Type.Array(queuedResult, { description: 'The chargers for which the command is queued.' }),
    failed: Type.Array(commandFailure, { description: 'The chargers that cannot take it.' }),
  },
  { title: 'LocationCommandResponse' },
);
export type CommandResponse = Type.Static<typeof commandResponse>;
export type CommandFailure = Type.Static<typeof commandFailure>;

const exampleIds = {
  command: '019a8b20-1f04-7a31-8c6e-5d2b9f40a7c1',
  charger: '019a8b1e-6c3f-7d20-b7a5-0c9d5b1e7f42',
};

export const requestExample = (command: Command) => ({
  target: { charger_id: exampleIds.charger },
  event: command.example,
});

export const responseExample = (command: Command): CommandResponse => ({
  targeted_count: 1,
  queued_count: 1,
  failed_count: 0,
  results: [
    {
      charger_id: exampleIds.charger,
      identity: 'CP-1',
      command: {
        id: exampleIds.command,
        event_type: command.eventType,
        ocpp_version: '1.6',
        payload: command.example,
      },
    },
  ],
  failed: [],
});

const exchange = Type.Object({
  at: timestamp(),
  action: Type.String(),
  message_id: Type.String(),
  request: Type.Unknown(),
  response: Type.Unknown(),
  error: nullable(Type.String()),
});

export const commandStatuses = ['queued', 'running', 'succeeded', 'failed'] as const;

export const command = Type.Object(
  {
    id: Type.String(),
    event_type: Type.String(),
    charger_id: Type.String(),
    identity: Type.String(),
    ocpp_version: Type.String(),
    payload: anyObject('The event, with its defaults filled in.'),
    status: word(commandStatuses),
    error_code: nullable(
      Type.String(),
      'Why it failed, for programs: a word that never changes, such as `not_plugged`.',
    ),
    error: nullable(Type.String(), 'Why it failed, for people.'),
    result: Type.Unknown({ description: 'What it has to show for itself.' }),
    accepted_at: timestamp(),
    started_at: nullable(timestamp()),
    finished_at: nullable(timestamp()),
    exchanges: Type.Array(exchange, { description: 'The OCPP calls that it caused, with their answers.' }),
  },
  { title: 'Command' },
);
export const commandPage = pageOf('CommandPage', command);
export type CommandResource = Type.Static<typeof command>;

export const commandExample: CommandResource = {
  id: exampleIds.command,
  event_type: 'power_update',
  charger_id: exampleIds.charger,
  identity: 'CP-1',
  ocpp_version: '1.6',
  payload: { power_w: 7_400, evse_id: 1, connector_id: 1 },
  status: 'succeeded',
  error_code: null,
  error: null,
  result: null,
  accepted_at: '2026-11-14T10:10:00.000Z',
  started_at: '2026-11-14T10:10:00.004Z',
  finished_at: '2026-11-14T10:10:00.012Z',
  exchanges: [
    {
      at: '2026-11-14T10:10:00.005Z',
      action: 'MeterValues',
      message_id: '8c0d3b52-0b52-4a6e-8f5a-6a3f8f0d1c2e',
      request: { connectorId: 1, transactionId: 7, meterValue: [] },
      response: {},
      error: null,
    },
  ],
};
