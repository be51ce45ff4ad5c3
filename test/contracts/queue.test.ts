// Runs the queue's contract on the adapter that a machine of one's own uses.

import { describeQueue } from './queue-contract.ts';
import { openSqlite } from './store-sqlite.ts';

describeQueue('SQLite', () => openSqlite());
