// Runs the queue's contract on every adapter there is.

import { describeQueue } from './queue-contract.ts';
import { openSqlite } from './store-sqlite.ts';

describeQueue('SQLite', () => openSqlite());
describeQueue('SQLite, full sync', () => openSqlite({ synchronous: 'full' }));
