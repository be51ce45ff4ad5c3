// The drawings: well-formed, self-contained, the same every time, and found under the addresses that answers carry.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brands, modelsOf } from './brands.ts';
import { connectorTypes } from './catalog-data.ts';
import { drawBrand, monogram } from './drawing/brand.ts';
import { drawLocation } from './drawing/location.ts';
import { drawModel, formOf, outletsOf } from './drawing/model.ts';
import { brandImagePath, imageAt, imageUrl, locationImagePath, modelImagePath } from './images.ts';
import { connectorsOf } from './layout.ts';
import { locationTemplates } from './location-templates.ts';

const models = brands().flatMap(modelsOf);
const drawings: readonly (readonly [path: string, svg: string])[] = [
  ...brands().map((each) => [brandImagePath(each), drawBrand(each)] as const),
  ...models.map((each) => [modelImagePath(each), drawModel(each)] as const),
  ...locationTemplates().map((each) => [locationImagePath(each), drawLocation(each)] as const),
];

const token =
  /<(?<closing>\/)?(?<name>[A-Za-z]+)(?<attributes>(?: [A-Za-z0-9-]+="(?:[^"<&]|&(?:amp|lt|gt|quot|#39);)*")*)(?<empty>\/)?>|(?<text>(?:[^<>&]|&(?:amp|lt|gt|quot|#39);)+)/gy;

/** What is wrong with a document of elements and text, or null: as strict as XML, for the part of it that is used. */
function malformed(xml: string): string | null {
  const open: string[] = [];
  if (/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(xml)) return 'a character that XML forbids';
  let end = 0;
  for (const match of xml.matchAll(token)) {
    const { closing, name, attributes = '', empty, text } = match.groups ?? {};
    end = match.index + match[0].length;
    if (open.length === 0 && match.index > 0) return `something after the end at ${match.index}`;
    if (text !== undefined && open.length === 0) return `words outside of elements at ${match.index}`;
    if (text !== undefined) continue;
    const names = [...attributes.matchAll(/ ([A-Za-z0-9-]+)=/g)].map(([, each]) => each);
    if (new Set(names).size !== names.length) return `an attribute twice at ${match.index}`;
    if (closing !== undefined && open.pop() !== name) return `</${name}> closes nothing at ${match.index}`;
    if (closing === undefined && empty === undefined) open.push(name ?? '');
  }
  if (end !== xml.length) return `not markup at ${end}: ${xml.slice(end, end + 30)}`;
  return open.length === 0 ? null : `never closed: ${open.join(', ')}`;
}

describe('the check for well-formed XML', () => {
  it.each([
    '<a>',
    '<a></b>',
    '<a/><a/>',
    '<a>&</a>',
    '<a b="<"/>',
    '<a b="1" b="2"/>',
    '<a b=1/>',
    '</a>',
    'a',
    '<a>\u0001</a>',
  ])('sees what is wrong with %j', (xml) => {
    expect(malformed(xml)).not.toBeNull();
  });

  it('has nothing against elements, attributes, text and entities', () => {
    expect(malformed('<a b1="x &amp; y"><c/>text &lt; <d>more</d></a>')).toBeNull();
  });
});

describe('drawings', () => {
  it('are well-formed, every one', () => {
    const wrong = drawings.map(([path, svg]) => [path, malformed(svg)] as const).filter(([, what]) => what !== null);
    expect(wrong).toEqual([]);
  });

  it('refer to nothing outside themselves', () => {
    for (const [path, svg] of drawings) {
      const rest = svg.replace(' xmlns="http://www.w3.org/2000/svg"', '');
      expect([path, rest.match(/https?:|\/\/|href|<script|<image|<style|@import|data:| on[a-z]+=/gi)]).toEqual([
        path,
        null,
      ]);
      const ids = new Set([...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
      for (const [, id] of svg.matchAll(/url\(#([^)]+)\)/g)) expect(ids).toContain(id);
    }
  });

  it('have no figure that went wrong', () => {
    expect(drawings.filter(([, svg]) => /NaN|undefined|Infinity|null/.test(svg)).map(([path]) => path)).toEqual([]);
  });

  it('are found under their addresses, the same every time', () => {
    for (const [path, svg] of drawings) expect(imageAt(path)).toBe(svg);
  });

  it('are small', () => {
    expect(drawings.filter(([, svg]) => svg.length > 32_768).map(([path]) => path)).toEqual([]);
  });

  it.each([
    '/images/brands/no-such-brand.svg',
    '/images/brands/abl/em4-twin.svg',
    '/images/models/abl.svg',
    '/images/models/abl/terra-54-cjg.svg',
    '/images/locations/no-such-place.svg',
    '/images/locations/../brands/abl.svg',
    '/images/brands/abl',
    '/images/constructor/abl.svg',
    '',
  ])('are not found under %j', (path) => {
    expect(imageAt(path)).toBeNull();
  });

  it('say in words what they show', () => {
    const [brand] = brands();
    expect(brand && drawBrand(brand)).toContain('<title>ABB E-mobility</title>');
  });

  it('stay well-formed whatever a name contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...models), (name, model) => {
        expect(malformed(drawBrand({ name, slug: 'any' }))).toBeNull();
        expect(malformed(drawModel({ ...model, name, brandName: name }))).toBeNull();
      }),
      { numRuns: 40 },
    );
  });

  it('have absolute addresses, whether or not the server’s own ends in a slash', () => {
    expect(imageUrl('https://sim.example/base/', '/images/brands/abl.svg')).toBe(
      'https://sim.example/base/images/brands/abl.svg',
    );
    expect(imageUrl('https://sim.example', '/images/brands/abl.svg')).toBe('https://sim.example/images/brands/abl.svg');
  });
});

describe('a brand’s tile', () => {
  it.each([
    ['Alfen', 'Al'],
    ['Charge Amps', 'CA'],
    ['go-e', 'Go'],
    ['SK Signet', 'SK'],
    ['EVBox', 'EV'],
    ['', ''],
  ])('of %s reads %s', (name, letters) => {
    expect(monogram(name)).toBe(letters);
  });
});

describe('a model’s drawing', () => {
  it('has a form for every class of charger', () => {
    const forms = Object.fromEntries(models.map((each) => [each.slug, formOf(each)]));
    expect(forms).toMatchObject({
      'kecontact-p40': 'wallbox',
      'eve-double-pro-line': 'post',
      'dc-wallbox-25-kw': 'dc-wallbox',
      'terra-54-cjg': 'cabinet',
      'hypercharger-hyc400': 'tower',
    });
  });

  it('shows every outlet with the face of its type', () => {
    const pinsOf = { Type1: 5, Type2: 7, CCS1: 7, CCS2: 9, CHAdeMO: 10, NACS: 5 };
    for (const each of models) {
      const pins = drawModel(each).split('fill="#dfe5ec"').length - 1;
      expect([each.slug, pins]).toEqual([
        each.slug,
        connectorsOf(each).reduce((sum, { type }) => sum + pinsOf[type], 0),
      ]);
    }
    expect(new Set(models.flatMap(connectorsOf).map(({ type }) => type))).toEqual(new Set(connectorTypes));
  });

  it('says which outlets share an EVSE', () => {
    const outlets = Object.fromEntries(models.map((each) => [each.slug, outletsOf(each)]));
    expect(outlets['eve-double-pro-line']).toBe('2 × Type2');
    expect(outlets['terra-54-cjg']).toBe('CCS2 / CHAdeMO + Type2');
  });
});
