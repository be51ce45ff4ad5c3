// What every lease promises: run this suite on each adapter.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lease, Membership } from '../../src/ports/lease.ts';
import { type Partitions, partitionCount, type Tenure } from '../../src/ports/partition.ts';

export interface OpenedLease {
  /** Another process: `cut` keeps it from the others, as a broken network or a process that was stopped does; `mend` ends that. */
  process(): { readonly lease: Lease; cut(): void; mend(): void };
  /** Lets time pass until it holds; fails when that takes far too long. */
  until(holds: () => boolean): Promise<void>;
  /** Lets so much time pass that whatever would happen by itself has happened. */
  quietly(): Promise<void>;
  close(): Promise<void>;
}

/** The store's part: whoever comes with a greater epoch has the partition. */
export class Epochs implements Pick<Partitions, 'epochs' | 'beginTenure'> {
  readonly #epochs = Array<number>(partitionCount).fill(0);
  isDown = false;

  async epochs(): Promise<readonly number[]> {
    if (this.isDown) throw new Error('the store is down');
    return [...this.#epochs];
  }

  async beginTenure({ partition, epoch }: Tenure): Promise<boolean> {
    if (epoch <= (this.#epochs[partition] ?? 0)) return false;
    this.#epochs[partition] = epoch;
    return true;
  }
}

/**
 * `patient`: nobody is taken for gone who is only slow, so that a test can say that nothing is lost on a machine with much else to
 * do. `quick`: who is cut off is gone soon, and so may be who is slow.
 */
export type Pace = 'patient' | 'quick';

export function describeLease(name: string, open: (epochs: Epochs, pace: Pace) => Promise<OpenedLease>): void {
  describe(`the lease (${name})`, () => {
    let epochs: Epochs;
    let opened: OpenedLease;
    let owners: Map<number, Worker>;
    let memberships: Membership[];

    /** Somebody who owns partitions, and complains when it is given one that another has not let go. */
    class Worker {
      readonly tenures = new Map<number, Tenure>();
      readonly membership: Membership;
      readonly process = opened.process();
      acquisitions = 0;
      releases = 0;
      losses = 0;
      /** Drains when told to, at once unless this says otherwise. */
      drained: Promise<void> = Promise.resolve();

      constructor(workerName: string) {
        this.membership = this.process.lease.join(workerName, {
          acquired: (tenures) => {
            for (const tenure of tenures) this.#own(tenure);
          },
          release: async (tenure) => {
            this.releases += 1;
            expect(this.tenures.get(tenure.partition)).toEqual(tenure);
            await this.drained;
            this.#disown(tenure);
          },
          lost: (tenures) => {
            this.losses += tenures.length;
            for (const tenure of tenures) this.#disown(tenure);
          },
        });
        memberships.push(this.membership);
      }

      get count(): number {
        return this.tenures.size;
      }

      #own(tenure: Tenure): void {
        expect(owners.has(tenure.partition)).toBe(false);
        owners.set(tenure.partition, this);
        this.tenures.set(tenure.partition, tenure);
        this.acquisitions += 1;
      }

      #disown({ partition }: Tenure): void {
        if (owners.get(partition) === this) owners.delete(partition);
        this.tenures.delete(partition);
      }
    }

    const allOwned = (...workers: Worker[]) => {
      const least = Math.floor(partitionCount / workers.length);
      return owners.size === partitionCount && workers.every(({ count }) => count === least || count === least + 1);
    };

    beforeEach(() => {
      epochs = new Epochs();
      owners = new Map();
      memberships = [];
    });
    const begin = async (pace: Pace): Promise<void> => {
      opened = await open(epochs, pace);
    };
    afterEach(async () => {
      await Promise.all(memberships.map((membership) => membership.leave()));
      await opened.close();
    });

    it('gives the first who comes everything, each partition once, as tenures that the store knows', async () => {
      await begin('patient');
      const worker = new Worker('a');
      await opened.until(() => allOwned(worker));
      expect([...worker.tenures.keys()].toSorted((one, other) => one - other)).toEqual([...Array(256).keys()]);
      expect(await epochs.epochs()).toEqual(Array(256).fill(1));
      expect([...worker.tenures.values()].every(({ epoch }) => epoch === 1)).toBe(true);
      await opened.quietly();
      expect([worker.acquisitions, worker.releases, worker.losses]).toEqual([256, 0, 0]);
    });

    it('shares evenly among those who come, and moves no more than it must', async () => {
      await begin('patient');
      const a = new Worker('a');
      await opened.until(() => allOwned(a));
      const b = new Worker('b');
      await opened.until(() => allOwned(a, b));
      const c = new Worker('c');
      await opened.until(() => allOwned(a, b, c));
      await opened.quietly();
      expect([a.count, b.count, c.count].toSorted()).toEqual([85, 85, 86]);
      expect([a.acquisitions, b.acquisitions]).toEqual([256, 128]);
      expect(c.acquisitions).toBe(c.count);
      expect(a.losses + b.losses + c.losses).toBe(0);
    });

    it('shares evenly among many who come at once', async () => {
      await begin('patient');
      const workers = Array.from({ length: 7 }, (_, number) => new Worker(`w-${number}`));
      await opened.until(() => allOwned(...workers));
      expect(workers.every(({ losses }) => losses === 0)).toBe(true);
    });

    it('gives what somebody must let go to nobody before it is drained', async () => {
      await begin('patient');
      const a = new Worker('a');
      await opened.until(() => allOwned(a));
      const { promise, resolve } = Promise.withResolvers<void>();
      a.drained = promise;
      const b = new Worker('b');
      await opened.until(() => a.releases > 0);
      await opened.quietly();
      expect([a.count, b.count]).toEqual([256, 0]);
      // Not everything at once: what has to move is not away all at the same time.
      expect(a.releases).toBeLessThan(64);
      resolve();
      await opened.until(() => allOwned(a, b));
      expect(a.releases).toBe(128);
    });

    it('lets one leave only when everything is drained, also what it was about to let go', async () => {
      await begin('patient');
      const a = new Worker('a');
      await opened.until(() => allOwned(a));
      const { promise, resolve } = Promise.withResolvers<void>();
      a.drained = promise;
      const b = new Worker('b');
      await opened.until(() => a.releases > 0);
      let hasLeft = false;
      const leaving = a.membership.leave().then(() => {
        hasLeft = true;
      });
      await opened.quietly();
      expect([hasLeft, a.releases, b.count]).toEqual([false, 256, 0]);
      resolve();
      await leaving;
      await opened.until(() => allOwned(b));
      expect(a.losses).toBe(0);
    });

    it('gives what one who leaves has drained to the others', async () => {
      await begin('patient');
      const workers = ['a', 'b', 'c'].map((each) => new Worker(each));
      await opened.until(() => allOwned(...workers));
      const [a, b, c] = workers as [Worker, Worker, Worker];
      await c.membership.leave();
      expect([c.count, c.losses]).toEqual([0, 0]);
      await opened.until(() => allOwned(a, b));
      expect(a.losses + b.losses + a.releases + b.releases).toBeLessThan(256);
    });

    it('tells one who is cut off that everything is lost, before the others are given it under greater epochs', async () => {
      await begin('quick');
      const a = new Worker('a');
      const b = new Worker('b');
      await opened.until(() => allOwned(a, b));
      const before = new Map(b.tenures);
      b.process.cut();
      // `Worker` fails the test should the other be given something that this one has not lost.
      await opened.until(() => allOwned(a));
      expect(b.losses).toBeGreaterThanOrEqual(128);
      for (const [partition, { epoch }] of before) expect(a.tenures.get(partition)?.epoch).toBeGreaterThan(epoch);
    });

    it('takes one back who was cut off for long', async () => {
      await begin('quick');
      const a = new Worker('a');
      const b = new Worker('b');
      await opened.until(() => allOwned(a, b));
      b.process.cut();
      await opened.until(() => allOwned(a));
      b.process.mend();
      await opened.until(() => allOwned(a, b));
      expect(b.losses).toBeGreaterThanOrEqual(128);
    });

    it('gives everything back, under new epochs, to one who is alone and was cut off', async () => {
      await begin('quick');
      const a = new Worker('a');
      await opened.until(() => allOwned(a));
      a.process.cut();
      await opened.until(() => a.losses >= 256 && a.count === 0);
      a.process.mend();
      await opened.until(() => allOwned(a));
      expect([...a.tenures.values()].every(({ epoch }) => epoch > 1)).toBe(true);
    });

    it('shares out what several had who are gone at the same moment', async () => {
      await begin('quick');
      const workers = Array.from({ length: 5 }, (_, number) => new Worker(`w-${number}`));
      await opened.until(() => allOwned(...workers));
      for (const { process } of workers.slice(2)) process.cut();
      await opened.until(() => allOwned(...workers.slice(0, 2)));
    });

    it('says of one whose drainage is cut off that it is lost, and gives it away', async () => {
      await begin('quick');
      const a = new Worker('a');
      await opened.until(() => allOwned(a));
      a.drained = new Promise(() => {});
      const b = new Worker('b');
      await opened.until(() => a.releases > 0);
      a.process.cut();
      await opened.until(() => allOwned(b));
      expect(a.losses).toBeGreaterThanOrEqual(256);
    });

    it('waits for a store that cannot begin tenures', async () => {
      await begin('patient');
      epochs.isDown = true;
      const a = new Worker('a');
      await opened.quietly();
      expect(a.count).toBe(0);
      epochs.isDown = false;
      await opened.until(() => allOwned(a));
    });

    describe('of a task', () => {
      interface Candidate {
        readonly name: string;
        readonly state: { isInCharge: boolean; acquisitions: number; losses: number };
        readonly process: ReturnType<OpenedLease['process']>;
        readonly membership: Membership;
      }
      function candidate(candidateName: string): Candidate {
        const process = opened.process();
        const state = { isInCharge: false, acquisitions: 0, losses: 0 };
        const membership = process.lease.stand('webhooks', candidateName, {
          acquired: () => {
            expect(inCharge()).toEqual([]);
            state.isInCharge = true;
            state.acquisitions += 1;
          },
          release: async () => {
            state.isInCharge = false;
          },
          lost: () => {
            state.isInCharge = false;
            state.losses += 1;
          },
        });
        memberships.push(membership);
        const entry = { name: candidateName, state, process, membership };
        candidates.push(entry);
        return entry;
      }
      let candidates: Candidate[];
      const inCharge = () => candidates.filter(({ state }) => state.isInCharge).map((each) => each.name);
      beforeEach(() => {
        candidates = [];
      });

      it('puts one in charge, who stays it whoever else comes', async () => {
        await begin('patient');
        const z = candidate('z');
        await opened.until(() => inCharge().length === 1);
        candidate('a');
        candidate('b');
        await opened.quietly();
        expect(inCharge()).toEqual(['z']);
        expect(z.state).toMatchObject({ acquisitions: 1, losses: 0 });
      });

      it('passes to another when one leaves, and when one is cut off', async () => {
        await begin('quick');
        const [a, b] = [candidate('a'), candidate('b')];
        await opened.until(() => inCharge().length === 1);
        const [first, second] = a.state.isInCharge ? [a, b] : [b, a];
        await first.membership.leave();
        await opened.until(() => second.state.isInCharge);
        const third = candidate('c');
        second.process.cut();
        await opened.until(() => third.state.isInCharge);
        expect(second.state.losses).toBeGreaterThanOrEqual(1);
      });
    });
  });
}
