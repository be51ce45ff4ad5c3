// How many requests a tenant may make: a bucket for each, which fills steadily and holds the requests of two seconds.

import type { Clock } from '../ports/clock.ts';
import { mostCountedTenants } from './limits.ts';
import { HttpProblem } from './problem.ts';

export interface RateLimitOptions {
  readonly perSecond: number;
  readonly clock: Clock;
  readonly mostTenants?: number;
}

/** Counts a request of this tenant; throws 429 when it is one too many, and then it does not count. */
export type RateLimit = (org: string) => void;

interface Bucket {
  readonly requests: number;
  readonly atMs: number;
}

const burstS = 2;

export function rateLimit({ perSecond, clock, mostTenants = mostCountedTenants }: RateLimitOptions): RateLimit {
  const full = perSecond * burstS;
  // In the order of their last requests, so that the first is the one that has been quiet for longest.
  const buckets = new Map<string, Bucket>();

  return (org) => {
    const nowMs = clock.nowMs();
    const { requests, atMs } = buckets.get(org) ?? { requests: full, atMs: nowMs };
    const left = Math.min(full, requests + ((nowMs - atMs) / 1000) * perSecond);
    buckets.delete(org);
    buckets.set(org, { requests: left < 1 ? left : left - 1, atMs: nowMs });
    const quietest = buckets.keys().next();
    if (buckets.size > mostTenants && !quietest.done) buckets.delete(quietest.value);
    if (left < 1) throw tooMany(perSecond, (1 - left) / perSecond);
  };
}

const tooMany = (perSecond: number, waitS: number): HttpProblem =>
  new HttpProblem(429, `this tenant makes more requests than the ${perSecond} per second that it may`, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitS))) },
  });
