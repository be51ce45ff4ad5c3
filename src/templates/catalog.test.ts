// The catalog's files held against their schemas and against each other.

import type Type from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { connectorKind } from '../charger/station.ts';
import type { ConnectorLayout as StoredLayout } from '../ports/store.ts';
import { brand, brands, byName, model, modelById, modelsOf } from './brands.ts';
import {
  brandsData,
  brandsSchema,
  countriesData,
  cposData,
  cposSchema,
  locationsData,
  locationsSchema,
} from './catalog-data.ts';
import { connectorsOf, currentOf, layoutOf, maxChargingPowerW, strongestConnector, watts } from './layout.ts';
import { brandResource, brandView, modelResource, modelView } from './resources.ts';

const models = brands().flatMap(modelsOf);

function found<Thing>(thing: Thing | null): Thing {
  if (thing === null) throw new Error('not in the catalog');
  return thing;
}

const modelAt = (brandSlug: string, slug: string) => found(model(found(brand(brandSlug)), slug));

const repeated = (words: readonly string[]): readonly string[] =>
  words.filter((word, index) => words.indexOf(word) !== index);

const breaches = (schema: Type.TSchema, data: unknown): readonly string[] =>
  Value.Errors(schema, data).map(({ instancePath, message }) => `${instancePath} ${message}`);

describe('the files of the catalog', () => {
  it.each([
    ['brands', brandsSchema, brandsData],
    ['locations', locationsSchema, locationsData],
    ['cpos', cposSchema, cposData],
  ])('look as they must: %s', (_, schema, data) => {
    expect(breaches(schema, data)).toEqual([]);
  });

  it('have the brands and their models in the order of their names, so that changes are easy to find', () => {
    expect(brandsData.map(({ name }) => name)).toEqual([...brandsData].sort(byName).map(({ name }) => name));
    for (const { models: each } of brandsData) {
      expect(each.map(({ name }) => name)).toEqual([...each].sort(byName).map(({ name }) => name));
    }
  });

  it('use every id once, and every slug once where it must be unique', () => {
    expect(repeated([...brandsData, ...brandsData.flatMap((each) => each.models)].map(({ id }) => id))).toEqual([]);
    expect(repeated(brandsData.map(({ slug }) => slug))).toEqual([]);
    for (const each of brandsData) expect(repeated(each.models.map(({ slug }) => slug))).toEqual([]);
    expect(repeated(locationsData.map(({ slug }) => slug))).toEqual([]);
    expect(repeated(cposData.map(({ slug }) => slug))).toEqual([]);
  });

  it('know no OCPP 1.5', () => {
    expect(JSON.stringify([brandsData, locationsData, cposData])).not.toContain('"1.5"');
  });

  it('know the three letters of every country that they name', () => {
    const named = [...locationsData.map(({ site }) => site.country), ...cposData.map((each) => each.country_code)];
    expect(named.filter((country) => !/^[A-Z]{3}$/.test(countriesData[country] ?? ''))).toEqual([]);
    expect(repeated(Object.values(countriesData))).toEqual([]);
  });

  it('name only time zones that exist', () => {
    const zones = locationsData.map(({ site }) => site.time_zone);
    expect(() => zones.map((timeZone) => new Intl.DateTimeFormat('en', { timeZone }))).not.toThrow();
  });
});

describe('brands', () => {
  it('are at least 40, with at least 100 models', () => {
    expect(brands().length).toBeGreaterThanOrEqual(40);
    expect(models.length).toBeGreaterThanOrEqual(100);
  });

  it('are ordered by name, upper and lower case alike', () => {
    const names = brands().map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(['ABB E-mobility', 'ABL']);
    expect(names.indexOf('go-e')).toBe(names.indexOf('Garo') + 1);
    expect(modelsOf(found(brand('keba'))).map(({ slug }) => slug)).toEqual([
      'kecontact-p30-c-series',
      'kecontact-p30-x-series',
      'kecontact-p40',
    ]);
  });

  it('and models are found by id and by slug', () => {
    for (const each of brands()) {
      expect(brand(each.id)).toBe(each);
      expect(brand(each.slug)).toBe(each);
      for (const own of modelsOf(each)) {
        expect(model(each, own.id)).toBe(own);
        expect(model(each, own.slug)).toBe(own);
        expect(modelById(own.id)).toBe(own);
      }
    }
  });

  it('that do not exist are null, as are models of another brand', () => {
    expect(brand('no-such-brand')).toBeNull();
    expect(brand('constructor')).toBeNull();
    expect(model(found(brand('abl')), 'terra-54-cjg')).toBeNull();
    expect(modelById('terra-54-cjg')).toBeNull();
  });

  it('and models are shown as the interface promises, with absolute addresses of images', () => {
    for (const each of brands()) {
      expect(breaches(brandResource, brandView(each, 'https://sim.example'))).toEqual([]);
      for (const own of modelsOf(each))
        expect(breaches(modelResource, modelView(own, 'https://sim.example'))).toEqual([]);
    }
    expect(brandView(found(brand('abl')), 'https://sim.example/')).toEqual({
      id: '34fd2487-aeb6-525a-a25a-38c1c8e8d967',
      slug: 'abl',
      name: 'ABL',
      image_url: 'https://sim.example/images/brands/abl.svg',
      created_at: '2026-11-01T00:00:00.000Z',
    });
    expect(modelView(modelAt('exicom', 'spin-air-ac-7-4-kw'), 'http://127.0.0.1:8080')).toMatchObject({
      brand_id: found(brand('exicom')).id,
      max_charging_power: 7_400,
      evses: [{ connectors: [{ type: 'Type2', format: 'CABLE', max_kw: 7.4 }] }],
      image_url: 'http://127.0.0.1:8080/images/models/exicom/spin-air-ac-7-4-kw.svg',
    });
  });
});

describe('models', () => {
  it('have a strongest connector that the station can feed, and no more power than all EVSEs can take', () => {
    for (const each of models) {
      const taken = each.evses.map(({ connectors }) => Math.max(...connectors.map(({ maxKw }) => maxKw)));
      expect(each.maxKw).toBeGreaterThanOrEqual(strongestConnector(each).maxKw);
      expect(each.maxKw).toBeLessThanOrEqual(taken.reduce((sum, kw) => sum + kw, 0));
    }
  });

  it('are DC when their strongest connector is, and have as many phases as their AC connectors', () => {
    for (const each of models) {
      expect([each.slug, each.current]).toEqual([each.slug, currentOf(strongestConnector(each))]);
      const { phases } = connectorKind(strongestConnector(each).type, watts(strongestConnector(each).maxKw));
      expect([each.slug, each.phases]).toEqual([each.slug, each.current === 'DC' ? 3 : phases]);
    }
  });

  it('have a cable wherever a socket is not allowed: on DC, on Type 1 and NACS, and above 22 kW', () => {
    const sockets = models.flatMap(connectorsOf).filter(({ format }) => format === 'SOCKET');
    expect(sockets.filter(({ type, maxKw }) => type !== 'Type2' || maxKw > 22)).toEqual([]);
    expect(sockets.length).toBeGreaterThan(20);
  });

  it('that serve several standards from one power stack have them on one EVSE, and AC apart', () => {
    expect(layoutOf(modelAt('abb-e-mobility', 'terra-54-cjg'))).toEqual([
      { evseId: 1, connectorId: 1, type: 'CCS2', format: 'CABLE', maxPowerW: 50_000 },
      { evseId: 1, connectorId: 2, type: 'CHAdeMO', format: 'CABLE', maxPowerW: 50_000 },
      { evseId: 2, connectorId: 1, type: 'Type2', format: 'CABLE', maxPowerW: 43_000 },
    ]);
  });

  it('with two outlets for two cars have two EVSEs', () => {
    const twin: readonly StoredLayout[] = layoutOf(modelAt('alfen', 'eve-double-pro-line'));
    expect(twin.map(({ evseId, connectorId }) => [evseId, connectorId])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(maxChargingPowerW(modelAt('alfen', 'eve-double-pro-line'))).toBe(44_000);
    expect(maxChargingPowerW(modelAt('alpitronic', 'hypercharger-hyc400'))).toBe(400_000);
  });

  it('number EVSEs from 1, and connectors from 1 within each', () => {
    for (const each of models) {
      const layout = layoutOf(each);
      expect(layout.length).toBeLessThanOrEqual(16);
      expect(layout.every(({ maxPowerW }) => Number.isInteger(maxPowerW) && maxPowerW > 0)).toBe(true);
      const expected = each.evses.flatMap(({ connectors }, evse) =>
        connectors.map((_, index) => [evse + 1, index + 1]),
      );
      expect(layout.map(({ evseId, connectorId }) => [evseId, connectorId])).toEqual(expected);
    }
  });
});
