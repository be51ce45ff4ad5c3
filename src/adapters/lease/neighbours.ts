// Which of the other members are gone: those whose sign has stood still for longer than they need to notice it themselves.

import type { Board } from './board.ts';

/** Where a sign was first seen, or heard, to stand. */
interface Standing {
  readonly sign: number | null;
  readonly sinceMs: number;
}

export class Neighbours {
  readonly #board: Board;
  readonly #steadyMs: () => number;
  readonly #limits: { readonly renewEveryMs: number; readonly goneAfterMs: number };
  readonly #heardMs = new Map<string, number>();
  readonly #standing = new Map<string, Standing>();

  constructor(
    board: Board,
    steadyMs: () => number,
    limits: { readonly renewEveryMs: number; readonly goneAfterMs: number },
  ) {
    this.#board = board;
    this.#steadyMs = steadyMs;
    this.#limits = limits;
  }

  heard(member: string, sign: number | null): void {
    const atMs = this.#steadyMs();
    this.#heardMs.set(member, atMs);
    this.#standing.set(member, { sign, sinceMs: atMs });
  }

  /** Those of the members that are gone. Looks only at those from whom nothing was heard. */
  async gone(members: readonly string[]): Promise<ReadonlySet<string>> {
    for (const known of [this.#heardMs, this.#standing]) {
      for (const member of known.keys()) if (!members.includes(member)) known.delete(member);
    }
    const gone = await Promise.all(members.map(async (member) => ((await this.#isGone(member)) ? [member] : [])));
    return new Set(gone.flat());
  }

  async #isGone(member: string): Promise<boolean> {
    const { renewEveryMs, goneAfterMs } = this.#limits;
    if (this.#steadyMs() - (this.#heardMs.get(member) ?? Number.NEGATIVE_INFINITY) < 1.5 * renewEveryMs) {
      return false;
    }
    const askedMs = this.#steadyMs();
    const sign = await this.#board.sign(member);
    const standing = this.#standing.get(member);
    if (standing === undefined || standing.sign !== sign) {
      this.#standing.set(member, { sign, sinceMs: this.#steadyMs() });
      return false;
    }
    // From after it was first seen to before it was last asked for: the member counts from before it shows a sign, so it has
    // noticed first, however long the answers took.
    return askedMs - standing.sinceMs >= goneAfterMs;
  }
}
