// Which tests belong together: fast ones (every check), flows through the whole product, and the long verification.
import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], testTimeout: number, more: object = {}) => ({
  extends: true as const,
  test: { name, include, testTimeout, hookTimeout: testTimeout, ...more },
});

/** Contracts that wait for disks or kill processes; too slow for every check. */
const slow = 'test/contracts/**/*.slow.test.ts';
/** Contracts of what is not part of the product yet, on servers of their own. */
const services = 'test/contracts/**/{nats-*,postgres-*,store-postgres}.slow.test.ts';

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
      project('flows', ['test/{flows,simulation,conformance}/**/*.test.ts', slow], 60_000, { exclude: [services] }),
      project('services', [services], 60_000, { globalSetup: ['test/services.ts'] }),
      project('verify', ['test/verify/**/*.test.ts'], 600_000),
    ],
  },
});
