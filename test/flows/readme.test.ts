// The README's tour, pasted line by line into a shell, for each version; and the curl line of the first start.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess, root, temporaryFolder } from './gateway.ts';

const run = promisify(execFile);
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const tour = [...readme.matchAll(/```bash tour\n(.*?)```/gs)].map((match) => match[1] ?? '');

describe('what a new user does', () => {
  const folder = temporaryFolder();
  // Without a configured secret, as on a first start.
  const gateway = new GatewayProcess(folder.path, { JWT_SECRET: '' });

  beforeAll(() => gateway.start());
  afterAll(async () => {
    await gateway.end('SIGKILL');
    folder.remove();
  });

  it('pastes the curl line of the first start, and has a charger', async () => {
    const client = await gateway.client();
    const curlLine = () => gateway.stderr.split('\n').find((line) => line.startsWith('curl '));
    await client.until('the line is printed', async () => curlLine() !== undefined);
    const { stdout } = await run('bash', ['-c', curlLine() ?? 'false']);
    expect(JSON.parse(stdout)).toMatchObject({ id: expect.any(String), ocpp_version: '1.6' });
  });

  it.each(['1.6', '2.0.1', '2.1'])('pastes the tour for OCPP %s', async (version) => {
    expect(tour.length).toBeGreaterThanOrEqual(5);
    // Only the address and the version differ from what stands there.
    const script = tour.join('\n').replace('http://127.0.0.1:8080', gateway.url).replace('V=1.6', `V=${version}`);
    const env = { ...process.env, DATA_DIR: folder.path };
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: root, env });
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const identity = `TOUR-${version}`;
    expect(answers[0]).toMatchObject({ identity, ocpp_version: version });
    const outcome = answers.find((answer) => answer.event_type === 'ev_stops_energy');
    expect(outcome).toMatchObject({ status: 'succeeded', identity });
    expect(outcome.exchanges[0].action).toBe(version === '1.6' ? 'StatusNotification' : 'TransactionEvent');
    const live = answers.find((answer) => answer.connectors !== undefined);
    expect(live.connectors[0]).toMatchObject({ status: 'SuspendedEV', offered_w: 7_400 });
    expect(answers.find((answer) => answer.next_cursor !== undefined).data).toHaveLength(5);
    expect(answers.find((answer) => answer.targeted_count === 2)).toMatchObject({ queued_count: 2, failed_count: 0 });
    expect(answers.find((answer) => answer.evses !== undefined).evses).toHaveLength(2);
    const events = answers.filter((answer) => answer.type !== undefined);
    expect(events.every((event) => event.identity === identity)).toBe(true);
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(['charger.connected', 'transaction.started', 'transaction.ended']),
    );
  });
});
