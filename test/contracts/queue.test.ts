// Runs the queue's contract on the adapter that a machine of one's own uses, and looks at what it promises beyond that.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QueueItem } from '../../src/ports/queue.ts';
import { describeQueue } from './queue-contract.ts';
import { idOf, type Opened, queuedCommand, queuedCommands } from './store-samples.ts';
import { openSqlite } from './store-sqlite.ts';

describeQueue('SQLite', () => openSqlite());

describe('the queue of one process', () => {
  let opened: Opened;
  let batches: (readonly QueueItem[])[];
  const taken = () =>
    batches.flat().map((item) => (item.kind === 'command' ? item.command.id : `refresh ${item.chargerId}`));
  beforeEach(async () => {
    opened = await openSqlite();
    batches = [];
    opened.queue.subscribe((items) => batches.push(items));
  });
  afterEach(() => opened.close());

  it('has handed a command over when it says that it is accepted', async () => {
    await opened.queue.enqueue([queuedCommand(1)]);
    expect(batches).toEqual([[{ kind: 'command', command: queuedCommand(1) }]]);
  });

  it('hands over one batch for each call', async () => {
    const calls = Array.from({ length: 40 }, (_, index) => queuedCommands(index * 1_000, index % 5 === 0 ? 300 : 2));
    await Promise.all(calls.map((commands) => opened.queue.enqueue(commands)));
    expect(batches.map((items) => items.length)).toEqual(calls.map((commands) => commands.length));
  });

  it('keeps the order of commands and refreshes that do not wait for each other', async () => {
    await Promise.all([
      opened.queue.enqueue(queuedCommands(1, 200)),
      opened.queue.refresh([idOf(1), idOf(2)]),
      opened.queue.enqueue(queuedCommands(500, 1)),
      opened.queue.refresh([idOf(3)]),
    ]);
    expect(taken()).toEqual([
      ...queuedCommands(1, 200).map(({ id }) => id),
      `refresh ${idOf(1)}`,
      `refresh ${idOf(2)}`,
      queuedCommand(500).id,
      `refresh ${idOf(3)}`,
    ]);
  });
});
