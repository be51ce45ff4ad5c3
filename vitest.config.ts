// Which tests belong together: fast ones (every check), flows through the whole product, and the long verification.
import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], testTimeout: number, more: object = {}) => ({
  extends: true as const,
  test: { name, include, testTimeout, hookTimeout: testTimeout, ...more },
});

/** Contracts that wait for disks or kill processes; too slow for every check. */
const slow = 'test/contracts/**/*.slow.test.ts';
/** Contracts on a real PostgreSQL and a real NATS. */
const services = 'test/contracts/**/{nats-*,postgres-*,store-postgres}.slow.test.ts';

/** Flows with a gateway that has a database and a corner of the message server instead of its own store and queue. */
const shared = { globalSetup: ['test/services.ts'], env: { FLOWS: 'shared' } };
/** What has no other side there: a gateway without a secret makes none, and the document of the interface is compared. */
const embeddedOnly = ['test/flows/readme.test.ts', 'test/flows/openapi.test.ts'];
/** What takes too long for every change: the bad days of a shared fleet are there already, and a line is the same everywhere. */
const longShared = ['test/flows/{command-crash,crash,foreign-csms,property}.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // Node.js loads the generated validators itself: they are large and need no transformation.
    server: { deps: { external: [/\/src\/ocpp\/generated\//] } },
    projects: [
      project('fast', ['src/**/*.test.ts', 'test/contracts/**/*.test.ts', 'test/{tidy,deploy}.test.ts'], 10_000, {
        exclude: [slow],
      }),
      project('flows', ['test/{flows,simulation,conformance}/**/*.test.ts', slow], 60_000, {
        exclude: [services, 'test/flows/scale-out*.test.ts'],
      }),
      project('flows-shared', ['test/flows/**/*.test.ts'], 60_000, {
        exclude: [...embeddedOnly, ...longShared],
        ...shared,
      }),
      project('services', [services], 60_000, { globalSetup: ['test/services.ts'] }),
      project('verify', ['test/verify/**/*.test.ts'], 600_000, { globalSetup: ['test/services.ts'] }),
      project('verify-shared', longShared, 600_000, shared),
    ],
  },
});
