// Runs the feed's contract on every adapter there is.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryFeed } from '../../src/adapters/feed/memory.ts';
import { describeFeed } from './feed-contract.ts';

describeFeed('memory', async () => ({
  feed: new MemoryFeed({ epoch: 1_760_000_000_000, keep: 100 }),
  keeps: 100,
  settled: () => nextTurn(),
}));
