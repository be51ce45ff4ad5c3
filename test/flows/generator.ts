// Input made from the schemas of the description: such as they allow, and such with something wrong in it.

import fc from 'fast-check';
import type { Json } from './gateway.ts';
import type { Description, Schema } from './interface.ts';

export type Any = fc.Arbitrary<Json>;

/** What schemas cannot say, by the name of a field: given what the schema alone would allow, gives what makes sense. */
export type Sense = Readonly<Record<string, (plain: Any, schema: Schema) => Any>>;

/** The longest text that is made where a schema would allow a longer one, now and then. */
const longText = 2_048;

/** Values that the schema takes. */
export function allowed(description: Description, schema: Schema, sense: Sense = {}): Any {
  const values = (of: Schema, name: string | null): Any => {
    const whole = description.resolved(of);
    const plain = ofSchema(whole);
    const sensible = name === null ? undefined : sense[name];
    return sensible === undefined ? plain : sensible(plain, whole);
  };

  const ofSchema = (of: Schema): Any => {
    if (of.const !== undefined) return fc.constant(of.const);
    if (of.enum !== undefined) return fc.constantFrom(...of.enum);
    if (of.anyOf !== undefined) return fc.oneof(...of.anyOf.map((each) => values(each, null)));
    const types = [of.type ?? []].flat();
    // Without a type anything goes.
    if (types.length === 0) return fc.jsonValue({ maxDepth: 2 });
    return fc.oneof(...types.map((type) => ofType(type, of)));
  };

  const ofType = (type: string, of: Schema): Any => {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return integers(of);
      case 'number':
        return of.multipleOf === undefined ? numbers(of) : integers(of);
      case 'string':
        return texts(of);
      case 'array':
        return lists(of);
      case 'object':
        return objects(of);
      default:
        throw new Error(`no values are known of the type ${type}`);
    }
  };

  const lists = ({ items = {}, minItems = 0, maxItems = 3, uniqueItems = false }: Schema): Any => {
    const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 3)) };
    const each = values(items, null);
    return uniqueItems ? fc.uniqueArray(each, { ...bounds, comparator: 'SameValue' }) : fc.array(each, bounds);
  };

  const objects = ({ properties, required = [], additionalProperties = true }: Schema): Any => {
    if (properties === undefined) {
      if (additionalProperties === false) return fc.constant({});
      const each =
        typeof additionalProperties === 'object' ? values(additionalProperties, null) : fc.jsonValue({ maxDepth: 2 });
      return fc
        .dictionary(fc.string({ maxLength: 10 }), each, { maxKeys: 3, noNullPrototype: true })
        .filter(isHarmless);
    }
    const fields = Object.entries(properties).map(([name, field]) => [name, values(field, name)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });
  };

  return values(schema, null);
}

/** The names that mean something to JavaScript are refused wherever they are. */
const isHarmless = (value: Json): boolean => !/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(value));

function integers({ minimum, exclusiveMinimum, maximum = 1_000_000 }: Schema): Any {
  const from = minimum ?? (exclusiveMinimum === undefined ? -1_000_000 : exclusiveMinimum + 1);
  return fc.oneof(fc.integer({ min: from, max: maximum }), fc.constantFrom(from, maximum));
}

function numbers(of: Schema): Any {
  const { minimum, exclusiveMinimum, maximum = 1e9 } = of;
  const from = minimum ?? exclusiveMinimum ?? -1e9;
  const any = fc.double({
    min: from,
    minExcluded: minimum === undefined && exclusiveMinimum !== undefined,
    max: maximum,
    noNaN: true,
    noDefaultInfinity: true,
  });
  // JSON knows no negative zero.
  return fc.oneof(
    any.map((value) => value + 0),
    integers({ ...of, minimum: Math.ceil(from + (minimum === undefined ? 0.5 : 0)) }),
  );
}

function texts({ minLength = 0, maxLength = 40, pattern, format }: Schema): Any {
  if (format === 'date-time') return moments;
  const fits = (text: string): boolean =>
    [...text].length >= minLength &&
    [...text].length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, 'u').test(text));
  const shortest = Math.min(maxLength, Math.max(minLength, 1));
  const longest = Math.max(shortest, Math.min(maxLength, 40));
  const plain =
    pattern === undefined ? fc.string({ minLength, maxLength: longest }) : fc.stringMatching(new RegExp(pattern));
  const made = [plain, fc.string({ unit: 'grapheme', minLength, maxLength: longest })];
  // Exactly as long as it may be, of letters and of characters that need two units.
  const whole = ['x', '💥'].map((unit) => unit.repeat(Math.min(maxLength, longText))).filter(fits);
  return fc.oneof(...made.map((each) => each.filter(fits)), ...whole.map((text) => fc.constant(text)));
}

const moments: Any = fc.oneof(
  fc
    .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2099-12-31T23:59:59Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom('2026-11-14T10:00:00Z', '2026-11-14T10:00:00+02:00', '2026-11-14T10:00:00.123456Z'),
);

/** Values that hardly any field takes, or that some code stumbles over. */
const oddities: Any = fc.constantFrom<Json>(
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  -1e308,
  5e-324,
  '',
  ' ',
  '0',
  'null',
  'x'.repeat(10_000),
  '💥'.repeat(300),
  '\u0000',
  'line\nbreak',
  '\ud800',
  "'; DROP TABLE chargers; --",
  '../../etc/passwd',
  '2026-02-30T25:61:61Z',
  '2016-12-31T23:59:60Z',
  [],
  [null],
  [[[[]]]],
  {},
  { nested: { deeply: {} } },
  JSON.parse('['.repeat(100) + ']'.repeat(100)),
);

type Change = (value: Json) => Json;

const unknownNames = ['nonsense', 'Target', 'id ', '$ref', 'toString', 'prototype', 'constructor', ''];

const changes: fc.Arbitrary<Change> = fc.oneof(
  oddities.map(
    (odd): Change =>
      () =>
        odd,
  ),
  fc.jsonValue({ maxDepth: 3 }).map(
    (any): Change =>
      () =>
        any,
  ),
  fc.constantFrom(...unknownNames).map(
    (name): Change =>
      (value) =>
        isObject(value) ? { ...value, [name]: 1 } : [value],
  ),
  fc.nat().map(
    (pick): Change =>
      (value) => {
        if (!isObject(value)) return undefined;
        const names = Object.keys(value);
        const { [names[pick % Math.max(names.length, 1)] ?? '']: _, ...rest } = value;
        return rest;
      },
  ),
  fc.constantFrom(2, 100).map(
    (times): Change =>
      (value) =>
        Array.from({ length: times }, () => value),
  ),
);

/** The same with one thing changed somewhere in it; whether that is still allowed is for the schema to say. */
export const tampered = (sound: Any): Any =>
  fc.tuple(sound, fc.nat(), changes).map(([value, pick, change]) => {
    const places = placesIn(value);
    return changedAt(value, places[pick % places.length] ?? [], change);
  });

/** Too long to be shown: names that `written` writes out. */
const deepList = 'a list within a list, and so on';
const deepEvent = 'an event with an object within an object, and so on';

export function written(text: string): string {
  if (text === deepList) return `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  return text === deepEvent ? `{"event":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}` : text;
}

/** Bodies that are no JSON, or such as no client means. */
export const badTexts = fc.constantFrom(
  '',
  ' ',
  '{',
  '{"a":1}}',
  '[]',
  '"text"',
  '0',
  'null',
  'undefined',
  '{"a":NaN}',
  "{'a':1}",
  '\ufeff{}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"target":{"__proto__":{"charger_id":"x"}},"event":{}}',
  '{"target":{},"target":{},"event":{}}',
  'target=1&event=2',
  deepList,
  deepEvent,
);

type Place = readonly (string | number)[];

const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function placesIn(value: Json, at: Place = []): Place[] {
  if (Array.isArray(value)) return [at, ...value.flatMap((each, index) => placesIn(each, [...at, index]))];
  if (!isObject(value)) return [at];
  return [at, ...Object.entries(value).flatMap(([name, each]) => placesIn(each, [...at, name]))];
}

function changedAt(value: Json, [first, ...rest]: Place, change: Change): Json {
  if (first === undefined) return change(value);
  if (Array.isArray(value)) return value.map((each, index) => (index === first ? changedAt(each, rest, change) : each));
  return { ...value, [first]: changedAt(value[first], rest, change) };
}
