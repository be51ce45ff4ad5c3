// What the hand-over must get right when the ways by which word of a command comes cross each other.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { partitionCount } from '../../ports/partition.ts';
import type { QueuedCommand, QueueItem } from '../../ports/queue.ts';
import { VirtualClock } from '../clock/virtual.ts';
import { HandOver, type SharedCommandTable, type Word } from './hand-over.ts';

const command = (number: number, chargerId = 'c-1'): QueuedCommand => ({
  id: `k-${number}`,
  org: 'acme',
  chargerId,
  identity: 'CP-1',
  ocppVersion: '1.6',
  eventType: 'power_update',
  payload: {},
  acceptedAtMs: number,
});

/** What waits, in order; every answer can be held up after it has been read. */
class Table implements SharedCommandTable {
  waiting: QueuedCommand[] = [];
  isDown = false;
  held: Promise<void> = Promise.resolve();

  async enqueueCommands(commands: readonly QueuedCommand[]): Promise<void> {
    this.waiting.push(...commands);
  }

  pendingCommands(chargerIds: readonly string[], except: readonly string[] = []) {
    return this.#answer(
      this.waiting.filter(({ id, chargerId }) => chargerIds.includes(chargerId) && !except.includes(id)),
    );
  }

  waitingCommands() {
    return this.#answer([...this.waiting]);
  }

  async crowdedChargers(): Promise<ReadonlySet<string>> {
    return new Set();
  }

  apply(id: string): void {
    this.waiting = this.waiting.filter((one) => one.id !== id);
  }

  async #answer(commands: QueuedCommand[]): Promise<QueuedCommand[]> {
    if (this.isDown) throw new Error('the table is down');
    await this.held;
    return commands;
  }
}

describe('the hand-over', () => {
  const everything = [...Array(partitionCount).keys()];
  let clock: VirtualClock;
  let table: Table;
  let handOver: HandOver;
  let taken: string[];
  let acknowledged: string[];
  let troubles: number;

  const word = ({ id, chargerId }: QueuedCommand, isRepeated = false): Word => ({
    id,
    chargerId,
    isRepeated,
    acknowledge: () => void acknowledged.push(id),
  });
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  };
  /** Time for the next look. */
  const look = async () => {
    clock.advance(3_000);
    await settle();
  };

  beforeEach(async () => {
    clock = new VirtualClock();
    table = new Table();
    taken = [];
    acknowledged = [];
    troubles = 0;
    handOver = new HandOver({ table, clock, lookEveryMs: 3_000, onTrouble: () => void troubles++ });
    handOver.subscribe((items: readonly QueueItem[]) => {
      taken.push(...items.map((item) => (item.kind === 'command' ? item.command.id : `refresh ${item.chargerId}`)));
    });
    handOver.open(everything);
    await settle();
  });
  afterEach(() => handOver.stop());

  it('hands a command over once, though word of it comes twice and it is found by looking', async () => {
    table.waiting.push(command(1));
    handOver.came(word(command(1)));
    handOver.came(word(command(1)));
    await look();
    await look();
    expect(taken).toEqual(['k-1']);
    expect(acknowledged).toEqual([]);
    table.apply('k-1');
    handOver.settled(['k-1']);
    await settle();
    expect(acknowledged).toEqual(['k-1']);
  });

  it('does not hand over again what is settled while it reads', async () => {
    table.waiting.push(command(1));
    handOver.came(word(command(1)));
    await settle();
    const { promise, resolve } = Promise.withResolvers<void>();
    table.held = promise;
    await look();
    // The look has read it as waiting, and has not come back yet.
    table.apply('k-1');
    handOver.settled(['k-1']);
    resolve();
    await settle();
    await look();
    expect(taken).toEqual(['k-1']);
  });

  it('acknowledges word of what was settled before, without handing it over', async () => {
    handOver.came(word(command(1)));
    await settle();
    expect([taken, acknowledged]).toEqual([[], ['k-1']]);
  });

  it('acknowledges what comes again while it waits in hand, and what ends without its charger', async () => {
    table.waiting.push(command(1), command(2));
    handOver.came(word(command(1)));
    handOver.came(word(command(2)));
    await settle();
    handOver.came(word(command(1), true));
    await settle();
    expect(acknowledged).toEqual(['k-1']);
    table.apply('k-2');
    await look();
    expect(acknowledged).toEqual(['k-1', 'k-2']);
    expect(taken).toEqual(['k-1', 'k-2']);
  });

  it('hands over what was accepted before, though no word of it came, ahead of what follows and of a refresh', async () => {
    table.waiting.push(command(1), command(2), command(3, 'c-2'));
    let isTold = false;
    handOver.refresh(['c-1'], () => {
      isTold = true;
    });
    await settle();
    expect([taken, isTold]).toEqual([['k-1', 'k-2', 'refresh c-1'], true]);
  });

  it('hands nothing over of a partition that was closed while it read, and everything anew when it is open again', async () => {
    table.waiting.push(command(1));
    const { promise, resolve } = Promise.withResolvers<void>();
    table.held = promise;
    handOver.came(word(command(1)));
    await settle();
    handOver.close(everything);
    resolve();
    await settle();
    expect(taken).toEqual([]);
    handOver.open(everything);
    await settle();
    handOver.close(everything);
    handOver.open(everything);
    await settle();
    expect(taken).toEqual(['k-1', 'k-1']);
  });

  it('goes on when the table can be read again, and says once that it could not', async () => {
    table.isDown = true;
    table.waiting.push(command(1));
    handOver.came(word(command(1)));
    handOver.refresh(['c-1'], () => {});
    for (let times = 0; times < 5; times += 1) await look();
    expect([taken, troubles]).toEqual([[], 1]);
    table.isDown = false;
    await look();
    expect(taken).toEqual(['k-1', 'refresh c-1']);
  });
});
