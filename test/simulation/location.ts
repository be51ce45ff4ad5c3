// A location through days of virtual time: chargers, drivers, a CSMS, and everything that can go wrong, from one seed.

import { startMs, type Version } from '../talk.ts';
import { Dice } from './dice.ts';
import { takeFullSessions } from './full-session.ts';
import { LocationCsms } from './location-csms.ts';
import { happenings } from './location-happenings.ts';
import { SimulatedCharger } from './simulated-charger.ts';

export interface LocationPlan {
  readonly seed: number;
  readonly days: number;
  readonly chargers: number;
  /** Which versions the chargers speak, in turn. */
  readonly versions: readonly Version[];
}

export interface LocationOutcome {
  readonly happened: number;
  readonly transactions: number;
  readonly calls: number;
}

/** How often something happens at a charger. */
const averageWaitS = 480;

/** Throws at the first thing that is wrong. */
export async function simulateLocation(plan: LocationPlan): Promise<LocationOutcome> {
  const csms = new LocationCsms();
  const chargers = await Promise.all(
    Array.from({ length: plan.chargers }, (_, index) => {
      const version = plan.versions[index % plan.versions.length] ?? '1.6';
      return SimulatedCharger.build(version, index + 1, new Dice(plan.seed, 'charger', index), csms);
    }),
  );
  const endMs = startMs + plan.days * 86_400_000;
  const days = chargers.map((charger, index) => new Day(charger, new Dice(plan.seed, 'day', index)));
  let happened = 0;
  for (;;) {
    const next = days.reduce((first, day) => (day.nextMs < first.nextMs ? day : first));
    if (next.nextMs > endMs) break;
    next.goOn();
    happened++;
  }
  for (const day of days) day.end();
  return {
    happened,
    transactions: chargers.reduce((sum, { book }) => sum + book.ended, 0),
    calls: chargers.reduce((sum, { book }) => sum + book.heard, 0),
  };
}

/** What goes on at one charger. */
class Day {
  nextMs: number;
  readonly #charger: SimulatedCharger;
  readonly #dice: Dice;
  readonly #table;
  /** For whoever has to find out what was wrong. */
  readonly #latest: string[] = [];

  constructor(charger: SimulatedCharger, dice: Dice) {
    this.#charger = charger;
    this.#dice = dice;
    this.#table = happenings(charger.talk.dialect.version);
    this.nextMs = startMs + dice.waitS(averageWaitS) * 1000;
  }

  goOn(): void {
    const { name, happen } = this.#dice.pickWeighted(this.#table);
    this.#note(name);
    this.#try(() => {
      this.#charger.passUntil(this.nextMs);
      this.#charger.book.disturbedMs = this.nextMs + this.#charger.book.offsetMs;
      happen(this.#charger, this.#dice);
    });
    this.#charger.forget();
    // One that was put to sleep has slept through it.
    this.nextMs = Math.max(this.nextMs, this.#charger.talk.nowMs) + this.#dice.waitS(averageWaitS) * 1000;
  }

  end(): void {
    this.#note('the end');
    this.#try(() => takeFullSessions(this.#charger));
  }

  #note(name: string): void {
    this.#latest.push(`${new Date(this.nextMs).toISOString()} ${name}`);
    if (this.#latest.length > 12) this.#latest.shift();
  }

  #try(run: () => void): void {
    const { identity } = this.#charger.talk.conversation.charger.station;
    let problems: readonly string[];
    try {
      run();
      problems = this.#charger.problems();
    } catch (error) {
      problems = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
    }
    if (problems.length === 0) return;
    const said = this.#charger.talk.texts.slice(-6).join('\n  ');
    throw new Error(
      `${identity}: ${problems.join('; ')}\nafter:\n  ${this.#latest.join('\n  ')}\nlastly said:\n  ${said}`,
    );
  }
}
