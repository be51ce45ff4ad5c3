// What an event says of a command that has ended.

/** Both errors are null when it succeeded. */
export function commandEnded(ended: {
  readonly commandId: string;
  readonly eventType: string;
  readonly errorCode: string | null;
  readonly error: string | null;
}) {
  const { commandId, eventType, errorCode, error } = ended;
  return {
    type: errorCode === null ? 'command.succeeded' : 'command.failed',
    data: { command_id: commandId, event_type: eventType, error_code: errorCode, error },
  } as const;
}

/** The whole event about a command that was ended without its charger. */
export function endedEvent(
  ended: {
    readonly command: {
      readonly id: string;
      readonly org: string;
      readonly chargerId: string;
      readonly identity: string;
      readonly eventType: string;
    };
    readonly locationId: string | null;
    readonly errorCode: string;
    readonly error: string;
  },
  atMs: number,
) {
  const { command, locationId, errorCode, error } = ended;
  const { id: commandId, org, chargerId, identity, eventType } = command;
  return { org, chargerId, identity, locationId, atMs, ...commandEnded({ commandId, eventType, errorCode, error }) };
}
