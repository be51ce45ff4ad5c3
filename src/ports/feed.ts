// The stream of what happened to chargers, for whoever listens: event streams, webhooks, tests.

export interface FleetEvent {
  /** Sortable: later events have greater ids. */
  readonly id: string;
  readonly org: string;
  readonly type: string;
  readonly atMs: number;
  readonly chargerId: string;
  readonly identity: string;
  readonly locationId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export type NewFleetEvent = Omit<FleetEvent, 'id'>;

/** Part of the history. */
export interface FeedPage {
  /** Oldest first. */
  readonly events: readonly FleetEvent[];
  /** Whether events after the one named were forgotten before they could be read: the page begins with the oldest that is kept after them. */
  readonly missed: boolean;
}

export interface Feed {
  /** Adds events in this order, which is that of their ids. Returns at once, and never fails because of a reader. */
  publish(events: readonly NewFleetEvent[]): void;

  /**
   * Where a reader begins who wants only what is new: the id of the newest event or, while this life of the feed has published none,
   * a place behind every id of its earlier lives. Nobody can have heard of anything greater.
   */
  newest(): Promise<string>;

  /**
   * At most `limit` of the events after the one named, oldest first, and none only when there are none; `''` is before all. An id that
   * is not (or no longer) known is good too: what is greater comes after it. Readers go at their own pace; the history is bounded, and
   * whoever is too slow for it is told by `missed`. The history survives a restart; a crash may lose the last 100 ms of it. While what is
   * asked for cannot be reached there is nothing to read, and those who subscribed are told when there is.
   */
  read(after: string, limit: number): Promise<FeedPage>;

  /** Calls `tell` soon after there is more to read, once for many events; what it returns ends that. A `tell` that throws is dropped. */
  subscribe(tell: () => void): () => void;

  /** Keeps what was published. */
  close(): Promise<void>;
}
