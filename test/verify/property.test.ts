// Many requests of every kind to every operation, several at a time, others on every run.

import { testInterface } from '../flows/property.ts';

testInterface({ seed: Date.now() % 1_000_000_000, requests: 10_000, lanes: 4 });
