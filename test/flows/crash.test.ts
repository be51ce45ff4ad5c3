// Processes really killed: what was answered is there afterwards, and chargers come back by themselves.

import { afterEach, describe, expect, it } from 'vitest';
import { type Client, childrenOf, GatewayProcess, type Json, startCsms, temporaryFolder } from './gateway.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const gateway = await new GatewayProcess(folder.path, env).start();
  cleanUps.push(
    () => folder.remove(),
    () => gateway.end('SIGKILL'),
  );
  const csms = await startCsms();
  cleanUps.push(() => csms.close());
  return { gateway, csms, client: await gateway.client() };
}

const identities = Array.from({ length: 100 }, (_, number) => `CP-${String(number).padStart(3, '0')}`);

const createAll = (client: Client, ws_url: string): Promise<Json[]> =>
  Promise.all(
    identities.map((identity, number) =>
      client.create({ identity, ws_url, ocpp_version: ['1.6', '2.0.1', '2.1'][number % 3] }),
    ),
  );

describe('kill -9', () => {
  it('of a fleet process with 100 chargers: all are back, without a restart of the gateway', async () => {
    const { gateway, csms, client } = await start({ WORKERS: '1' });
    await createAll(client, csms.url);
    const allConnected = async () => csms.csms.connected().length === 100;
    await client.until('100 chargers are connected', allConnected);
    const [fleetPid] = childrenOf(gateway.pid);
    const before = csms.recorder.cursor();
    process.kill(fleetPid as number, 'SIGKILL');
    await client.until('they are gone', async () => csms.csms.connected().length === 0);
    await client.until('100 chargers are back', allConnected);
    for (const identity of identities) {
      await csms.recorder.waitFor(identity, 'BootNotification', undefined, 10_000, before);
    }
    expect(childrenOf(gateway.pid)).not.toContain(fleetPid);
    const created = await client.get('/ocpp/chargers?limit=1');
    expect(created.total).toBe(100);
    expect(await client.command(created.data[0].id, 'plug-connector')).toMatchObject({ status: 'succeeded' });
    expect(csms.recorder.violations()).toEqual([]);
  });

  it('of everything, and a new start: the chargers exist, reconnect, and end what was charging with PowerLoss', async () => {
    const { gateway, csms, client } = await start({ WORKERS: '2' });
    const created = await createAll(client, csms.url);
    const sessions = created.slice(0, 6);
    for (const { id } of sessions)
      expect(await client.command(id, 'start-session', { id_tag: 'TAG' })).toMatchObject({ status: 'succeeded' });
    const children = childrenOf(gateway.pid);
    await gateway.end('SIGKILL');
    const cursor = csms.recorder.cursor();
    await client.until('the fleet processes have ended with it', async () =>
      children.every((pid) => {
        try {
          return !process.kill(pid, 0);
        } catch {
          return true;
        }
      }),
    );

    await gateway.start();
    const again = await gateway.client();
    expect((await again.get('/ocpp/chargers?limit=1')).total).toBe(100);
    await again.until('100 chargers are back', async () => csms.csms.connected().length === 100);
    for (const { identity, ocpp_version } of sessions) {
      const ended = (payload: Json) => (payload.reason ?? payload.transactionInfo?.stoppedReason) === 'PowerLoss';
      await csms.recorder.waitFor(
        identity,
        ocpp_version === '1.6' ? 'StopTransaction' : 'TransactionEvent',
        ended,
        10_000,
        cursor,
      );
    }
    expect(csms.recorder.violations()).toEqual([]);
  });
});

describe('SIGTERM', () => {
  it('keeps sessions: exit 0, and after a new start the charger goes on charging without a boot', async () => {
    const { gateway, csms, client } = await start();
    const { id, identity } = await client.create({ identity: 'KEPT', ws_url: csms.url });
    await client.command(id, 'start-session', { id_tag: 'TAG' });
    const { transaction } = (await client.live(identity)).connectors[0];
    expect(await gateway.end('SIGTERM')).toBe(0);
    const cursor = csms.recorder.cursor();
    await gateway.start();
    const again = await gateway.client();
    await again.untilConnected(identity);
    expect((await again.live(identity)).connectors[0]).toMatchObject({
      status: 'Charging',
      transaction: { id: transaction.id },
    });
    const said = csms.recorder
      .calls(identity)
      .filter((call) => call.order >= cursor)
      .map((call) => call.action);
    expect(said).not.toContain('BootNotification');
    expect(said).not.toContain('StopTransaction');
  });
});

describe('the data folder', () => {
  it('belongs to one gateway: a second one is told so in one line', async () => {
    const { gateway } = await start();
    const second = new GatewayProcess(gateway.dataDir);
    await expect(second.start()).rejects.toThrow(/in use by another gateway/);
    expect(second.stderr.trim().split('\n')).toHaveLength(1);
  });
});
