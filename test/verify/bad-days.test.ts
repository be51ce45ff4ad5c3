// Everything that can go wrong on a day with a fleet that many processes share, each twice with chances of its own.

import { type BadDayName, badDays } from '../bad-days/days.ts';
import { badDaySuite } from '../bad-days/suite.ts';

const seed = Number(process.env['BAD_DAY_SEED'] ?? 1);

for (const name of Object.keys(badDays) as BadDayName[]) {
  badDaySuite(name, seed);
  badDaySuite(name, seed + 1);
}
