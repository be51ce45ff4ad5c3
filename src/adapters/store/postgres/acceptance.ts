// How commands are accepted: those of several calls in one statement, each call whole or not at all.

import { Failure } from '../../../errors.ts';
import { partitionOf } from '../../../ports/partition.ts';
import type { QueuedCommand } from '../../../ports/queue.ts';
import type { Receipt } from '../../../ports/store.ts';
import type { Statement } from '../../postgres/named-query.ts';
import type { Session } from '../../postgres/session.ts';
import { texts } from '../../postgres/values.ts';
import type { Work } from './write-lane.ts';

const commandsPerStatement = 1_000;

export interface Acceptance {
  readonly commands: readonly QueuedCommand[];
  readonly receipt: Receipt | undefined;
}

// A call is known by its place: that of its receipt in $1 to $8, and of each of its commands in $17.
const acceptCommands: Statement = {
  name: 'acceptCommands',
  text: `WITH given AS (
      SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::bigint[])
        AS given (call, org, key, fingerprint, status, headers, body, at)
    ), kept AS (
      INSERT INTO receipts (org, key, fingerprint, status, headers, body, at)
      SELECT org, key, fingerprint, status, headers, body, at FROM given ORDER BY org, key
      ON CONFLICT (org, key) DO NOTHING RETURNING org, key
    ), refused AS (
      SELECT call FROM given WHERE NOT EXISTS (SELECT 1 FROM kept WHERE kept.org = given.org AND kept.key = given.key)
    ), accepted AS (
      INSERT INTO commands (id, org, charger_id, partition, identity, ocpp_version, event_type, payload, accepted_at)
      SELECT id, org, charger_id, partition, identity, ocpp_version, event_type, payload, accepted_at
      FROM unnest($9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::bigint[], $17::int[],
        $18::smallint[]) WITH ORDINALITY
        AS sent (id, org, charger_id, identity, ocpp_version, event_type, payload, accepted_at, call, partition, place)
      WHERE NOT EXISTS (SELECT 1 FROM refused WHERE refused.call = sent.call) ORDER BY place
    )
    SELECT call FROM refused`,
};

export const acceptance: Work<Acceptance, Failure | null> = {
  batch() {
    const keys = new Set<string>();
    let count = 0;
    return {
      add({ commands, receipt }) {
        const key = receipt === undefined ? null : JSON.stringify([receipt.org, receipt.key]);
        if (count > 0 && (count + commands.length > commandsPerStatement || keys.has(key ?? ''))) return false;
        // One that comes without commands counts as well.
        count += Math.max(commands.length, 1);
        if (key !== null) keys.add(key);
        return true;
      },
    };
  },

  async write(session, calls) {
    const [only] = calls;
    if (calls.length === 1 && only !== undefined && only.commands.length > commandsPerStatement) {
      return [await acceptMany(session, only)];
    }
    return accept(session, calls);
  },

  async recall(session, { commands: [first], receipt }) {
    if (first === undefined) {
      const { org = '', key = '' } = receipt ?? {};
      const kept = await session.run('SELECT fingerprint FROM receipts WHERE org = $1 AND key = $2', [org, key]);
      // Its own, or that of an equal request: the same answer was given.
      return kept[0]?.[0] === receipt?.fingerprint ? null : 'again';
    }
    return (await session.run('SELECT 1 FROM commands WHERE id = $1', [first.id])).length > 0 ? null : 'again';
  },
};

async function accept(session: Session, calls: readonly Acceptance[]): Promise<readonly (Failure | null)[]> {
  const given = calls.flatMap(({ receipt }, call) => (receipt === undefined ? [] : [{ call, ...receipt }]));
  const sent = calls.flatMap(({ commands }, call) => commands.map((command) => ({ call, ...command })));
  const rows = await session.run(acceptCommands, [
    given.map(({ call }) => call),
    texts(given.map(({ org }) => org)),
    texts(given.map(({ key }) => key)),
    texts(given.map(({ fingerprint }) => fingerprint)),
    given.map(({ status }) => status),
    texts(given.map(({ headers }) => JSON.stringify(headers))),
    texts(given.map(({ body }) => body)),
    given.map(({ atMs }) => atMs),
    texts(sent.map(({ id }) => id)),
    texts(sent.map(({ org }) => org)),
    texts(sent.map(({ chargerId }) => chargerId)),
    texts(sent.map(({ identity }) => identity)),
    texts(sent.map(({ ocppVersion }) => ocppVersion)),
    texts(sent.map(({ eventType }) => eventType)),
    texts(sent.map(({ payload }) => JSON.stringify(payload))),
    sent.map(({ acceptedAtMs }) => acceptedAtMs),
    sent.map(({ call }) => call),
    sent.map(({ chargerId }) => partitionOf(chargerId)),
  ]);
  const refused = new Set(rows.map(([call]) => call));
  return calls.map((_, call) => (refused.has(call) ? new Failure('receipt_taken') : null));
}

/** In parts, so that other work of this process has its turn between them. */
function acceptMany(session: Session, { commands, receipt }: Acceptance): Promise<Failure | null> {
  return session.transaction(async () => {
    for (let at = 0; at < commands.length; at += commandsPerStatement) {
      const part = commands.slice(at, at + commandsPerStatement);
      const [refused] = await accept(session, [{ commands: part, receipt: at === 0 ? receipt : undefined }]);
      if (refused instanceof Failure) return refused;
    }
    return null;
  });
}
