// Runs the store's contract on every adapter there is.

import { describeStore } from './store-contract.ts';
import { openSqlite } from './store-sqlite.ts';

describeStore('SQLite', () => openSqlite());
describeStore('SQLite, full sync', () => openSqlite({ synchronous: 'full' }));
