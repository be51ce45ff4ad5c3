// From a template to a location and its chargers, ready to be stored.

import type { ChargerRecord, CpoRecord, LocationRecord, OcppVersion, Receipt } from '../ports/store.ts';
import { newProvisioning } from '../provisioning/provisioning.ts';
import type { CpoTemplate } from '../templates/cpo-templates.ts';
import { defaultIdentityPrefix, expandLocation, maxPrefixLength } from '../templates/expand-location.ts';
import type { LocationTemplate } from '../templates/location-templates.ts';
import type { HttpDependencies } from './dependencies.ts';
import type { WholeLocation } from './location-view.ts';
import { madeUpWord, mostTries } from './made-up-word.ts';
import { contradiction, invalid, notFound } from './problem.ts';

export const noSuchCpo = (id: string) => notFound(`CPO ${id} does not exist`);

export interface LocationPlan {
  readonly template: LocationTemplate;
  readonly name: string;
  readonly wsUrl: string | null;
  /** Null: made up, another one for every location. */
  readonly identityPrefix: string | null;
  /** Null: as the template says. */
  readonly ocppVersion: OcppVersion | null;
  readonly countMultiplier: number;
}

/** With the locations of the template, numbered where there are several of a kind. */
export const plansOf = (template: CpoTemplate): readonly LocationPlan[] =>
  template.locations.flatMap(({ template: of, count }) =>
    Array.from({ length: count }, (_, index) => ({
      template: of,
      name: count === 1 ? of.name : `${of.name} ${index + 1}`,
      wsUrl: null,
      identityPrefix: null,
      ocppVersion: null,
      countMultiplier: 1,
    })),
  );

/** Fails as 422 when there would be too many chargers. */
export function refuseTooMany(plan: LocationPlan): void {
  const expanded = expandLocation(plan.template, plan);
  if (!('refused' in expanded)) return;
  throw invalid([{ field: 'count_multiplier', message: `is too large: ${expanded.sentence}` }]);
}

export interface Creation {
  readonly cpo: CpoRecord;
  /** Whether the operator is created with its locations. */
  readonly isNew: boolean;
  readonly plans: readonly LocationPlan[];
}

/** What is to be said of it, and the receipt of that. */
interface Announcement<View> {
  readonly view: View;
  readonly receipt: Receipt | undefined;
}

/** Stores all or nothing. Identities that are taken are 400, unless they were made up: then others are tried. */
export async function createLocations<View>(
  deps: HttpDependencies,
  { cpo, isNew, plans }: Creation,
  announce: (made: readonly WholeLocation[]) => Announcement<View>,
): Promise<View> {
  for (let tries = 1; ; tries++) {
    const made = plans.map((plan) => wholeLocation(deps, cpo, plan));
    const chargers = made.flatMap((each) => each.chargers);
    const { view, receipt } = announce(made);
    const locations = made.map(({ location }) => location);
    const { taken } = await deps.store
      .createLocations({ ...(isNew ? { cpo } : {}), locations, chargers }, receipt)
      .catch(async (error: unknown) => {
        if (!isNew && (await deps.store.cpo(cpo.org, cpo.id)) === null) throw noSuchCpo(cpo.id);
        throw error;
      });
    if (taken === null) {
      await deps.queue.refresh(chargers.map(({ id }) => id));
      return view;
    }
    if (plans.some(({ identityPrefix }) => identityPrefix !== null)) {
      throw contradiction(`the identity ${taken} is already in use`);
    }
    if (tries === mostTries) throw new Error('no free identities were found');
  }
}

function wholeLocation(deps: HttpDependencies, cpo: CpoRecord, plan: LocationPlan): WholeLocation {
  const { template, name, wsUrl } = plan;
  const atMs = deps.clock.nowMs();
  const identityPrefix = plan.identityPrefix ?? madeUpPrefix(template);
  const expanded = expandLocation(template, { ...plan, identityPrefix });
  if ('refused' in expanded) throw new Error(`bug: the template ${template.slug} is refused: ${expanded.sentence}`);
  const location: LocationRecord = {
    id: deps.newId(),
    org: cpo.org,
    cpoId: cpo.id,
    name,
    template: template.slug,
    site: { ...template.site },
    createdAtMs: atMs,
    updatedAtMs: atMs,
  };
  const provisioning = newProvisioning(atMs);
  const chargers = expanded.chargers.map(
    (spec): ChargerRecord => ({
      ...spec,
      id: deps.newId(),
      org: cpo.org,
      locationId: location.id,
      wsUrl,
      security: null,
      features: [],
      seed: deps.newSeed(),
      desired: 'running',
      generation: 1,
      provisioning,
      createdAtMs: atMs,
      updatedAtMs: atMs,
    }),
  );
  return { location, chargers };
}

const chanceLength = 5;

/** So that one template can be used again and again. */
function madeUpPrefix(template: LocationTemplate): string {
  const start = defaultIdentityPrefix(template).slice(0, maxPrefixLength - chanceLength - 1);
  return `${start}-${madeUpWord(chanceLength)}`;
}
