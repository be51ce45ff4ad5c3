// A CSMS that we did not write: a server of the npm package ocpp-rpc, which checks every frame strictly, both ways, where it has the schemas.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RPCServer } from 'ocpp-rpc';
import type { Json } from './gateway.ts';

export interface HeardCall {
  readonly identity: string;
  readonly action: string;
  readonly params: Json;
}

export type ForeignCsms = Awaited<ReturnType<typeof startForeignCsms>>;

export async function startForeignCsms() {
  // Its schemas of 2.1 have names that it does not find itself.
  const strictMode = ['ocpp1.6', 'ocpp2.0.1'];
  const server: Json = new RPCServer({ protocols: [...strictMode, 'ocpp2.1'], strictMode });
  /** Whatever the server does not like. */
  const problems: unknown[] = [];
  const calls: HeardCall[] = [];
  /** The latest connection of each charger. */
  const lines = new Map<string, Json>();
  let transactionId = 0;
  server.auth((accept: () => void) => accept());
  server.on('client', (client: Json) => {
    lines.set(client.identity, client);
    for (const event of ['strictValidationFailure', 'badMessage']) {
      client.on(event, (problem: unknown) => problems.push({ event, problem }));
    }
    client.handle(({ method, params }: { method: string; params: Json }) => {
      calls.push({ identity: client.identity, action: method, params });
      return answerTo(method, client.protocol === 'ocpp1.6' ? 'idTagInfo' : 'idTokenInfo', () => ++transactionId);
    });
  });
  const http = await server.listen(0, '127.0.0.1');
  const files = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end('firmware'));
  });
  await new Promise<void>((listening) => files.listen(0, '127.0.0.1', () => listening()));
  return {
    problems,
    calls,
    url: `ws://127.0.0.1:${http.address().port}`,
    filesUrl: `http://127.0.0.1:${(files.address() as AddressInfo).port}`,
    line: (identity: string): Json => lines.get(identity),
    ask: (identity: string, action: string, params: Json = {}): Promise<Json> =>
      lines.get(identity).call(action, params),
    async close(): Promise<void> {
      await server.close();
      files.close();
    },
  };
}

function answerTo(action: string, info: string, nextId: () => number): Json {
  const currentTime = new Date().toISOString();
  switch (action) {
    case 'BootNotification':
      return { status: 'Accepted', currentTime, interval: 300 };
    case 'Heartbeat':
      return { currentTime };
    case 'Authorize':
      return { [info]: { status: 'Accepted' } };
    case 'StartTransaction':
      return { transactionId: nextId(), [info]: { status: 'Accepted' } };
    case 'SignCertificate':
      return { status: 'Accepted' };
    default:
      return {};
  }
}
