// kill -9 at twenty moments of a busy day: nothing accepted is lost, nothing happens twice.

import { crashSuite } from '../crash-suite.ts';

crashSuite(20, 240_000);
