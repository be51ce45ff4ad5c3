// Requests yet to be sent, good ones and bad ones, for every operation of the description. Ids are filled in when they go out.

import fc from 'fast-check';
import type { Json } from './gateway.ts';
import { type Any, allowed, badTexts, type Sense, tampered } from './generator.ts';
import type { DescribedOperation, Description, Parameter, Schema } from './interface.ts';

/** `good`: must be done, unless that contradicts the state; `unknown`: must be 404; `bad`: may be refused; `wrong`: must be refused. */
export type Kind = 'good' | 'unknown' | 'bad' | 'wrong';

export interface Draft {
  readonly kind: Kind;
  /** Percent-encoded, or as a reference. */
  readonly params: Readonly<Record<string, string>>;
  /** With references, or a raw text. */
  readonly query: string | Readonly<Record<string, string>>;
  readonly key: string | null;
  /** Whether it is sent again with the same key. */
  readonly twice: boolean;
  readonly contentType: string | null;
  /** With references; undefined: none. */
  readonly body?: Json;
  /** Instead of a body. */
  readonly text?: string;
}

/** Stands for something that exists: the `pick`th of its kind, counted around. */
export const known = (what: string): Any => fc.nat(1_000).map((pick) => `known:${what}:${pick}`);
export const reference = /^known:(\w+):(\d+)$/;

const smallSites = ['home-duo', 'two-car-garage', 'outback-roadhouse', 'farmhouse-solar'];
const smallNetwork = 'test-bench';
const nobody = fc.constantFrom('019a8b1e-0000-7000-8000-000000000000', 'nobody', '0', 'null');

const knownOrNot = (what: string) => () => fc.oneof({ weight: 6, arbitrary: known(what) }, nobody);
const orNull = (what: string) => () =>
  fc.oneof({ weight: 4, arbitrary: known(what) }, { weight: 6, arbitrary: fc.constant(null) }, nobody);

/** Exactly one of a charger and a location; some chargers only of a location. */
const targets = (plain: Any): Any => {
  const id = known('charger_id');
  const one = fc.constantFrom({}, { location_id: null }, { location_id: null, charger_ids: null });
  const all = fc.constantFrom({}, { charger_id: null }, { charger_ids: null });
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(id, one).map(([charger_id, rest]) => ({ charger_id, ...rest })) },
    fc.tuple(known('location_id'), all).map(([location_id, rest]) => ({ location_id, ...rest })),
    fc.record({ location_id: known('location_id'), charger_ids: fc.array(id, { minLength: 1, maxLength: 3 }) }),
    plain.map(() => ({ charger_id: '019a8b1e-0000-7000-8000-000000000000' })),
  );
};

/** A station as a whole is `0, 0`, where there is a connector to be named. */
const events = (plain: Any, { properties = {} }: Schema): Any =>
  !('connector_id' in properties)
    ? plain
    : plain.map((event) =>
        event.evse_id === 0 || event.connector_id === 0 ? { ...event, evse_id: 0, connector_id: 0 } : event,
      );

const sense: Sense = {
  identity: (plain) => plain.filter((identity) => identity !== '.' && identity !== '..'),
  target: targets,
  event: events,
  charger_id: knownOrNot('charger_id'),
  location_id: orNull('location_id'),
  location_name: orNull('location_name'),
  model_id: orNull('model_id'),
  template: () => fc.constantFrom(...smallSites, 'no-such-template'),
  count_multiplier: () => fc.constantFrom(null, 1, 1.4, 2),
  ws_url: () => fc.oneof({ weight: 3, arbitrary: known('ws_url') }, fc.constantFrom(null, 'ws://127.0.0.1:9')),
  security: () => fc.constantFrom(null, { profile: 0 }, { profile: 1, basic_password: 'a password of the charger' }),
  // What is sent unchecked tells nothing of the charger that sends it: not too often.
  validate: () => fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
  wait_s: () => fc.constantFrom(0, 1),
  url: () => fc.constantFrom('http://127.0.0.1:9/hook', 'http://[::1]:9/hook?key=1'),
  after: () => fc.constantFrom(null, '000000-0000000000', 'nobody'),
  cursor: (plain) => fc.oneof(plain, known('cursor')),
};

/** A network is many chargers: not too often. */
const networkSense: Sense = {
  ...sense,
  template: () =>
    fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, fc.constantFrom('no-such-template', smallNetwork)),
};

/** Rules between fields, and targets of commands that take one charger only. */
function sensible(body: Json, ofOneCharger: boolean): Json {
  if (body.model_id != null && 'number_of_connectors' in body) {
    const { number_of_connectors: _, ...rest } = body;
    return rest;
  }
  if (!ofOneCharger || body.target?.location_id == null) return body;
  return { ...body, target: { charger_id: body.target.location_id.replace('location_id', 'charger_id') } };
}

const oddIds = fc.constantFrom(
  '0',
  '-1',
  'null',
  '..',
  '%2e%2e',
  '%00',
  '%2F',
  '%20',
  '%zz',
  '%ff',
  '%F0%9F%92%A5',
  '%7Bcharger_id%7D',
  "'%20OR%201=1",
  '019a8b1e-0000-7000-8000-000000000000',
  '__proto__',
  'constructor',
  'x'.repeat(300),
);

const oddValues = fc.constantFrom(
  '',
  '0',
  '-1',
  '1.5',
  '1e3',
  '99999999999999999999',
  'NaN',
  'true',
  'x',
  '%00',
  '%zz',
  '%ff',
  '%F0%9F%92%A5',
  'x'.repeat(3_000),
);
/** Filled in: a key is used once. */
export const freshKey = 'fresh';
const badKeys = fc.constantFrom('', 'two words', 'x'.repeat(256), 'schl\u00fcssel');
const otherTypes = fc.constantFrom(
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'application/jsonx',
  'nonsense',
  null,
);
const goodTypes = fc.constantFrom('application/json', 'application/json; charset=utf-8', 'Application/JSON');

export function drafts(description: Description, operation: DescribedOperation): fc.Arbitrary<Draft> {
  const { parameters, body, id } = operation;
  const at = (place: Parameter['in']) => parameters.filter((each) => each.in === place);
  const params = fc.record(Object.fromEntries(at('path').map(({ name }) => [name, known(name)])));
  const queries = fc.record(
    Object.fromEntries(
      at('query').map(({ name, schema }) => [
        name,
        queryTexts(
          allowed(description, { properties: { [name]: schema }, type: 'object', required: [name] }, sense),
          name,
        ),
      ]),
    ),
    { requiredKeys: [] },
  );
  const takesKey = at('header').some(({ name }) => name === 'Idempotency-Key');
  // What a charger answers at once, one charger answers.
  const isForOne = operation.path.startsWith('/ocpp/commands/') && operation.statuses.includes(200);
  const bodies: Any =
    body === null
      ? fc.constant(undefined)
      : allowed(description, body, id === 'createCpo' ? networkSense : sense).map((each) => sensible(each, isForOne));

  const good: fc.Arbitrary<Draft> = fc.record({
    kind: fc.constant<Kind>('good'),
    params: params as fc.Arbitrary<Record<string, string>>,
    query: queries as fc.Arbitrary<Record<string, string>>,
    key: takesKey ? fc.constantFrom(null, freshKey) : fc.constant(null),
    twice: fc.boolean(),
    contentType: body === null ? fc.constant(null) : goodTypes,
    body: bodies,
  });
  const but = (change: fc.Arbitrary<Partial<Draft>>): fc.Arbitrary<Draft> =>
    fc
      .tuple(good, change)
      .map(([draft, changed]) => ({ ...draft, key: null, ...changed, params: { ...draft.params, ...changed.params } }));

  const choices = [{ weight: 6, arbitrary: good }];
  const add = (weight: number, change: fc.Arbitrary<Partial<Draft>>) =>
    choices.push({ weight, arbitrary: but(change) });

  for (const { name } of at('path')) {
    add(
      1,
      oddIds.map((odd) => ({ kind: 'unknown', params: { [name]: odd } })),
    );
  }
  add(
    1,
    fc
      .constantFrom('nonsense=1', 'page=1&page=2&nonsense=', 'constructor=1', '__proto__=1')
      .map((query) => ({ kind: 'wrong', query })),
  );
  for (const { name } of at('query')) {
    add(
      1,
      oddValues.map((odd) => ({ kind: 'bad', query: `${name}=${odd}` })),
    );
    add(
      0.3,
      oddValues.map((odd) => ({ kind: 'wrong', query: `${name}=${odd}&${name}=1` })),
    );
  }
  if (takesKey)
    add(
      0.5,
      badKeys.map((key) => ({ kind: 'wrong', key, twice: false })),
    );
  if (body === null) {
    if (operation.method !== 'GET') {
      add(
        1,
        fc
          .constantFrom('{"nonsense":1}', '{', '[1]', '"x"')
          .map((text) => ({ kind: 'wrong', text, contentType: 'application/json' })),
      );
      add(
        0.5,
        otherTypes.map((contentType) => ({ kind: 'wrong', text: 'x=1', contentType })),
      );
    }
  } else {
    add(
      5,
      tampered(bodies).map((changed) => ({ kind: 'bad', body: changed, contentType: 'application/json' })),
    );
    add(
      1,
      badTexts.map((text) => ({ kind: 'bad', text, contentType: 'application/json' })),
    );
    add(
      0.5,
      otherTypes.map((contentType) => ({ kind: 'wrong', contentType })),
    );
  }
  return fc.oneof(...choices.map(({ weight, arbitrary }) => ({ weight: Math.round(weight * 10), arbitrary })));
}

const queryTexts = (values: Any, name: string): fc.Arbitrary<string> =>
  values.map((value) => (value[name] === null ? '' : String(value[name])));
