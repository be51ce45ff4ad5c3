// Connects the contract suites to NATS, each test under a prefix of its own.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, inject } from 'vitest';
import { connectNats, type Nats, type NatsOptions } from '../../src/adapters/nats/connection.ts';

/** Null where there is no NATS: then the suites that need it are skipped. */
export const natsUrl = inject('natsUrl');

let count = 0;
const used: { readonly url: string; readonly prefix: string }[] = [];

/** Everything that was kept under the prefixes of this file is gone afterwards. */
afterAll(async () => {
  for (const { url, prefix } of used.splice(0)) {
    const nats = await connectNats({ url, name: 'cleaner', prefix, patienceMs: 0 }).catch(() => null);
    if (nats === null) continue;
    const { streams } = await nats.manager();
    for (const { config } of await streams.list().next()) {
      if (config.name.startsWith(prefix) || config.name.startsWith(`KV_${prefix}`)) await streams.delete(config.name);
    }
    await nats.close();
  }
});

export function newPrefix(url: string = natsUrl ?? ''): string {
  const prefix = `test-${process.pid}-${++count}`;
  used.push({ url, prefix });
  return prefix;
}

export function openNats(prefix: string, options: Partial<NatsOptions> = {}): Promise<Nats> {
  if (natsUrl === null && options.url === undefined) throw new Error('there is no NATS');
  return connectNats({ url: natsUrl ?? '', name: 'test', prefix, ...options });
}

/** Waits for it to hold; servers take their time. */
export async function until(holds: () => boolean | Promise<boolean>, patienceMs = 30_000): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > untilMs) throw new Error('it does not come to pass');
    await pause(10);
  }
}
