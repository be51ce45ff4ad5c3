// One client that follows the events: read for it page by page, only as fast as it takes them.

import type { ServerResponse } from 'node:http';
import { eventView } from '../events/event.ts';
import { type Interest, isOfInterest } from '../events/interest.ts';
import type { Clock } from '../ports/clock.ts';
import type { Feed, FleetEvent } from '../ports/feed.ts';
import { heartbeatMs, streamEndMs, streamPageSize, streamPieceLength, streamRetryMs, streamStallMs } from './limits.ts';

export interface EventStreamOptions {
  readonly feed: Feed;
  readonly clock: Clock;
  /** Its head has been written. */
  readonly response: ServerResponse;
  readonly interest: Interest;
  /** The event that the client has seen last, or where it begins. */
  readonly after: string;
  /** Whether it is known already that the history does not reach back to where the client was. */
  readonly hasMissed: boolean;
  /** The stream ends with the token that it was opened with. */
  readonly endsAtMs: number;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
}

const missedSentence =
  'events were forgotten before this client came back: the stream goes on with the oldest that is kept';
const endings = {
  closing: 'the gateway is shutting down',
  expired: 'the token has expired',
  stalled: `the client took nothing for ${streamStallMs / 1000} s`,
  overtaken: 'the client was too slow: events were forgotten before they could be sent',
} as const;
type Ending = keyof typeof endings | 'gone';

/** Resolves when the stream is over. */
export async function streamEvents(options: EventStreamOptions): Promise<void> {
  await new EventStream(options).run();
}

class EventStream {
  readonly #options: EventStreamOptions;
  /** What has been read. */
  #place: string;
  /** What the client knows of: its `Last-Event-ID`, should it come back. */
  #toldPlace = '';
  #heartbeatAtMs = 0;
  /** Whether something has happened since it was last looked: events, room, an end. */
  #hasNews = false;
  #wake: () => void = () => {};

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#place = options.after;
  }

  async run(): Promise<void> {
    const { feed, clock, response, closing, endsAtMs } = this.#options;
    const wake = () => {
      this.#hasNews = true;
      this.#wake();
    };
    const unsubscribe = feed.subscribe(wake);
    const cancelEnd = clock.at(endsAtMs, wake);
    response.on('error', () => {});
    for (const event of ['close', 'drain']) response.on(event, wake);
    closing.addEventListener('abort', wake);
    try {
      this.#end(await this.#follow());
    } finally {
      unsubscribe();
      cancelEnd();
      closing.removeEventListener('abort', wake);
      // Whatever went wrong, nobody shall wait for the rest of it.
      if (!response.writableEnded) response.destroy();
    }
  }

  /** Until there is a reason to end. */
  async #follow(): Promise<Ending> {
    const { feed, clock, interest, after, hasMissed } = this.#options;
    this.#write(`retry: ${streamRetryMs}\n${this.#placeLine()}\n`);
    if (hasMissed) this.#write(message('stream.missed', missedSentence));
    for (;;) {
      this.#hasNews = false;
      const ending = await this.#room();
      if (ending !== null) return ending;
      const { events, missed } = await feed.read(this.#place, streamPageSize);
      if (missed && this.#place !== after) return 'overtaken';
      if (missed && !hasMissed) this.#write(message('stream.missed', missedSentence));
      const wanted = events.filter((event) => isOfInterest(interest, event));
      for (const text of piecesOf(wanted)) {
        const reason = await this.#room();
        if (reason !== null) return reason;
        this.#write(text);
      }
      this.#place = events.at(-1)?.id ?? this.#place;
      this.#toldPlace = wanted.at(-1)?.id ?? this.#toldPlace;
      if (clock.nowMs() >= this.#heartbeatAtMs) this.#write(`:\n${this.#placeLine()}\n`);
      if (events.length === 0 && !this.#hasNews) await this.#until(this.#heartbeatAtMs);
    }
  }

  #write(text: string): void {
    const { response, clock } = this.#options;
    response.write(text);
    this.#heartbeatAtMs = clock.nowMs() + heartbeatMs;
  }

  /** Tells where the client is though nothing came that it wanted: what it wants may be rare, and the history is bounded. */
  #placeLine(): string {
    if (this.#place === this.#toldPlace) return '';
    this.#toldPlace = this.#place;
    return `id: ${this.#place}\n`;
  }

  /** Waits until the client has taken what was written; says why it should not be waited for any more. */
  async #room(): Promise<Ending | null> {
    const { clock, response, closing, endsAtMs } = this.#options;
    const stalledAtMs = clock.nowMs() + streamStallMs;
    for (;;) {
      if (response.closed) return 'gone';
      if (closing.aborted) return 'closing';
      if (clock.nowMs() >= endsAtMs) return 'expired';
      if (!response.writableNeedDrain) return null;
      if (clock.nowMs() >= stalledAtMs) return 'stalled';
      await this.#until(stalledAtMs);
    }
  }

  #until(atMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.at(atMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  #end(ending: Ending): void {
    const { clock, response } = this.#options;
    if (ending === 'gone') return;
    response.end(message('stream.ended', endings[ending]));
    const cancel = clock.at(clock.nowMs() + streamEndMs, () => response.destroy());
    response.on('close', cancel);
  }
}

/** Many small messages in one piece, and hardly more than one large one. */
function* piecesOf(events: readonly FleetEvent[]): Iterable<string> {
  let text = '';
  for (const event of events) {
    text += eventMessage(event);
    if (text.length < streamPieceLength) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function eventMessage(event: FleetEvent): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventView(event))}\n\n`;
}

/** About the stream itself; without an id, because it is no event to go on from. */
function message(type: string, detail: string): string {
  return `event: ${type}\ndata: ${JSON.stringify({ detail })}\n\n`;
}
