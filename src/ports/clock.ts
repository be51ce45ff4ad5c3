// The moment, and being called later. The only source of time in the product.

export interface Clock {
  /** Milliseconds since 1970, UTC. Never goes back within one process. */
  nowMs(): number;

  /**
   * Calls `run` once, at or soon after `atMs`, never earlier. Returns a function that cancels it; cancelling twice is fine.
   * Meant for a few timers (the wheel, a flush), not for one per charger.
   */
  at(atMs: number, run: () => void): () => void;
}
