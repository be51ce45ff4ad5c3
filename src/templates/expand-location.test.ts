// From templates to chargers: always the same ones, each with an identity that OCPP allows.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConnectorLayout, LocationRecord, OcppVersion } from '../ports/store.ts';
import { ocppVersions } from './catalog-data.ts';
import { type ChargerSpec, type ExpansionOptions, expandLocation } from './expand-location.ts';
import { type LocationTemplate, locationTemplate, locationTemplates } from './location-templates.ts';

const identityPattern = /^[A-Za-z0-9._\-*=+|@]{1,48}$/;

function templateOf(slug: string): LocationTemplate {
  const found = locationTemplate(slug);
  if (found === null) throw new Error(`no template ${slug}`);
  return found;
}

function chargersOf(template: LocationTemplate, options: ExpansionOptions = {}): readonly ChargerSpec[] {
  const expansion = expandLocation(template, options);
  if ('refused' in expansion) throw new Error(expansion.sentence);
  return expansion.chargers;
}

const anyTemplate = fc.constantFrom(...locationTemplates());
const anyPrefix = fc.stringMatching(/^[A-Za-z0-9._\-*=+|@]{1,43}$/);
const anyOptions = fc.record(
  {
    identityPrefix: anyPrefix,
    ocppVersion: fc.constantFrom(...ocppVersions),
    countMultiplier: fc.double({ min: 0.01, max: 10, noNaN: true }),
  },
  { requiredKeys: [] },
);

describe('the expansion of a location', () => {
  it('gives every charger an identity from the slug, a name, its model and its version', () => {
    const [first, second, ...rest] = chargersOf(templateOf('home-duo'));
    expect(rest).toEqual([]);
    expect(first).toEqual({
      identity: 'HOME-DUO-0001',
      name: 'Zaptec Go 1',
      vendorName: 'Zaptec',
      model: 'Go',
      modelId: templateOf('home-duo').groups[0]?.model.id,
      ocppVersion: '1.6',
      // The site holds a model of 22 kW to 11.
      layout: [{ evseId: 1, connectorId: 1, type: 'Type2', format: 'SOCKET', maxPowerW: 11_000 }],
      connectorType: 'Type2',
      maxChargingPowerW: 11_000,
    });
    expect(second).toMatchObject({ identity: 'HOME-DUO-0002', name: 'Zaptec Go 2' });
  });

  it('can be stored as it is', () => {
    const stored: readonly { layout: readonly ConnectorLayout[]; ocppVersion: OcppVersion }[] = chargersOf(
      templateOf('interoperability-lab'),
    );
    expect(stored.map(({ ocppVersion }) => ocppVersion)).toEqual(ocppVersions.flatMap((each) => Array(4).fill(each)));
  });

  it('comes with a site that can be stored as it is', () => {
    const site: LocationRecord['site'] = templateOf('home-duo').site;
    expect(JSON.parse(JSON.stringify(site))).toEqual(site);
  });

  it('gives the outlets of a held-down double post its whole power each, to share', () => {
    const [first] = chargersOf(templateOf('airport-long-stay'));
    expect(first?.maxChargingPowerW).toBe(22_000);
    expect(first?.layout.map(({ maxPowerW }) => maxPowerW)).toEqual([22_000, 22_000]);
  });

  it('keeps each group’s version unless one is asked for', () => {
    const versions = (options: ExpansionOptions) => [
      ...new Set(chargersOf(templateOf('delivery-depot'), options).map(({ ocppVersion }) => ocppVersion)),
    ];
    expect(versions({})).toEqual(['1.6', '2.0.1', '2.1']);
    expect(versions({ ocppVersion: '2.0.1' })).toEqual(['2.0.1']);
  });

  it('multiplies every group, and leaves at least one charger of each', () => {
    expect(chargersOf(templateOf('delivery-depot'), { countMultiplier: 10 }).length).toBe(2_000);
    expect(chargersOf(templateOf('delivery-depot'), { countMultiplier: 0.5 }).length).toBe(100);
    expect(chargersOf(templateOf('delivery-depot'), { countMultiplier: 0.001 }).length).toBe(4);
  });

  it('names chargers apart even where two groups have one model', () => {
    const names = chargersOf(templateOf('canal-ring-kerbside')).map(({ name }) => name);
    expect(new Set(names).size).toBe(40);
    expect(names.at(-1)).toBe('Alfen Eve Double Pro-line 30');
  });

  it('refuses more than 2 000 chargers', () => {
    expect(expandLocation(templateOf('delivery-depot'), { countMultiplier: 10.1 })).toEqual({
      refused: 'too_many_chargers',
      sentence: 'that would be 2020 chargers; a location has at most 2000',
    });
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses to multiply by %d', (countMultiplier) => {
    expect(expandLocation(templateOf('home-duo'), { countMultiplier })).toHaveProperty(
      'refused',
      'bad_count_multiplier',
    );
  });

  it.each(['', 'a b', 'a:b', 'ä', 'A\n', 'x'.repeat(44)])('refuses the prefix %j', (identityPrefix) => {
    expect(expandLocation(templateOf('home-duo'), { identityPrefix })).toHaveProperty('refused', 'bad_identity_prefix');
  });

  it('is the same every time, with identities and names that are valid and unique, for any template and options', () => {
    fc.assert(
      fc.property(anyTemplate, anyOptions, (template, options) => {
        const chargers = chargersOf(template, options);
        expect(chargersOf(template, options)).toEqual(chargers);
        expect(chargers.length).toBeLessThanOrEqual(2_000);
        expect(chargers.every(({ identity }) => identityPattern.test(identity))).toBe(true);
        expect(chargers.every(({ name }) => name.length <= 255)).toBe(true);
        expect(new Set(chargers.map(({ identity }) => identity)).size).toBe(chargers.length);
        expect(new Set(chargers.map(({ name }) => name)).size).toBe(chargers.length);
        for (const { layout, maxChargingPowerW } of chargers) {
          expect(layout.length).toBeGreaterThan(0);
          expect(layout.every(({ maxPowerW }) => maxPowerW <= maxChargingPowerW)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has a default prefix that fits every template', () => {
    for (const template of locationTemplates()) expect(chargersOf(template).length).toBe(template.totalChargers);
  });
});
