// Checks the catalog as clients see it: brands, their models, and the galleries of templates.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Front, startFront } from '../../test/http-front.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront({
    defaults: { csmsUrl: () => 'ws://csms', publicUrl: () => 'https://chargers.example.com/base' },
  });
});
afterAll(() => front.close());

const read = async (url: string) => {
  const { status, body } = await front.call('GET', url);
  expect(status, url).toBe(200);
  return body;
};
const namesOf = (entries: readonly { name: string }[]) => entries.map(({ name }) => name);
const sorted = (names: readonly string[]) =>
  [...names].sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));

/** Everything, page by page. */
async function all(url: string) {
  const entries = [];
  for (let page = 1; ; page++) {
    const { data, total } = await read(`${url}?page=${page}&limit=7`);
    entries.push(...data);
    if (data.length === 0) {
      expect(entries).toHaveLength(total);
      return entries;
    }
  }
}

describe('brands', () => {
  it('are told in pages of twenty, ordered by name', async () => {
    const { data, ...rest } = await read('/ocpp/catalog/brands');
    expect(rest).toEqual({ total: expect.any(Number), page: 1, limit: 20 });
    expect(rest.total).toBeGreaterThanOrEqual(40);
    expect(data).toHaveLength(20);
    const names = namesOf(await all('/ocpp/catalog/brands'));
    expect(names).toEqual(sorted(names));
    expect(new Set(names).size).toBe(rest.total);
  });

  it('have the fields of the specification, and an absolute address of their image', async () => {
    for (const brand of await all('/ocpp/catalog/brands')) {
      expect(Object.keys(brand)).toEqual(['id', 'slug', 'name', 'image_url', 'created_at']);
      expect(brand.image_url).toBe(`https://chargers.example.com/base/images/brands/${brand.slug}.svg`);
      expect(brand.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
  });

  it('past the end are none', async () => {
    const { data, page } = await read('/ocpp/catalog/brands?page=99');
    expect({ data, page }).toEqual({ data: [], page: 99 });
  });

  it.each([
    ['page=0', 'page must be >= 1'],
    ['limit=101', 'limit must be <= 100'],
    ['limit=0', 'limit must be >= 1'],
    ['page=x', 'page must be integer'],
    ['order=name', 'order is not known here; known: page, limit'],
  ])('are not told for %s', async (query, detail) => {
    expect(await front.call('GET', `/ocpp/catalog/brands?${query}`)).toMatchObject({ status: 422, body: { detail } });
  });

  it('take an empty value for none', async () => {
    expect(await read('/ocpp/catalog/brands?page=&limit=')).toMatchObject({ page: 1, limit: 20 });
  });
});

describe('models', () => {
  it('of all brands are more than a hundred, ordered by name within each', async () => {
    let total = 0;
    for (const brand of await all('/ocpp/catalog/brands')) {
      const models = await all(`/ocpp/catalog/brands/${brand.slug}/models`);
      expect(models.every(({ brand_id }) => brand_id === brand.id)).toBe(true);
      expect(namesOf(models)).toEqual(sorted(namesOf(models)));
      total += models.length;
    }
    expect(total).toBeGreaterThanOrEqual(100);
  });

  it('are found by id and by slug, of the brand as of the model', async () => {
    const { data } = await read('/ocpp/catalog/brands?limit=1');
    const { id, slug } = data[0];
    const { data: models } = await read(`/ocpp/catalog/brands/${id}/models`);
    expect((await read(`/ocpp/catalog/brands/${slug}/models`)).data).toEqual(models);
    const [model] = models;
    for (const brand of [id, slug]) {
      for (const each of [model.id, model.slug]) {
        expect(await read(`/ocpp/catalog/brands/${brand}/models/${each}`)).toEqual(model);
      }
    }
    expect(model).toEqual({
      id: expect.any(String),
      slug: expect.any(String),
      brand_id: id,
      name: expect.any(String),
      current: expect.stringMatching(/^(AC|DC)$/),
      evses: expect.arrayContaining([
        {
          connectors: expect.arrayContaining([
            {
              type: expect.any(String),
              format: expect.stringMatching(/^(SOCKET|CABLE)$/),
              max_kw: expect.any(Number),
            },
          ]),
        },
      ]),
      max_charging_power: expect.any(Number),
      phases: expect.any(Number),
      ocpp_versions: expect.any(Array),
      image_url: `https://chargers.example.com/base/images/models/${slug}/${model.slug}.svg`,
      created_at: expect.any(String),
    });
  });

  it('that do not exist are 404, as brands are', async () => {
    const { data } = await read('/ocpp/catalog/brands?limit=1');
    const [{ slug, name }] = data;
    for (const [url, detail] of [
      ['/ocpp/catalog/brands/nobody/models', 'brand nobody does not exist'],
      ['/ocpp/catalog/brands/nobody/models/x', 'brand nobody does not exist'],
      [`/ocpp/catalog/brands/${slug}/models/x`, `model x does not exist among those of ${name}`],
    ] as const) {
      expect(await front.call('GET', url)).toMatchObject({ status: 404, body: { detail } });
    }
    expect((await front.call('GET', '/ocpp/catalog/brands/nobody/models?page=0')).status).toBe(422);
  });
});

describe('the gallery of location templates', () => {
  const gallery = async (query = '') => {
    const { data, ...rest } = await read(`/ocpp/templates/locations${query}`);
    expect(rest).toEqual({ total: data.length });
    return data;
  };

  it('is whole without a filter', async () => {
    const templates = await gallery();
    expect(templates.length).toBeGreaterThanOrEqual(24);
    expect(await gallery('?type=&ocpp_version=')).toEqual(templates);
    expect(templates[0]).toMatchObject({
      slug: expect.any(String),
      image_url: expect.stringMatching(/^https:\/\/chargers\.example\.com\/base\/images\/locations\/.+\.svg$/),
      site: { country: expect.any(String), parking_type: expect.any(String) },
      charger_groups: expect.arrayContaining([
        {
          brand: expect.any(String),
          model: expect.any(String),
          connector_type: expect.any(String),
          ocpp_version: expect.any(String),
          count: expect.any(Number),
          nominal_kw: expect.any(Number),
        },
      ]),
      total_chargers: expect.any(Number),
      total_power_kw: expect.any(Number),
    });
  });

  it.each(['AC', 'DC', 'AC-DC'])('has templates of type %s, and only those when asked', async (type) => {
    const templates = await gallery(`?type=${type}`);
    expect(templates.length).toBeGreaterThan(0);
    expect(templates.every((each: { type: string }) => each.type === type)).toBe(true);
  });

  it.each(['1.6', '2.0.1', '2.1'])('has templates of version %s, those of mixed ones among them', async (version) => {
    const versions = new Set((await gallery(`?ocpp_version=${version}`)).map(versionOf));
    expect(versions).toEqual(new Set([version, 'mixed']));
  });

  it('narrows by both', async () => {
    const both = await gallery('?type=DC&ocpp_version=2.1');
    const expected = (await gallery('?type=DC')).filter((each: Versioned) =>
      ['2.1', 'mixed'].includes(versionOf(each)),
    );
    expect(both).toEqual(expected);
  });

  it.each([
    ['type=ac', 'type must be one of AC, DC, AC-DC'],
    ['type=AC,DC', 'type must be one of AC, DC, AC-DC'],
    ['ocpp_version=mixed', 'ocpp_version must be one of 1.6, 2.0.1, 2.1'],
    ['ocpp_version=2.0', 'ocpp_version must be one of 1.6, 2.0.1, 2.1'],
    ['page=1', 'page is not known here; known: type, ocpp_version'],
  ])('refuses %s', async (query, detail) => {
    expect(await front.call('GET', `/ocpp/templates/locations?${query}`)).toMatchObject({
      status: 422,
      body: { detail },
    });
  });
});

interface Versioned {
  readonly ocpp_version: string;
}
const versionOf = ({ ocpp_version }: Versioned): string => ocpp_version;

describe('the gallery of CPO templates', () => {
  it('names location templates that exist, and how much that makes', async () => {
    const { data, total } = await read('/ocpp/templates/cpos');
    expect(data).toHaveLength(total);
    expect(total).toBeGreaterThan(0);
    const slugs = (await read('/ocpp/templates/locations')).data.map(({ slug }: { slug: string }) => slug);
    for (const cpo of data) {
      expect(cpo.locations.length).toBeGreaterThan(0);
      for (const { template } of cpo.locations) expect(slugs).toContain(template);
      expect(cpo.total_chargers).toBeGreaterThan(cpo.total_locations);
    }
  });
});
