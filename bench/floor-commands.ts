// The floor of a command: a bare HTTP server that commits, says one thing on a WebSocket, and commits again when it is answered.

import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';
import { PlainClient } from './plain-client.ts';

export interface CommandFloorSettings {
  readonly urls: readonly string[];
  readonly chargers: number;
  readonly databasePath: string;
}

interface Body {
  readonly target: { readonly charger_id: string };
  readonly event: object;
}

/** So many are dialling at a time. */
const dialling = 100;

const { urls, chargers, databasePath } = JSON.parse(process.argv[2] ?? '') as CommandFloorSettings;
const database = new DatabaseSync(databasePath);
database.exec('pragma journal_mode = wal; pragma synchronous = normal');
database.exec('create table command (id text primary key, charger text, payload text, outcome text) without rowid');
const accept = database.prepare('insert into command (id, charger, payload) values (?, ?, ?)');
const finish = database.prepare('update command set outcome = ? where id = ?');

const clients: Client[] = [];
let commands = 0;

class Client extends PlainClient {
  command: string | null = null;

  override done(): void {
    if (this.command === null) dialNext();
    else finish.run('{"status":"succeeded"}', this.command);
  }
}

function dialNext(): void {
  const number = clients.length;
  if (number < chargers) clients.push(new Client(urls[number % urls.length] ?? '', '1.6', `BENCH-${number}`));
}

const app = fastify();
app.post<{ Body: Body }>('/commands', async ({ body: { target, event } }, reply) => {
  const id = `00000000-0000-4000-8000-${String(++commands).padStart(12, '0')}`;
  const client = clients[Number(target.charger_id)];
  if (client === undefined) throw new Error(`there is no client ${target.charger_id}`);
  client.command = id;
  accept.run(id, client.identity, JSON.stringify(event));
  setImmediate(() => client.say('meterValues'));
  const command = { id, event_type: 'power_update', ocpp_version: '1.6', payload: event };
  const results = [{ charger_id: id, identity: client.identity, command }];
  return reply.code(202).send({ targeted_count: 1, queued_count: 1, failed_count: 0, results, failed: [] });
});

process.on('message', () => {
  for (let count = 0; count < dialling; count++) dialNext();
});
process.on('disconnect', () => process.exit(0));
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
