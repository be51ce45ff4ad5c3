// Who may import whom. A whitelist: what a row does not name is a breach, type-only imports included.
//
// `folders` and `typesOf` name what is in src/, `packages` and `typesOfPackages` what is installed; `typesOf…` may be
// imported with `import type` only. A folder may always import itself.
import { builtinModules } from 'node:module';

const schemas = ['typebox'];
const nats = ['@nats-io/'];

/** @type {Record<string, Rule>} A row for each folder of src/, and for each file directly in it. */
export const rows = {
  charger: {},
  auth: {},
  'errors.ts': {},
  'setting-readers.ts': { packages: schemas },
  'config.ts': { folders: ['errors.ts', 'setting-readers.ts'], packages: schemas },
  'config-check.ts': { folders: ['config.ts', 'errors.ts'] },
  commands: { folders: ['charger'], typesOf: ['errors.ts'], packages: schemas },
  requests: { folders: ['charger'], typesOf: ['errors.ts'], packages: schemas },
  templates: { folders: ['charger'], typesOf: ['errors.ts'], packages: schemas, catalog: true },
  provisioning: { folders: ['charger'], typesOf: ['errors.ts'], packages: schemas },
  ocpp: { folders: ['charger', 'requests'], typesOfPackages: ['typed-ocpp'], validators: true },
  events: { typesOf: ['charger', 'ports'] },
  ports: { typesOf: ['charger', 'commands', 'provisioning'] },
  fleet: { folders: ['charger', 'commands', 'requests', 'ocpp', 'provisioning', 'ports', 'errors.ts'], node: true },
  webhooks: { folders: ['events', 'ports', 'errors.ts'] },
  http: {
    folders: ['commands', 'templates', 'provisioning', 'auth', 'events', 'ports', 'errors.ts'],
    typesOf: ['charger'],
    packages: ['fastify', '@fastify/', 'jose', 'pino', 'prom-client', ...schemas],
    node: true,
  },
  csms: { folders: ['ocpp'], packages: ['ws'] },
  cli: { everything: true },
  'compose.ts': { everything: true },
  'compose-fleet.ts': { everything: true },
  'compose-front.ts': { everything: true },
  'compose-shared.ts': { everything: true },
  'main.ts': { everything: true },
  'shard.ts': { everything: true },
  'errand-ports.ts': { everything: true },
  'open-journal.ts': { everything: true },
};

/** Every adapter folder sees the ports, the errors and node: modules; beyond that only the drivers named here. */
const adapter = { folders: ['ports', 'errors.ts'], node: true };
export const drivers = {
  files: ['basic-ftp'],
  journal: ['pg'],
  store: ['pg', 'kysely'],
  queue: ['pg', 'kysely', ...nats],
  lease: ['pg', 'kysely', ...nats],
  feed: nats,
  ask: nats,
  webhooks: nats,
  nats,
  postgres: ['pg'],
};
/** Adapters over the same server share what connects to it, which is in a folder of its own. */
const sharedBy = (packages) => [
  ...(packages.includes(nats[0]) ? ['^src/adapters/nats/'] : []),
  ...(packages.includes('pg') ? ['^src/adapters/postgres/'] : []),
];

const sourceOf = (name) => (name.endsWith('.ts') ? `^src/${escaped(name)}$` : `^src/${escaped(name)}/`);
const packageOf = (name) => `node_modules/(@types/)?${escaped(name)}${name.endsWith('/') ? '' : '/'}`;
const escaped = (text) => text.replace(/[.\\/]/g, '\\$&');
// The cruiser drops the node: prefix where Node.js knows the module without it too.
const nodeModule = `^(node:)?(${builtinModules.map((name) => escaped(name.replace(/^node:/, ''))).join('|')})$`;
const isTest = '\\.test\\.ts$';

/** The breaches of one row: an import of something it does not name, and a real import of what it may only type with. */
function rulesOf(name, path, row, otherwise = []) {
  if (row.everything) return [];
  const open = [
    ...otherwise,
    ...(row.folders ?? []).map(sourceOf),
    ...(row.packages ?? []).map(packageOf),
    ...(row.catalog ? ['^catalog/.*\\.json$'] : []),
    ...(row.node ? [nodeModule] : []),
  ];
  const typesOnly = [...(row.typesOf ?? []).map(sourceOf), ...(row.typesOfPackages ?? []).map(packageOf)];
  const from = { path, pathNot: isTest };
  const names = [
    ...(row.folders ?? []),
    ...(row.packages ?? []),
    ...(row.node ? ['node: modules'] : []),
    ...(row.catalog ? ['the catalog'] : []),
    ...[...(row.typesOf ?? []), ...(row.typesOfPackages ?? [])].map((other) => `${other} (types)`),
  ].map((other) => other.replace(/(\.ts|\/)(?=$| )/, ''));
  const rules = [
    {
      name,
      severity: 'error',
      comment: `${name} may import ${names.length ? `only ${names.join(', ')} and itself` : 'nothing but itself'}`,
      from,
      to: { pathNot: [...open, ...typesOnly], couldNotResolve: false },
    },
  ];
  if (typesOnly.length > 0) {
    rules.push({
      name: `${name} (types)`,
      severity: 'error',
      comment: `${name} may import this with \`import type\` only`,
      from,
      to: { path: typesOnly, dependencyTypesNot: ['type-only'] },
    });
  }
  return rules;
}

const adapterRules = [
  ...Object.entries(drivers).flatMap(([folder, packages]) =>
    rulesOf(`adapters/${folder}`, `^src/adapters/${folder}/`, { ...adapter, packages }, [
      `^src/adapters/${folder}/`,
      ...sharedBy(packages),
    ]),
  ),
  ...rulesOf('adapters', `^src/adapters/(?!(?:${Object.keys(drivers).join('|')})/)([^/]+)`, adapter, [
    '^src/adapters/$1(/|$)',
  ]),
];

export default {
  forbidden: [
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'it cannot be found',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-cycle',
      severity: 'error',
      comment: 'it closes a circle of imports',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'validators',
      severity: 'error',
      comment: 'the generated validators belong to ocpp',
      from: { pathNot: ['^src/ocpp/', isTest] },
      to: { path: '^src/ocpp/generated/' },
    },
    {
      name: 'no-tests',
      severity: 'error',
      comment: 'the product does not depend on its tests, benchmarks or tools',
      from: { path: '^src/', pathNot: isTest },
      to: { path: ['^(test|bench|tools)/', isTest] },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      comment: 'the package is installed for development only',
      from: { path: '^src/', pathNot: isTest },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    ...Object.entries(rows).flatMap(([name, row]) =>
      rulesOf(name.replace(/\.ts$/, ''), sourceOf(name), row, [sourceOf(name)]),
    ),
    ...adapterRules,
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '^src/ocpp/generated/', '^catalog/'] },
    builtInModules: { add: ['node:sqlite', 'node:test', 'node:sea'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'types', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
    },
    skipAnalysisNotInRules: true,
  },
};
