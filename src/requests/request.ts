// What a CSMS can ask of a charger, in neutral words, and the shape of every file that answers one.

import type { Charger, Step } from '../charger/charger.ts';
import type { Token } from '../charger/report.ts';

export interface StatusAnswer {
  readonly status: 'Accepted' | 'Rejected';
  /** Why not, for versions that can say so. */
  readonly reasonCode?: string;
}

export interface Requests {
  'remote-start': {
    readonly token: Token;
    readonly remoteStartId: number | null;
    /** The outlets that it may be, from 0; none when there is no such place; null: any. */
    readonly outlets: readonly number[] | null;
  };
  'remote-stop': { readonly sessionId: string | null };
  'data-transfer': { readonly vendorId: string };
}

interface Answers {
  'remote-start': StatusAnswer;
  'remote-stop': StatusAnswer;
  'data-transfer': { readonly status: 'UnknownVendorId' };
}

export type Request = { [Kind in keyof Requests]: { readonly kind: Kind } & Requests[Kind] }[keyof Requests];
export type RequestAnswer<Kind extends keyof Requests> = Answers[Kind];

export interface RequestHandler<Kind extends keyof Requests> {
  readonly kind: Kind;
  /** The answer goes out before anything that the step reports. */
  answer(charger: Charger, request: Requests[Kind], atMs: number): Step & { readonly answer: Answers[Kind] };
}
