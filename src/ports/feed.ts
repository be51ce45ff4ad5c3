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

export interface Feed {
  /** Adds events in this order. Never blocks and never fails because of a listener. */
  publish(events: readonly NewFleetEvent[]): void;
  /**
   * Hears every event published from now on, in order, each once, in batches. With `after`, first those kept since that event;
   * `complete` says whether the history still reached back that far. History is bounded.
   * A listener that throws is removed; it cannot disturb the others.
   */
  subscribe(listener: (events: readonly FleetEvent[]) => void, options?: { after?: string }): Subscription;
}

export interface Subscription {
  readonly complete: boolean;
  stop(): void;
}
