// Starts the real servers that some suites need, once for a run; they end with it.

import type { TestProject } from 'vitest/node';
import { openTestServers } from '../tools/services.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly databaseUrl: string | null;
    readonly natsUrl: string | null;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { databaseUrl, natsUrl, close } = await openTestServers();
  project.provide('databaseUrl', databaseUrl);
  project.provide('natsUrl', natsUrl);
  return close;
}
