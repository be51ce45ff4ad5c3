// The two galleries: what is in them, what is computed of it, and how they are filtered.

import type Type from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { brand, model } from './brands.ts';
import { locationsData, ocppVersions, parkingTypes } from './catalog-data.ts';
import { cpoTemplate, cpoTemplates } from './cpo-templates.ts';
import { connectorsOf, currentOf, layoutOf } from './layout.ts';
import { locationTemplate, locationTemplates, powerFamily } from './location-templates.ts';
import {
  cpoTemplateResource,
  cpoTemplateView,
  locationTemplateResource,
  locationTemplateView,
  powerFamilies,
} from './resources.ts';

const slugs = (templates: readonly { readonly slug: string }[]) => templates.map(({ slug }) => slug);

const conforms = (schema: Type.TSchema, value: unknown): readonly string[] =>
  Value.Errors(schema, value).map(({ instancePath, message }) => `${instancePath} ${message}`);

describe('the gallery of locations', () => {
  const all = locationTemplates();

  it('has at least 24 templates, from a home with 2 chargers to a depot with 200', () => {
    expect(all.length).toBeGreaterThanOrEqual(24);
    expect(all[0]?.totalChargers).toBe(2);
    expect(all.at(-1)).toMatchObject({ slug: 'delivery-depot', totalChargers: 200 });
  });

  it('goes from small to large', () => {
    const sizes = all.map(({ totalChargers }) => totalChargers);
    expect(sizes).toEqual([...sizes].sort((one, other) => one - other));
  });

  it('has every family of power, every OCPP version, every kind of parking and many countries', () => {
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(powerFamilies));
    expect(new Set(all.map(({ ocppVersion }) => ocppVersion))).toEqual(new Set([...ocppVersions, 'mixed']));
    expect(new Set(all.map(({ site }) => site.parkingType))).toEqual(new Set(parkingTypes));
    expect(new Set(all.map(({ site }) => site.country)).size).toBeGreaterThanOrEqual(12);
  });

  it('refers only to brands and models of the catalog, at no more power than they have', () => {
    for (const { slug, charger_groups } of locationsData) {
      for (const group of charger_groups) {
        const of = brand(group.brand);
        const found = of === null ? null : model(of, group.model);
        expect([slug, found?.slug]).toEqual([slug, group.model]);
        expect(group.nominal_kw).toBeLessThanOrEqual(found?.maxKw ?? 0);
      }
    }
  });

  it('never holds a charger to so little that an outlet becomes another kind', () => {
    for (const { groups } of all) {
      for (const group of groups) {
        const held = layoutOf(group.model, group.nominalKw).map(({ type, format, maxPowerW }) =>
          currentOf({ type, format, maxKw: maxPowerW / 1_000 }),
        );
        expect(held).toEqual(connectorsOf(group.model).map(currentOf));
      }
    }
  });

  it('says of each template the version of all its groups, or mixed', () => {
    for (const { slug, ocppVersion, groups } of all) {
      const versions = [...new Set(groups.map((group) => group.ocppVersion))];
      expect([slug, ocppVersion]).toEqual([slug, versions.length === 1 ? versions[0] : 'mixed']);
    }
  });

  it('computes the family of power from the connectors', () => {
    expect(locationTemplate('home-duo')?.type).toBe('AC');
    expect(locationTemplate('motorway-hub')?.type).toBe('DC');
    expect(locationTemplate('supermarket')?.type).toBe('AC-DC');
    // One kind of charger with both kinds of outlets.
    expect(locationTemplate('taxi-rank')?.type).toBe('AC-DC');
    // One plug for both currents: its power tells.
    expect(locationTemplate('two-car-garage')?.type).toBe('AC');
    expect(locationTemplate('nacs-fast-charging')?.type).toBe('DC');
    for (const template of all) {
      const currents = new Set(template.groups.flatMap((group) => connectorsOf(group.model)).map(currentOf));
      expect(template.type).toBe([...currents].sort().join('-'));
      expect(powerFamily(template.groups.map((group) => group.model))).toBe(template.type);
    }
  });

  it('adds up chargers and power', () => {
    expect(locationTemplate('supermarket')).toMatchObject({ totalChargers: 6, totalPowerKw: 476 });
    expect(locationTemplate('two-car-garage')).toMatchObject({ totalChargers: 2, totalPowerKw: 23 });
    for (const { groups, totalPowerKw } of all) {
      expect(totalPowerKw).toBeCloseTo(groups.reduce((sum, { count, nominalKw }) => sum + count * nominalKw, 0));
    }
  });

  it('filters by family of power', () => {
    const parts = powerFamilies.map((type) => locationTemplates({ type }));
    for (const [index, part] of parts.entries()) {
      expect(part.length).toBeGreaterThan(0);
      expect(part.every(({ type }) => type === powerFamilies[index])).toBe(true);
    }
    expect(parts.flat().length).toBe(all.length);
  });

  it('filters by OCPP version, and mixed templates match every version', () => {
    const mixed = slugs(all.filter(({ ocppVersion }) => ocppVersion === 'mixed'));
    expect(mixed.length).toBeGreaterThan(2);
    for (const ocppVersion of ocppVersions) {
      const matching = locationTemplates({ ocppVersion });
      expect(slugs(matching)).toEqual(expect.arrayContaining(mixed));
      const others = matching.filter((template) => template.ocppVersion !== 'mixed');
      expect(others.length).toBeGreaterThan(0);
      expect(others.every((template) => template.ocppVersion === ocppVersion)).toBe(true);
    }
  });

  it('filters by both at once, and null filters nothing', () => {
    expect(slugs(locationTemplates({ type: 'DC', ocppVersion: '2.1' }))).toEqual(['electric-truck-stop']);
    expect(locationTemplates({ type: null, ocppVersion: null })).toEqual(all);
  });

  it('shows templates as the interface promises', () => {
    for (const template of all) {
      expect(conforms(locationTemplateResource, locationTemplateView(template, 'http://localhost'))).toEqual([]);
    }
    const home = locationTemplate('home-duo');
    expect(home && locationTemplateView(home, 'http://localhost:8080/')).toEqual({
      slug: 'home-duo',
      name: 'Home with two cars',
      description: 'A family home with a wallbox for each car, both held to 11 kW by the house connection.',
      type: 'AC',
      ocpp_version: '1.6',
      image_url: 'http://localhost:8080/images/locations/home-duo.svg',
      site: {
        country: 'NL',
        city: 'Utrecht',
        parking_type: 'ON_DRIVEWAY',
        latitude: 52.086934,
        longitude: 5.144214,
      },
      charger_groups: [
        { brand: 'Zaptec', model: 'Go', connector_type: 'Type2', ocpp_version: '1.6', count: 2, nominal_kw: 11 },
      ],
      total_chargers: 2,
      total_power_kw: 22,
    });
  });

  it('has no template under a slug that nobody wrote', () => {
    expect(locationTemplate('no-such-place')).toBeNull();
    expect(cpoTemplate('no-such-network')).toBeNull();
  });
});

describe('the gallery of networks', () => {
  it('has at least 6 presets of several locations, with parties of their own', () => {
    const all = cpoTemplates();
    expect(all.length).toBeGreaterThanOrEqual(6);
    expect(all.every(({ totalLocations }) => totalLocations > 1)).toBe(true);
    expect(new Set(all.map(({ countryCode, partyId }) => countryCode + partyId)).size).toBe(all.length);
  });

  it('adds up what its locations add up', () => {
    expect(cpoTemplate('test-bench')).toMatchObject({ totalLocations: 3, totalChargers: 18 });
    for (const { locations, totalChargers } of cpoTemplates()) {
      expect(totalChargers).toBe(locations.reduce((sum, each) => sum + each.count * each.template.totalChargers, 0));
    }
  });

  it('shows presets as the interface promises', () => {
    for (const template of cpoTemplates()) {
      expect(conforms(cpoTemplateResource, cpoTemplateView(template))).toEqual([]);
    }
    const bench = cpoTemplate('test-bench');
    expect(bench && cpoTemplateView(bench).locations[1]).toEqual({
      template: 'home-duo',
      name: 'Home with two cars',
      count: 1,
    });
  });
});
