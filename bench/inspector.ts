// Looks into a process that runs as always: a signal opens the inspector of any Node.js process.

import { WebSocket } from 'ws';

/** To be given to processes that are measured: without it they would all want the same port. */
export const inspectorOptions = '--inspect-port=0';
/** What a process says on its standard error when its inspector has opened. */
const announcement = /Debugger listening on (ws:\S+)/g;

/** Whatever else it says about it. */
export const inspectorTalk = /^(?:Debugger |For help, see: |Starting inspector )/;

/** The address of the inspector that opened last, in what a process has said. */
export const lastInspectorUrl = (said: string): string | null => [...said.matchAll(announcement)].at(-1)?.[1] ?? null;

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly message?: string };
}

export class Inspector {
  readonly #socket: WebSocket;
  readonly #workers: string[] = [];
  readonly #asked = new Map<string, (result: unknown) => void>();
  readonly #end = Promise.withResolvers<never>();
  #lastId = 0;

  static async open(url: string): Promise<Inspector> {
    const inspector = new Inspector(url);
    await Promise.race([new Promise((resolve) => inspector.#socket.once('open', resolve)), inspector.#end.promise]);
    // Worker threads introduce themselves before this is answered.
    await inspector.#call('', 'NodeWorker.enable', { waitForDebuggerOnStart: false });
    return inspector;
  }

  private constructor(url: string) {
    this.#socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0 });
    this.#socket.on('message', (data) => this.#hear('', JSON.parse(data.toString()) as Message));
    this.#socket.on('error', (error) => this.#end.reject(error));
    this.#socket.on('close', () => this.#end.reject(new Error('the inspector hung up')));
    this.#end.promise.catch(() => {});
  }

  /** Calls it in the process itself and in its worker threads; what each answers. */
  callAll(method: string, params: object = {}): Promise<readonly unknown[]> {
    return Promise.all(['', ...this.#workers].map((worker) => this.#call(worker, method, params)));
  }

  close(): void {
    this.#socket.close();
  }

  #call(worker: string, method: string, params: object): Promise<unknown> {
    const id = ++this.#lastId;
    const message = { id, method, params };
    const answered = new Promise((resolve) => this.#asked.set(`${worker} ${id}`, resolve));
    if (worker === '') this.#socket.send(JSON.stringify(message));
    else {
      const wrapped = { sessionId: worker, message: JSON.stringify(message) };
      this.#socket.send(
        JSON.stringify({ id: ++this.#lastId, method: 'NodeWorker.sendMessageToWorker', params: wrapped }),
      );
    }
    return Promise.race([answered, this.#end.promise]);
  }

  #hear(worker: string, { id, result, method, params }: Message): void {
    if (method === 'NodeWorker.attachedToWorker') this.#workers.push(params?.sessionId ?? '');
    else if (method === 'NodeWorker.receivedMessageFromWorker') {
      this.#hear(params?.sessionId ?? '', JSON.parse(params?.message ?? '{}') as Message);
    } else if (id !== undefined) {
      this.#asked.get(`${worker} ${id}`)?.(result);
      this.#asked.delete(`${worker} ${id}`);
    }
  }
}
