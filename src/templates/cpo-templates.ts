// The gallery of networks: presets of a charge point operator with several locations.

import { byName } from './brands.ts';
import { type CpoData, cposData } from './catalog-data.ts';
import { type LocationTemplate, locationTemplate, totalKw } from './location-templates.ts';

export interface CpoTemplate {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  /** A suggestion, as the party id: whoever creates the operator chooses. */
  readonly countryCode: string;
  readonly partyId: string;
  readonly locations: readonly { readonly template: LocationTemplate; readonly count: number }[];
  readonly totalLocations: number;
  readonly totalChargers: number;
  readonly totalPowerKw: number;
}

/** From the smallest network to the largest; those of one size by name. */
export const cpoTemplates = (): readonly CpoTemplate[] => all;

export const cpoTemplate = (slug: string): CpoTemplate | null => bySlug.get(slug) ?? null;

const all: readonly CpoTemplate[] = cposData
  .map(templateFrom)
  .sort((one, other) => one.totalChargers - other.totalChargers || byName(one, other));

const bySlug: ReadonlyMap<string, CpoTemplate> = new Map(all.map((each) => [each.slug, each]));

function templateFrom({ slug, name, description, country_code, party_id, locations }: CpoData): CpoTemplate {
  const resolved = locations.map(({ template, count }) => {
    const found = locationTemplate(template);
    if (found === null) throw new Error(`network ${slug}: the catalog has no location ${template}`);
    return { template: found, count };
  });
  return {
    slug,
    name,
    description,
    countryCode: country_code,
    partyId: party_id,
    locations: resolved,
    totalLocations: resolved.reduce((sum, { count }) => sum + count, 0),
    totalChargers: resolved.reduce((sum, { template, count }) => sum + count * template.totalChargers, 0),
    totalPowerKw: totalKw(resolved.map(({ template, count }) => count * template.totalPowerKw)),
  };
}
