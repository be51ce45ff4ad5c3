// What can go wrong on a day, each done for real to a running fleet: takes something away, and gives it back.

import { setTimeout as pause } from 'node:timers/promises';
import { DiscardPolicy } from '@nats-io/jetstream';
import { Client as Database } from 'pg';
import { connectNats } from '../../src/adapters/nats/connection.ts';
import { partitionOf } from '../../src/ports/partition.ts';
import { pick, type Stage, signalAll, treeOf } from './stage.ts';

/** Resolves when everything is there again; the answer says what was done. */
export type BadDay = (stage: Stage) => Promise<string>;

const awayMs = 5_000;
const stillMs = 20_000;
export const maxFileBytes = 700 * 1024 ** 2;

export const badDays = {
  async 'a worker is killed'({ workers, next }) {
    const worker = pick(workers, next());
    // Its fleet process must end by itself when nobody ends it.
    const pids = next() < 0.5 ? treeOf(worker) : [worker.pid];
    const ended = worker.end('SIGKILL');
    signalAll(pids, 'SIGKILL');
    await ended;
    await pause(awayMs);
    await worker.start();
    return `worker ${workers.indexOf(worker)}, ${pids.length} processes`;
  },

  async 'a worker stands still for 20 s'({ workers, next }) {
    const worker = pick(workers, next());
    const pids = treeOf(worker);
    signalAll(pids, 'SIGSTOP');
    await pause(stillMs);
    signalAll(pids, 'SIGCONT');
    return `worker ${workers.indexOf(worker)}, ${pids.length} processes`;
  },

  async 'a process that answers is killed'({ apis, next }) {
    const api = pick(apis, next());
    await api.end('SIGKILL');
    await pause(awayMs);
    await api.start();
    return `api ${apis.indexOf(api)}`;
  },

  async 'the message server is killed'({ nats }) {
    await nats.kill();
    await pause(awayMs);
    await nats.restart();
    return 'NATS';
  },

  async 'the database is killed'({ postgres }) {
    await postgres.kill();
    await pause(awayMs);
    await postgres.restart();
    return 'PostgreSQL';
  },

  async 'a worker is cut off from the others, and not from its CSMS'({ wires, next }) {
    const wire = pick(wires, next());
    const kind = next() < 0.5 ? 'break' : 'silence';
    wire.cut(kind);
    await pause(awayMs + next() * 10_000);
    wire.mend();
    return `worker ${wires.indexOf(wire)}, ${kind}`;
  },

  async 'the disk of the message server is full'({ nats }) {
    const connection = await connectNats({ url: nats.url, name: 'filler', prefix: 'filler' });
    const { streams } = await connection.manager();
    await streams.add({ name: 'filler', subjects: ['filler'], discard: DiscardPolicy.New });
    const heap = new Uint8Array(1_000_000);
    let kept = 0;
    const fill = async (): Promise<boolean> => {
      const answers = Array.from({ length: 20 }, () => connection.stream.publish('filler', heap));
      const taken = await Promise.allSettled(answers);
      kept += taken.filter(({ status }) => status === 'fulfilled').length;
      return taken.every(({ status }) => status === 'fulfilled');
    };
    while (await fill()) if (kept > maxFileBytes / heap.length) throw new Error('the disk does not fill');
    await pause(awayMs);
    await streams.delete('filler');
    await connection.close();
    return `${kept} MB of something else`;
  },

  /** What no program of today has written: of a newer one, or of somebody who was mistaken. */
  async 'poison is on the queue'({ postgres, nats, chargers, next }) {
    const poisoned = chargers.filter(() => next() < 0.2);
    const database = new Database({ connectionString: postgres.url });
    await database.connect();
    const connection = await connectNats({ url: nats.url, name: 'poisoner' });
    for (const [index, { id }] of poisoned.entries()) {
      const [eventType, payload] = pick(
        [
          ['no_such_command', '{}'],
          ['proxy_message', '{"action":'],
          ['proxy_message', 'null'],
          ['start_session', '[[[]]]'],
        ] as const,
        next(),
      );
      const commandId = `poison-${index}`;
      await database.query(
        `INSERT INTO commands (id, org, charger_id, partition, identity, ocpp_version, event_type, payload, accepted_at)
         SELECT $1, org, id, partition, identity, coalesce(ocpp_version, '1.6'), $3, $4, $5 FROM chargers WHERE id = $2`,
        [commandId, id, eventType, payload, Date.now()],
      );
      const subject = (...words: readonly (string | number)[]) => ['chargesim', ...words].join('.');
      const { connection: wire } = connection;
      wire.publish(subject('cmd', partitionOf(id), id), commandId);
      for (const word of ['', '{', 'null', '[1]', '{"chargerIds":7}']) {
        wire.publish(subject('cmd', partitionOf(id), id), word);
        wire.publish(subject('refresh', partitionOf(id)), word, { reply: 'nobody' });
        wire.publish(subject('ask', partitionOf(id)), word, { reply: 'nobody' });
        for (const all of ['statuses', 'census']) wire.publish(subject(all), word, { reply: 'nobody' });
      }
    }
    await connection.flush();
    await pause(awayMs);
    const open = await database.query(`SELECT count(*) FROM commands WHERE id LIKE 'poison-%' AND finished_at IS NULL`);
    const failed = await database.query(
      `SELECT DISTINCT event_type || ' ' || coalesce(error_code, status) AS fate FROM commands WHERE id LIKE 'poison-%'`,
    );
    await database.query(`DELETE FROM commands WHERE id LIKE 'poison-%'`);
    await database.end();
    await connection.close();
    if (Number(open.rows[0].count) > 0) throw new Error(`${open.rows[0].count} poisonous commands have not ended`);
    return `${poisoned.length} commands: ${failed.rows.map(({ fate }) => fate).join(', ')}`;
  },
} as const satisfies Record<string, BadDay>;

export type BadDayName = keyof typeof badDays;
