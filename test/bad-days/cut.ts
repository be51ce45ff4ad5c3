// A stretch of network between a process and its message server that a test can cut.

import { connect, createServer, type Socket } from 'node:net';

/** `break` ends connections and refuses new ones; `silence` keeps them, and nothing comes through. */
export type CutKind = 'break' | 'silence';

export interface Wire {
  /** The same address, through this wire. */
  readonly url: string;
  cut(kind: CutKind): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openWire(target: string): Promise<Wire> {
  const there = new URL(target);
  const sockets = new Set<Socket>();
  let state: CutKind | 'whole' = 'whole';
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    if (state === 'break') {
      near.destroy();
      return;
    }
    const far = connect(Number(there.port), there.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (chunk) => {
        if (state === 'whole') to.write(chunk);
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the wire has no port');
  const url = new URL(target);
  url.port = String(address.port);
  return {
    url: url.href,
    cut(kind) {
      state = kind;
      if (kind === 'break') drop();
    },
    mend() {
      // What was swallowed is missed: who speaks on must begin anew.
      drop();
      state = 'whole';
    },
    async close() {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
