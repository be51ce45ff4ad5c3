// kill -9 at two hundred moments of a busy day: nothing accepted is lost, nothing happens twice.

import { crashSuite } from '../crash-suite.ts';

crashSuite(200, 1_200_000);
