// From created to ready, with everything that can come between.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  newProvisioning,
  type Provisioning,
  type ProvisioningNews,
  provisioned,
  provisioningLimitMs,
} from './provisioning.ts';

const tell = (news: readonly ProvisioningNews[], from = newProvisioning(0)): Provisioning =>
  news.reduce((state, each, index) => provisioned(state, each, index + 1), from);

describe('provisioning', () => {
  it('goes from pending over each step to ready', () => {
    const steps = [{ kind: 'started' }, { kind: 'connected' }, { kind: 'accepted' }] as const;
    const seen = steps.map((_, index) => tell(steps.slice(0, index + 1)));
    expect(seen.map(({ status, step }) => `${status} ${step}`)).toEqual([
      'provisioning connect',
      'provisioning boot',
      'ready done',
    ]);
    expect(seen.at(-1)).toMatchObject({ error: null, finishedAtMs: 3 });
  });

  it('counts the failures of a step, and keeps the last reason', () => {
    const failing = tell([
      { kind: 'started' },
      { kind: 'not_connected', error: 'refused' },
      { kind: 'not_connected', error: 'timed out' },
    ]);
    expect(failing).toMatchObject({ status: 'provisioning', step: 'connect', attempts: 2, error: 'timed out' });
  });

  it('reads failed after ten minutes, goes on, and turns ready after all', () => {
    const failed = provisioned(
      tell([{ kind: 'started' }, { kind: 'not_connected', error: 'refused' }]),
      { kind: 'time' },
      provisioningLimitMs,
    );
    expect(failed).toMatchObject({ status: 'failed', error: 'refused', finishedAtMs: provisioningLimitMs });
    const late = tell([{ kind: 'connected' }, { kind: 'accepted' }], failed);
    expect(late).toMatchObject({ status: 'ready', step: 'done', error: null });
  });

  it('never leaves ready, and never reads failed without a reason, whatever the news', () => {
    const news = fc.constantFrom<ProvisioningNews>(
      { kind: 'started' },
      { kind: 'not_started', error: 'a' },
      { kind: 'not_connected', error: 'b' },
      { kind: 'connected' },
      { kind: 'not_accepted', error: 'c' },
      { kind: 'accepted' },
      { kind: 'time' },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(news, fc.nat(provisioningLimitMs))), (story) => {
        let state = newProvisioning(0);
        let atMs = 0;
        for (const [each, pause] of story) {
          atMs += pause;
          const next = provisioned(state, each, atMs);
          if (state.status === 'ready') expect(next).toBe(state);
          if (next.status === 'failed') expect(next.error).not.toBeNull();
          expect(next.finishedAtMs === null).toBe(next.status === 'pending' || next.status === 'provisioning');
          state = next;
        }
      }),
    );
  });
});
