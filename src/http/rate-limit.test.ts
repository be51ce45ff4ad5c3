// Checks how many requests a tenant may make, and what it is told when it makes more.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Front, frontSettings, startFront, tokenOf } from '../../test/http-front.ts';
import { VirtualClock } from '../adapters/clock/virtual.ts';
import { HttpProblem } from './problem.ts';
import { type RateLimit, rateLimit } from './rate-limit.ts';

let clock: VirtualClock;
let count: RateLimit;
beforeEach(() => {
  clock = new VirtualClock(1_700_000_000_000);
  count = rateLimit({ perSecond: 10, clock });
});

/** How many of so many requests are let in. */
function letIn(org: string, requests: number): number {
  let passed = 0;
  for (let request = 0; request < requests; request++) {
    try {
      count(org);
      passed++;
    } catch (error) {
      expect(error).toBeInstanceOf(HttpProblem);
    }
  }
  return passed;
}

describe('a tenant', () => {
  it('may make the requests of two seconds at once', () => {
    expect(letIn('demo', 50)).toBe(20);
  });

  it('may go on at the pace of the limit, and not save up more than the burst', () => {
    letIn('demo', 50);
    clock.advance(500);
    expect(letIn('demo', 50)).toBe(5);
    clock.advance(100);
    expect(letIn('demo', 50)).toBe(1);
    clock.advance(3_600_000);
    expect(letIn('demo', 50)).toBe(20);
  });

  it('does not feel the others', () => {
    letIn('noisy', 1_000);
    expect(letIn('quiet', 5)).toBe(5);
  });

  it('is not held longer for knocking', () => {
    letIn('demo', 20);
    for (let step = 0; step < 10; step++) {
      clock.advance(50);
      letIn('demo', 10);
    }
    clock.advance(100);
    expect(letIn('demo', 10)).toBe(1);
  });

  it('that has been quiet for longest is forgotten for others', () => {
    count = rateLimit({ perSecond: 1, clock, mostTenants: 2 });
    letIn('one', 9);
    letIn('two', 9);
    letIn('one', 9);
    letIn('three', 9);
    expect(letIn('one', 9)).toBe(0);
    expect(letIn('two', 9)).toBe(2);
  });

  it('is told to come back in whole seconds', () => {
    count = rateLimit({ perSecond: 1, clock });
    letIn('demo', 2);
    clock.advance(400);
    expect(() => count('demo')).toThrow(
      expect.objectContaining({ status: 429, headers: { 'retry-after': '1' } }) as unknown as Error,
    );
  });
});

describe('the front', () => {
  let front: Front;
  beforeAll(async () => {
    front = await startFront({
      clock: new VirtualClock(Date.now()),
      settings: { ...frontSettings, rateLimit: 2 },
    });
  });
  afterAll(() => front.close());

  it('answers 429 in its own shape to a tenant over its limit, and to no other', async () => {
    const token = await tokenOf('noisy');
    const statuses: number[] = [];
    for (let request = 0; request < 6; request++) {
      statuses.push((await front.call('GET', '/ocpp/chargers/x', { token })).status);
    }
    expect(statuses).toEqual([404, 404, 404, 404, 429, 429]);
    const { body, headers } = await front.call('POST', '/ocpp/chargers', { token, body: 'not looked at' });
    expect(body).toEqual({ detail: 'this tenant makes more requests than the 2 per second that it may' });
    expect(headers['retry-after']).toBe('1');
    expect((await front.call('GET', '/ocpp/chargers/x', { token: await tokenOf('quiet') })).status).toBe(404);
  });

  it('counts only those whom it lets in', async () => {
    const poor = await tokenOf('poor', 'catalog:read');
    for (let request = 0; request < 6; request++) {
      expect((await front.call('GET', '/ocpp/chargers', { token: poor })).status).toBe(403);
      expect((await front.call('GET', '/healthz', { token: null })).status).toBe(200);
    }
    expect((await front.call('GET', '/ocpp/catalog/brands', { token: poor })).status).toBe(200);
  });
});
