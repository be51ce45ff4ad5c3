// Runs the contracts of store and queue on the adapter that many machines share.

import { describe } from 'vitest';
import { describeQueue } from './queue-contract.ts';
import { describeStore } from './store-contract.ts';
import { describePartitions } from './store-partition-contract.ts';
import { openPostgres, serverUrl } from './store-postgres.ts';
import { describeSharedStore } from './store-shared-contract.ts';

describe.skipIf(serverUrl === null)('with a PostgreSQL server', () => {
  describeStore('PostgreSQL', () => openPostgres());
  describeQueue('PostgreSQL', () => openPostgres());
  describePartitions('PostgreSQL', () => openPostgres());
  describeSharedStore('PostgreSQL', () => openPostgres());
});
