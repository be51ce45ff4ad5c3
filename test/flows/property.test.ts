// Some requests of every kind to every operation; `npm run verify` sends many more.

import { testInterface } from './property.ts';

testInterface({ seed: 1, requests: 500, lanes: 1 });
