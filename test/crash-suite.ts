// The story with crashes and its proofs as a suite, for few kills and for many.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  commandProblems,
  meterProblems,
  powerLossProblems,
  repetitionProblems,
  summary,
  transactionProblems,
} from './crash-proofs.ts';
import { type CrashStory, tellCrashStory } from './crash-story.ts';

export function crashSuite(kills: number, limitMs: number): void {
  const seed = Number(process.env['CRASH_SEED'] ?? 20_261_115);

  describe(`${kills} times kill -9 amid commands and sessions (CRASH_SEED=${seed})`, () => {
    let story: CrashStory;

    beforeAll(async () => {
      story = await tellCrashStory(seed, kills);
      console.log(JSON.stringify(summary(story)));
    }, limitMs);

    it('strikes where it hurts: commands are interrupted, calls are under way, transactions are running', () => {
      const { interrupted, repeated, powerLosses, ...rest } = summary(story);
      expect(rest.kills).toBe(kills);
      expect(Math.min(interrupted, repeated, powerLosses)).toBeGreaterThan(0);
    });

    it('loses no command that was accepted: each ends once, in its turn', () => {
      expect(commandProblems(story)).toEqual([]);
    });

    it('makes no command happen twice', () => {
      expect(repetitionProblems(story)).toEqual([]);
    });

    it('loses and reorders no word about a transaction, and repeats only what was under way', () => {
      expect(transactionProblems(story)).toEqual([]);
    });

    it('ends every transaction that was running', () => {
      expect(powerLossProblems(story)).toEqual([]);
    });

    it('turns no meter back', () => {
      expect(meterProblems(story)).toEqual([]);
    });

    it('leaves every charger fit for the next session', () => {
      expect(story.stuck).toEqual([]);
    });

    it('makes no charger send anything that OCPP does not allow', () => {
      expect(story.recorder.violations()).toEqual([]);
    });
  });
}
