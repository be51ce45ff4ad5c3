// Many requests of every kind to every operation, several at a time. `PROPERTY_SEED` makes them others.

import { testInterface } from '../flows/property.ts';

testInterface({ seed: 20_261_115, requests: 10_000, lanes: 4 });
