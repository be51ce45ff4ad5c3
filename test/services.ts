// Starts the real servers that some suites need, once for a run; they end with it.

import type { TestProject } from 'vitest/node';
import { openTestServers, type TestServers } from '../tools/services.mjs';

declare module 'vitest' {
  export interface ProvidedContext extends Omit<TestServers, 'close'> {}
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { close, ...servers } = await openTestServers();
  for (const [name, value] of Object.entries(servers)) project.provide(name as keyof typeof servers, value);
  return close;
}
