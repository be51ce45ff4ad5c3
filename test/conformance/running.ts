// Runs conformance cases, as they are and with features switched off, and counts those that mean something.

import type { Version } from '../talk.ts';
import type { Case, Group } from './case.ts';
import { Mismatch } from './expecting.ts';
import { LineStage } from './line-stage.ts';
import type { Feature, Mutation } from './mutation.ts';
import { Stage } from './stage.ts';

/** `failed`: the charger did something else. Null: it did what the case wants. */
export type Outcome = { readonly failed: string } | null;

export async function outcomeOf(version: Version, one: Case, mutation: Mutation | null = null): Promise<Outcome> {
  try {
    if (one.kind === 'stage') {
      const stage = await Stage.set(version, one.setting, mutation);
      await one.run(stage);
      stage.end();
      return null;
    }
    const line = new LineStage(version, mutation);
    try {
      await one.run(line);
      return null;
    } finally {
      await line.end();
    }
  } catch (error) {
    if (error instanceof Mismatch) return { failed: error.message };
    throw new Error(`${one.id} itself is broken`, { cause: error });
  }
}

export interface Suite {
  readonly groups: readonly Group[];
  readonly features: readonly Feature[];
}

export interface Result {
  readonly case: Case;
  readonly outcome: Outcome;
  /** Features whose absence the case does not notice although it should. */
  readonly blindTo: readonly string[];
  /** Features whose absence it notices. */
  readonly notices: readonly string[];
}

/** A case counts when it passes, and fails without each feature that it is about; it must be about one at least. */
export const counts = ({ outcome, blindTo, notices }: Result): boolean =>
  outcome === null && blindTo.length === 0 && notices.length > 0;

export async function resultOf(version: Version, one: Case, features: readonly Feature[]): Promise<Result> {
  const [outcome, ...without] = await Promise.all([
    outcomeOf(version, one),
    ...features
      .filter(({ cases }) => cases.includes(one.id))
      .map(async ({ name, off }) => ({ name, isNoticed: (await outcomeOf(version, one, off)) !== null })),
  ]);
  const namesOf = (isNoticed: boolean) => without.flatMap((each) => (each.isNoticed === isNoticed ? [each.name] : []));
  return { case: one, outcome, notices: namesOf(true), blindTo: namesOf(false) };
}

export const casesOf = (groups: readonly Group[]): readonly Case[] => groups.flatMap(({ cases }) => cases);
