// One process that answers and several that run the chargers; what becomes of them when one of these dies is in the bad days.

import { afterEach, describe, expect, it } from 'vitest';
import type { Recorder } from '../../src/csms/recorder.ts';
import { partitionCount } from '../../src/ports/partition.ts';
import { metricsOf } from '../bad-days/stage.ts';
import { natsUrl } from '../contracts/nats-connection.ts';
import { serverUrl } from '../contracts/store-postgres.ts';
import { EventClient } from '../event-client.ts';
import { type Client, GatewayProcess, type Json, startCsms, temporaryFolder, token } from './gateway.ts';
import { openSharedFleet } from './scale-out.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const identities = Array.from({ length: 40 }, (_, number) => `CP-${String(number).padStart(3, '0')}`);

async function start(workers: readonly string[]) {
  const fleet = await openSharedFleet();
  cleanUps.push(() => fleet.close());
  // Chargers have something to say at any moment.
  const csms = await startCsms({ heartbeatIntervalS: 1 });
  cleanUps.push(() => csms.close());
  const api = await fleet.start('api');
  const running = await Promise.all(workers.map((count) => fleet.start('worker', { WORKERS: count })));
  return { fleet, csms, api, workers: running, client: await api.client() };
}

const createAll = (client: Client, ws_url: string): Promise<Json[]> =>
  Promise.all(
    identities.map((identity, number) =>
      client.create({ identity, ws_url, ocpp_version: ['1.6', '2.0.1', '2.1'][number % 3] }),
    ),
  );

const untilAllConnected = (client: Client, patienceMs = 30_000): Promise<void> =>
  client.until(
    'all chargers are connected',
    async () => {
      const states = await Promise.all(identities.map((identity) => client.live(identity)));
      return states.every(({ connection, boot }) => connection.state === 'connected' && boot.status === 'Accepted');
    },
    patienceMs,
  );

/** How many chargers each process runs. */
async function running(worker: GatewayProcess): Promise<number> {
  const text = await (await fetch(`${worker.url}/metrics`)).text();
  return Number(/^chargesim_chargers_running (\d+)/m.exec(text)?.[1]);
}

const untilShared = (client: Client, workers: readonly GatewayProcess[]): Promise<void> =>
  client.until(
    'every worker has its share',
    async () => {
      const counts = await Promise.all(workers.map(running));
      return counts.every((count) => count > 5) && counts.reduce((sum, count) => sum + count, 0) === identities.length;
    },
    30_000,
  );

/** Once a charger has spoken on a newer line, nothing comes on an older one. */
function expectOneOwner({ recorder }: { readonly recorder: Recorder }): void {
  for (const identity of identities) {
    const lines = recorder.calls(identity).map(({ connection }) => connection);
    expect(lines, identity).toEqual(lines.toSorted((one, other) => one - other));
  }
}

/** What a charger has said to its CSMS, by its log, oldest first. */
async function callsLogged(client: Client, identity: string): Promise<readonly string[]> {
  const actions: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await client.get(
      `/ocpp/simulators/${identity}/logs?direction=out&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    for (const { kind, action } of page.data) if (kind === 'call') actions.push(action);
    if (page.next_cursor === null) return actions.reverse();
    cursor = page.next_cursor;
  }
}

describe.skipIf(natsUrl === null || serverUrl === null)('a fleet that many processes share', () => {
  it('is created, commanded and watched through a process that runs none of it', async () => {
    const { csms, client, workers, api } = await start(['1', '0']);
    const events = await EventClient.open(`${api.url}/ocpp/events`, { token: await token() });
    cleanUps.push(() => events.leave());
    const created = await createAll(client, csms.url);
    await untilAllConnected(client);
    await untilShared(client, workers);
    const ended = await Promise.all(created.map(({ id }) => client.command(id, 'plug-connector')));
    expect(ended.map(({ status }) => status)).toEqual(created.map(() => 'succeeded'));
    for (const { identity } of created) {
      expect((await client.live(identity)).connectors[0].status).not.toBe('Available');
    }
    const told = () =>
      new Set(events.messages.flatMap(({ event, data }) => (event === 'command.succeeded' ? [data.charger_id] : [])));
    await events.until(() => told().size === created.length);
    expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
    let owned = 0;
    for (const worker of workers) {
      expect((await fetch(`${worker.url}/healthz`)).status).toBe(200);
      const { status, partitions } = (await (await fetch(`${worker.url}/readyz`)).json()) as Json;
      expect(status).toBe('ok');
      owned += partitions;
      const told = await metricsOf(worker);
      expect(told.get('chargesim_partitions_owned')).toBe(partitions);
      expect(told.get('chargesim_partition_changes_total{change="taken"}')).toBeGreaterThanOrEqual(partitions);
      expect((await fetch(`${worker.url}/ocpp/chargers`)).status).toBe(404);
    }
    expect(owned).toBe(partitionCount);
    expect((await metricsOf(api)).get('chargesim_fleet_partitions')).toBe(partitionCount);
    expect(csms.recorder.violations()).toEqual([]);
    expectOneOwner(csms);
  });

  it('has the interface of a gateway on one machine, byte for byte as it describes it', async () => {
    const fleet = await openSharedFleet();
    cleanUps.push(() => fleet.close());
    const folder = temporaryFolder();
    cleanUps.push(() => folder.remove());
    const api = await fleet.start('api');
    // An address of its own would be told in the description.
    const alone = new GatewayProcess(folder.path, { DATABASE_URL: '', PUBLIC_URL: api.env['PUBLIC_URL'] ?? '' });
    cleanUps.push(() => alone.end('SIGKILL'));
    await alone.start();
    const described = await Promise.all(
      [api, alone].map(async ({ url }) => (await fetch(`${url}/openapi.json`)).text()),
    );
    expect(described[0]).toContain('/ocpp/commands/');
    expect(described[0]).toBe(described[1]);
  });

  it('is handed on by a worker that is told to stop, and nothing boots anew', async () => {
    const { csms, client, workers } = await start(['1', '0']);
    const created = await createAll(client, csms.url);
    await untilAllConnected(client);
    await untilShared(client, workers);
    expect(await client.command(created[0].id, 'start-session', { id_tag: 'TAG' })).toMatchObject({
      status: 'succeeded',
    });
    const before = csms.recorder.cursor();
    for (const worker of workers.slice(0, 1)) expect(await worker.end('SIGTERM')).toBe(0);
    await untilAllConnected(client);
    for (const identity of identities) {
      const boots = csms.recorder.calls(identity, 'BootNotification');
      expect(boots.filter(({ order }) => order >= before)).toEqual([]);
    }
    expect(await client.command(created[0].id, 'stop-session', {})).toMatchObject({ status: 'succeeded' });
    for (const identity of identities) {
      // Everything that came is in the log, in its order, whoever ran the charger; a heartbeat may have come since.
      const said = csms.recorder.calls(identity).map(({ action }) => action);
      expect((await callsLogged(client, identity)).slice(0, said.length), identity).toEqual(said);
    }
    expect(csms.recorder.violations()).toEqual([]);
    expectOneOwner(csms);
  });
});
