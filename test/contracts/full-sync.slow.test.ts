// Runs the contracts of store and queue on SQLite with full sync: each write waits for the disk, so it takes its time.

import { describeQueue } from './queue-contract.ts';
import { describeStore } from './store-contract.ts';
import { openSqlite } from './store-sqlite.ts';

describeStore('SQLite, full sync', () => openSqlite({ synchronous: 'full' }));
describeQueue('SQLite, full sync', () => openSqlite({ synchronous: 'full' }));
