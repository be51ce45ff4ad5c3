// What chargers have done elsewhere, run by the fleet: their logs as files, and what becomes of an errand when its charger goes.

import { beforeAll, describe, expect, it } from 'vitest';
import { authority } from '../../test/certificates.ts';
import { command, member, World } from '../../test/fleet-world.ts';
import { loadDialect } from '../ocpp/dialects.ts';

const location = 'ftp://files.test/logs';
const getLog = { logType: 'DiagnosticsLog', requestId: 1, log: { remoteLocation: location } };

describe('the errands of a fleet', () => {
  beforeAll(() => loadDialect('1.6'));

  it('send what the charger has logged, oldest first and without secrets', async () => {
    const world = new World();
    await world.run(member('A'));
    await world.run(command('A', 'set_configuration', { key: 'AuthorizationKey', value: 'a secret of 20 bytes' }));
    expect(await world.ask('GetDiagnostics', { location })).toEqual({
      fileName: expect.stringMatching(/^A-diagnostics-/),
    });
    const [file] = world.files.received;
    const lines = Buffer.from(file?.content ?? [])
      .toString()
      .trim()
      .split('\n');
    expect(lines.map((line) => line.split(' ').slice(1, 4).join(' ')).slice(0, 2)).toEqual([
      'internal lifecycle connected',
      'out call BootNotification',
    ]);
    expect(lines.at(-2)).toContain('in call GetDiagnostics');
    expect(lines.join()).toContain('***');
    expect(lines.join()).not.toContain('a secret of 20 bytes');
    expect(world.actions.filter((action) => action === 'DiagnosticsStatusNotification')).toHaveLength(2);
  });

  it('that fail say why in the log, without the password of the place', async () => {
    const world = new World();
    await world.run(member('A'));
    world.files.troubles.push('file_denied');
    await world.ask('GetDiagnostics', { location: 'ftp://charger:hush@files.test/logs' });
    const { entries } = await world.fleet.ask('id-A', { kind: 'logs', query: { limit: 100 } });
    expect(entries.find((entry) => entry.action === 'transfer_failed')?.raw).toBe(
      '{"location":"ftp://files.test/logs","error":"the file server does not let this charger in"}',
    );
  });

  it('end with their charger', async () => {
    const world = new World();
    await world.run(member('A'));
    let release = (): void => {};
    world.files.hold = new Promise((resolve) => {
      release = resolve;
    });
    expect(await world.ask('GetLog', getLog)).toMatchObject({ status: 'Accepted' });
    await world.run({ kind: 'gone', chargerId: 'id-A' });
    release();
    await world.settle();
    expect(world.files.received).toEqual([]);
    expect(world.problems).toEqual([]);
  });

  it('are run again by the process that takes over after a crash', async () => {
    const world = new World();
    await world.run(member('A'));
    world.files.hold = new Promise(() => {});
    await world.ask('GetLog', getLog);
    const next = new World();
    await next.run(member('A', world.memoryOf('id-A')));
    expect(next.files.received).toHaveLength(1);
    expect(next.actions.filter((action) => action === 'LogStatusNotification')).toHaveLength(1);
  });

  it('let an answer wait, and the charger go on meanwhile', async () => {
    const world = new World();
    await world.run(member('A'));
    const certificate = authority('Root').certificate;
    const install = { certificateType: 'CentralSystemRootCertificate', certificate };
    expect(await world.ask('InstallCertificate', install)).toEqual({ status: 'Accepted' });
    expect(world.memoryOf('id-A')).toContain('BEGIN CERTIFICATE');
    expect(await world.ask('InstallCertificate', { ...install, certificate: 'nonsense' })).toEqual({
      status: 'Rejected',
    });
  });

  it('keep private keys out of logs and out of the live state', async () => {
    const world = new World();
    await world.run(member('A'));
    await world.ask('ExtendedTriggerMessage', { requestedMessage: 'SignChargePointCertificate' });
    for (let turn = 0; turn < 50 && !world.actions.includes('SignCertificate'); turn++) await world.settle();
    expect(world.actions).toContain('SignCertificate');
    expect(world.memoryOf('id-A')).toContain('PRIVATE KEY');
    const { entries } = await world.fleet.ask('id-A', { kind: 'logs', query: { limit: 100 } });
    const live = await world.fleet.ask('id-A', { kind: 'live' });
    expect(JSON.stringify([entries, live, world.events])).not.toContain('PRIVATE KEY');
  });
});
