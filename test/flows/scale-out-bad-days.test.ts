// The two worst days of a fleet that many processes share; the others are verified by `npm run verify`.

import { badDaySuite } from '../bad-days/suite.ts';

const seed = Number(process.env['BAD_DAY_SEED'] ?? 1);

badDaySuite('a worker is killed', seed);
badDaySuite('a worker stands still for 20 s', seed);
