// A client of event streams for tests: reads messages as the format's specification says, and knows where it was.

export interface Message {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely.
  readonly data: any;
}

export interface OpenOptions {
  readonly token: string;
  readonly lastEventId?: string;
}

export class EventClient {
  readonly response: Response;
  readonly messages: Message[] = [];
  /** Everything as it came. */
  text = '';
  lastEventId: string;
  /** Resolves when the stream is over, by whomever. */
  readonly ended: Promise<void>;
  readonly #abort: AbortController;
  #onMessage: (() => void)[] = [];

  private constructor(response: Response, abort: AbortController, lastEventId: string) {
    this.response = response;
    this.#abort = abort;
    this.lastEventId = lastEventId;
    this.ended = this.#read().catch(() => {});
  }

  static async open(url: string, { token, lastEventId = '' }: OpenOptions): Promise<EventClient> {
    const abort = new AbortController();
    const resume = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
    const headers = { authorization: `Bearer ${token}`, ...resume };
    return new EventClient(await fetch(url, { headers, signal: abort.signal }), abort, lastEventId);
  }

  /** Goes away without a word. */
  async leave(): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }

  /** Resolves when so many messages have come, or the stream is over. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      const isOver = await Promise.race([
        this.ended.then(() => true),
        new Promise<false>((resolve) => this.#onMessage.push(() => resolve(false))),
      ]);
      if (isOver) return;
    }
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of this.response.body ?? []) {
      const text = decoder.decode(chunk, { stream: true });
      this.text += text;
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block.split('\n'));
      for (const tell of this.#onMessage.splice(0)) tell();
    }
  }

  #take(lines: readonly string[]): void {
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    this.lastEventId = field('id') ?? this.lastEventId;
    const data = field('data');
    if (data === undefined) return;
    this.messages.push({ id: this.lastEventId, event: field('event') ?? 'message', data: JSON.parse(data) });
  }
}
