// Makes a process that runs as always collect its garbage: a signal opens the inspector of any Node.js process.

import { WebSocket } from 'ws';

/** To be given to processes that are measured: without it they would all want the same port. */
export const inspectorOptions = '--inspect-port=0';
/** What a process says on its standard error when its inspector has opened. */
const announcement = /Debugger listening on (ws:\S+)/g;

/** The address of the inspector that opened last, in what a process has said. */
export const lastInspectorUrl = (said: string): string | null => [...said.matchAll(announcement)].at(-1)?.[1] ?? null;

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly message?: string };
}

/** In all its threads. What is collectable depends on luck; what is left after this does not. */
export async function collectGarbage(url: string): Promise<void> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // The process itself and its worker threads, which introduce themselves before the inspector says that it looks for them.
  let collecting = 1;
  const collected = (): void => {
    if (--collecting === 0) resolve();
  };
  const send = (id: number, method: string, params: object = {}): void =>
    socket.send(JSON.stringify({ id, method, params }));
  const collect = JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' });
  socket.on('open', () => send(2, 'NodeWorker.enable', { waitForDebuggerOnStart: false }));
  socket.on('message', (data) => {
    const { id, method, params } = JSON.parse(data.toString()) as Answer;
    if (method === 'NodeWorker.attachedToWorker') {
      collecting++;
      send(3, 'NodeWorker.sendMessageToWorker', { sessionId: params?.sessionId, message: collect });
    }
    if (id === 2) send(1, 'HeapProfiler.collectGarbage');
    if (id === 1 || method === 'NodeWorker.receivedMessageFromWorker') collected();
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the inspector hung up')));
  try {
    await promise;
  } finally {
    socket.close();
  }
}
