// A conformance case: our reading of one scenario, in words and as a function over a stage.

import type { LineStage } from './line-stage.ts';
import type { Stage, StageOptions } from './stage.ts';

/** Our reading of the scenario; never the test tool's own text. */
export interface Reading {
  readonly given: string;
  readonly when: string;
  readonly follows: string;
}

interface CaseWords extends Reading {
  readonly id: string;
  readonly name: string;
}

export type Case = CaseWords &
  (
    | { readonly kind: 'stage'; readonly setting: StageOptions; run(stage: Stage): Promise<void> }
    /** Over real sockets: TLS, passwords and certificates cannot be seen otherwise. */
    | { readonly kind: 'line'; run(stage: LineStage): Promise<void> }
  );

/** A charger that has booted, and its CSMS; time passes when the case says so. */
export const theCase = (
  id: string,
  name: string,
  reading: Reading,
  run: (stage: Stage) => Promise<void>,
  setting: StageOptions = {},
): Case => ({ kind: 'stage', id, name, ...reading, setting, run });

/** A charger and its CSMS on a real line. */
export const theLineCase = (
  id: string,
  name: string,
  reading: Reading,
  run: (stage: LineStage) => Promise<void>,
): Case => ({ kind: 'line', id, name, ...reading, run });

export interface Group {
  readonly name: string;
  readonly cases: readonly Case[];
}
