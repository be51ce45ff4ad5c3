// The description as others read it: a validator, a linter and a generator of clients that we did not write.

import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopes } from '../../src/auth/scopes.ts';
import { gatewayHere, type Json, root, startCsms, temporaryFolder, token } from './gateway.ts';
import { Description } from './interface.ts';

const run = promisify(execFile);

describe('/openapi.json', () => {
  let world: Awaited<ReturnType<typeof gatewayHere>>;
  let description: Description;

  beforeAll(async () => {
    world = await gatewayHere();
    description = await Description.of(world.gateway.url);
  });
  afterAll(() => world.close());

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const copy = structuredClone(description.document);
    expect(await validator.validate(copy)).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('passes a strict linter without a remark', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const source = JSON.stringify(description.document, null, 1);
    const remarks = await lintFromString({ source, absoluteRef: '/openapi.json', config });
    expect(
      remarks.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ''})`),
    ).toEqual([]);
  });

  it('tells of every operation what it is called, what it does, who may call it, and what it answers', () => {
    const ids = description.operations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = description.document.tags.map((tag: Json) => tag.name);
    for (const { name, id, method, path, scope, statuses } of description.operations) {
      const told = description.document.paths[path][method.toLowerCase()];
      expect(id, name).toMatch(/^[a-z][A-Za-z0-9]+$/);
      expect(told.summary, name).toMatch(/^[A-Z].{5,79}$/);
      expect(told.description, name).toMatch(/\w{3}/);
      expect(told.tags, name).toHaveLength(1);
      expect(tags, name).toContain(told.tags[0]);
      if (scope === null) expect(told.security, name).toEqual([]);
      else expect(scopes, name).toContain(scope);
      expect(told.description, name).toContain(scope === null ? 'Needs no token' : `\`${scope}\``);
      const isDone = (status: number) => status >= 200 && status < 300;
      expect(statuses.filter(isDone), name).toHaveLength(1);
      expect(statuses, name).toEqual(expect.arrayContaining(scope === null ? [422, 500] : [401, 403, 422, 500]));
      // What has nothing to say has no example to give.
      const contents = Object.entries<Json>(told.responses).filter(([status]) => !['204', '304'].includes(status));
      for (const { content } of [
        ...contents.map(([, each]) => each),
        ...(told.requestBody ? [told.requestBody] : []),
      ]) {
        for (const media of Object.values<Json>(content)) expect(media.example, name).toBeDefined();
      }
    }
  });
});

/** What the README's tour does, in the words of the generated client: its types are checked with it. */
const tour = `
import { createClient } from './client/client/index.ts';
import * as gateway from './client/index.ts';

const [, , baseUrl, auth, ws_url, version] = process.argv as [string, string, string, string, string, '1.6' | '2.0.1' | '2.1'];
const client = createClient({ baseUrl, auth, throwOnError: true });
const throwOnError = true as const;

const { data: charger } = await gateway.createCharger({
  client,
  throwOnError,
  headers: { 'Idempotency-Key': \`a-first-charger-\${version}\` },
  body: { identity: \`GENERATED-\${version}\`, ocpp_version: version, ws_url },
});
const target = { charger_id: charger.id };
const outcome = async ({ data }: { data: gateway.LocationCommandResponse }): Promise<gateway.Command> => {
  const command_id = data.results[0]?.command.id ?? '';
  const { data: command } = await gateway.getCommand({ client, throwOnError, path: { command_id }, query: { wait_s: 10 } });
  return command;
};
const commands = [
  await outcome(await gateway.plugConnector({ client, throwOnError, body: { target, event: { ev: { battery_kwh: 77, soc_percent: 35 } } } })),
  await outcome(await gateway.startSession({ client, throwOnError, body: { target, event: { id_tag: 'DEADBEEF' } } })),
  await outcome(await gateway.powerUpdate({ client, throwOnError, body: { target, event: { power_w: 7400 } } })),
  await outcome(await gateway.evStopsEnergy({ client, throwOnError, body: { target, event: { evse_id: 1, connector_id: 1 } } })),
];
const { identity } = charger;
const { data: live } = await gateway.getSimulator({ client, throwOnError, path: { identity } });
const { data: logs } = await gateway.listSimulatorLogs({ client, throwOnError, path: { identity }, query: { limit: 5 } });
const refused = await gateway.getCharger({ client, throwOnError: false, path: { charger_id: 'nobody' } });
console.log(JSON.stringify({ charger, commands, live, logs, refused: { status: refused.response?.status, detail: refused.error?.detail } }));
`;

const clientSettings = {
  compilerOptions: {
    target: 'esnext',
    module: 'nodenext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: ['node'],
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    strict: true,
  },
  include: ['.'],
};

describe('a client that @hey-api/openapi-ts makes of it', () => {
  const folder = temporaryFolder();
  let world: Awaited<ReturnType<typeof gatewayHere>>;
  let csms: Awaited<ReturnType<typeof startCsms>>;

  beforeAll(async () => {
    world = await gatewayHere();
    csms = await startCsms();
    const { document } = await Description.of(world.gateway.url);
    const file = join(folder.path, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    await run(process.execPath, [join(root, 'test/flows/generate-client.mjs'), file, join(folder.path, 'client')]);
    writeFileSync(join(folder.path, 'tour.ts'), tour);
    writeFileSync(join(folder.path, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify(clientSettings));
    mkdirSync(join(folder.path, 'node_modules'));
    symlinkSync(join(root, 'node_modules/@types'), join(folder.path, 'node_modules/@types'));
  });
  afterAll(async () => {
    await world.close();
    await csms.close();
    folder.remove();
  });

  it('compiles strictly, and so does what is written with it', async () => {
    const compiled = run(join(root, 'node_modules/.bin/tsc'), ['-p', folder.path]);
    expect((await compiled.catch((error: { stdout: string }) => error)).stdout).toBe('');
  });

  it.each(['1.6', '2.0.1', '2.1'])('takes the tour of the README with OCPP %s', async (version) => {
    const words = [world.gateway.url, await token(), csms.url, version];
    const { stdout } = await run(process.execPath, [join(folder.path, 'tour.ts'), ...words]);
    const { charger, commands, live, logs, refused } = JSON.parse(stdout);
    expect(charger).toMatchObject({ identity: `GENERATED-${version}`, ocpp_version: version });
    expect(commands.map(({ event_type, status }: Json) => [event_type, status])).toEqual([
      ['plug_connector', 'succeeded'],
      ['start_session', 'succeeded'],
      ['power_update', 'succeeded'],
      ['ev_stops_energy', 'succeeded'],
    ]);
    expect(live.connectors[0]).toMatchObject({ status: 'SuspendedEV', offered_w: 7_400 });
    expect(logs.data).toHaveLength(5);
    expect(refused).toEqual({ status: 404, detail: 'charger nobody does not exist' });
  });
});
