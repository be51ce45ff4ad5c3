// Runs the store's contract on the adapter that a machine of one's own uses.

import { describeStore } from './store-contract.ts';
import { openSqlite } from './store-sqlite.ts';

describeStore('SQLite', () => openSqlite());
