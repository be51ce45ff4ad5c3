// OCPI locations held against the objects of OCPI 2.2.1 as this test writes them down.

import fc from 'fast-check';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import type { ConnectorStatus } from '../charger/report.ts';
import { connectorTypes, parkingTypes, word } from './catalog-data.ts';
import { expandLocation } from './expand-location.ts';
import { type LocationTemplate, locationTemplate, locationTemplates } from './location-templates.ts';
import { ocpiConnector } from './ocpi-connector.ts';
import { evseStatus, type OcpiCharger, ocpiLocation } from './ocpi-location.ts';

const closed = <Properties extends Type.TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const ciText = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[ -~]+$' });
const dateTime = Type.String({ maxLength: 25, pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' });

const connectorSchema = closed({
  id: ciText(36),
  standard: word([
    'CHADEMO',
    'IEC_62196_T1',
    'IEC_62196_T1_COMBO',
    'IEC_62196_T2',
    'IEC_62196_T2_COMBO',
    'TESLA_R',
    'TESLA_S',
  ]),
  format: word(['SOCKET', 'CABLE']),
  power_type: word(['AC_1_PHASE', 'AC_2_PHASE', 'AC_2_PHASE_SPLIT', 'AC_3_PHASE', 'DC']),
  max_voltage: Type.Integer({ minimum: 1 }),
  max_amperage: Type.Integer({ minimum: 1 }),
  max_electric_power: Type.Integer({ minimum: 1 }),
  last_updated: dateTime,
});

const locationSchema = closed({
  country_code: Type.String({ pattern: '^[A-Z]{2}$' }),
  party_id: ciText(3),
  id: ciText(36),
  publish: Type.Boolean(),
  name: Type.Optional(text(255)),
  address: text(255),
  city: text(45),
  postal_code: Type.Optional(text(10)),
  state: Type.Optional(text(45)),
  country: Type.String({ pattern: '^[A-Z]{3}$' }),
  coordinates: closed({
    latitude: Type.String({ maxLength: 10, pattern: '^-?[0-9]{1,2}\\.[0-9]{5,7}$' }),
    longitude: Type.String({ maxLength: 11, pattern: '^-?[0-9]{1,3}\\.[0-9]{5,7}$' }),
  }),
  parking_type: word(parkingTypes),
  evses: Type.Array(
    closed({
      uid: ciText(36),
      evse_id: Type.Optional(
        Type.String({ maxLength: 48, pattern: '^[A-Z]{2}\\*[A-Z0-9]{3}\\*E[A-Z0-9][A-Z0-9*]{0,30}$' }),
      ),
      status: word([
        'AVAILABLE',
        'BLOCKED',
        'CHARGING',
        'INOPERATIVE',
        'OUTOFORDER',
        'PLANNED',
        'REMOVED',
        'RESERVED',
        'UNKNOWN',
      ]),
      capabilities: Type.Array(
        word([
          'CHARGING_PROFILE_CAPABLE',
          'REMOTE_START_STOP_CAPABLE',
          'RESERVABLE',
          'RFID_READER',
          'START_SESSION_CONNECTOR_REQUIRED',
          'UNLOCK_CAPABLE',
        ]),
        { uniqueItems: true },
      ),
      connectors: Type.Array(connectorSchema, { minItems: 1 }),
      last_updated: dateTime,
    }),
  ),
  operator: closed({ name: text(100) }),
  time_zone: text(255),
  opening_times: closed({ twentyfourseven: Type.Literal(true) }),
  charging_when_closed: Type.Boolean(),
  last_updated: dateTime,
});

const breaches = (value: unknown): readonly string[] =>
  Value.Errors(locationSchema, value).map(({ instancePath, message }) => `${instancePath} ${message}`);

const operator = { name: 'Example Charging', countryCode: 'NL', partyId: 'EXC' };
const atMs = Date.UTC(2026, 10, 14, 10);

function chargersOf(template: LocationTemplate, changes: Partial<OcpiCharger> = {}): readonly OcpiCharger[] {
  const expansion = expandLocation(template);
  if ('refused' in expansion) throw new Error(expansion.sentence);
  return expansion.chargers.map(({ identity, ocppVersion, layout }, index) => ({
    id: `019a8b1e-6c3f-7d20-b7a5-${String(index).padStart(12, '0')}`,
    identity,
    ocppVersion,
    layout,
    state: 'live',
    statuses: layout.map(() => 'Available'),
    updatedAtMs: atMs,
    ...changes,
  }));
}

function locationOf(slug: string, changes: Partial<OcpiCharger> = {}) {
  const template = locationTemplate(slug);
  if (template === null) throw new Error(`no template ${slug}`);
  return ocpiLocation({
    id: '019a8b1e-6c3f-7d20-b7a5-0c9d5b1e7f42',
    name: template.name,
    site: template.site,
    operator,
    chargers: chargersOf(template, changes),
    updatedAtMs: atMs,
  });
}

describe('an OCPI location', () => {
  it.each(locationTemplates().map(({ slug }) => slug))('is as OCPI 2.2.1 says, for the template %s', (slug) => {
    const location = locationOf(slug);
    expect(breaches(location)).toEqual([]);
    const uids = location.evses.map(({ uid }) => uid);
    expect(new Set(uids).size).toBe(uids.length);
    const ids = location.evses.flatMap((evse) => evse.evse_id ?? []);
    expect(ids.length).toBe(location.evses.length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has coordinates as text, three letters of the country, and ids made of the deployment’s', () => {
    expect(locationOf('home-duo')).toMatchObject({
      country_code: 'NL',
      party_id: 'EXC',
      country: 'NLD',
      address: 'Wilgenlaan 14',
      coordinates: { latitude: '52.086934', longitude: '5.144214' },
      time_zone: 'Europe/Amsterdam',
      evses: [
        {
          uid: '019a8b1e6c3f7d20b7a5000000000000-1',
          evse_id: 'NL*EXC*EHOME*DUO*0001*1',
          status: 'AVAILABLE',
          connectors: [
            {
              id: '1',
              standard: 'IEC_62196_T2',
              format: 'SOCKET',
              power_type: 'AC_3_PHASE',
              max_voltage: 230,
              max_amperage: 16,
              max_electric_power: 11_000,
            },
          ],
          last_updated: '2026-11-14T10:00:00.000Z',
        },
        { evse_id: 'NL*EXC*EHOME*DUO*0002*1' },
      ],
    });
  });

  it('has an EVSE with a choice of connectors on OCPP 2.x, and each of them as an EVSE on 1.6', () => {
    const shape = (ocppVersion: string) =>
      locationOf('taxi-rank', { ocppVersion })
        .evses.slice(0, 3)
        .map(({ uid, connectors }) => [uid.slice(-4), ...connectors.map(({ id, standard }) => `${id} ${standard}`)]);
    expect(shape('2.0.1')).toEqual([
      ['00-1', '1 IEC_62196_T2_COMBO', '2 CHADEMO'],
      ['00-2', '1 IEC_62196_T2'],
      ['01-1', '1 IEC_62196_T2_COMBO', '2 CHADEMO'],
    ]);
    expect(shape('1.6')).toEqual([
      ['00-1', '1 IEC_62196_T2_COMBO'],
      ['00-2', '1 CHADEMO'],
      ['00-3', '1 IEC_62196_T2'],
    ]);
  });

  it('gives each EVSE the status of its own outlets', () => {
    const location = locationOf('taxi-rank', { ocppVersion: '2.0.1', statuses: ['Available', 'Charging', 'Faulted'] });
    expect(location.evses.slice(0, 2).map(({ status }) => status)).toEqual(['CHARGING', 'OUTOFORDER']);
  });

  it('leaves out the id for drivers where an identity leaves none, or one that is taken', () => {
    const template = locationTemplate('home-duo');
    const [first] = template === null ? [] : chargersOf(template);
    if (template === null || first === undefined) throw new Error('no template');
    const evseIds = ['CP 1', 'cp-1', 'CP.1', 'x'.repeat(40)].map((identity) => ({ ...first, identity }));
    const location = ocpiLocation({
      id: '1',
      name: 'Home',
      site: template.site,
      operator,
      chargers: evseIds.slice(1),
      updatedAtMs: 0,
    });
    expect(location.evses.map(({ evse_id }) => evse_id)).toEqual(['NL*EXC*ECP*1*1', undefined, undefined]);
    expect(breaches(location)).toEqual([]);
  });

  it('is as new as its newest EVSE', () => {
    expect(locationOf('home-duo', { updatedAtMs: atMs + 1_000 }).last_updated).toBe('2026-11-14T10:00:01.000Z');
    expect(locationOf('home-duo', { updatedAtMs: atMs - 1_000 }).last_updated).toBe('2026-11-14T10:00:00.000Z');
  });
});

describe('the status of an EVSE', () => {
  it.each<[ConnectorStatus, string]>([
    ['Available', 'AVAILABLE'],
    ['Preparing', 'CHARGING'],
    ['Charging', 'CHARGING'],
    ['SuspendedEV', 'CHARGING'],
    ['SuspendedEVSE', 'CHARGING'],
    ['Finishing', 'CHARGING'],
    ['Reserved', 'RESERVED'],
    ['Unavailable', 'INOPERATIVE'],
    ['Faulted', 'OUTOFORDER'],
  ])('of a connector that is %s is %s', (status, word) => {
    expect(evseStatus('live', [status])).toBe(word);
  });

  it.each([
    ['planned', 'PLANNED'],
    ['unknown', 'UNKNOWN'],
    ['removed', 'REMOVED'],
  ] as const)('of a charger that is %s is %s, whatever its connectors said last', (state, word) => {
    expect(evseStatus(state, ['Charging'])).toBe(word);
  });

  it.each<[string, (ConnectorStatus | undefined)[]]>([
    ['CHARGING', ['Faulted', 'Finishing']],
    ['RESERVED', ['Available', 'Reserved']],
    ['AVAILABLE', ['Faulted', 'Available']],
    ['INOPERATIVE', ['Faulted', 'Unavailable']],
    ['OUTOFORDER', ['Faulted', undefined]],
    ['UNKNOWN', [undefined]],
    ['UNKNOWN', []],
  ])('is %s for connectors that are %j', (word, statuses) => {
    expect(evseStatus('live', statuses)).toBe(word);
  });
});

describe('an OCPI connector', () => {
  const electrics = (type: string, maxPowerW: number) => {
    const made = ocpiConnector({ evseId: 1, connectorId: 1, type, format: 'CABLE', maxPowerW }, '1', '');
    return [made.power_type, made.max_voltage, made.max_amperage];
  };

  it.each<[string, number, string, number, number]>([
    ['Type2', 22_000, 'AC_3_PHASE', 230, 32],
    ['Type2', 11_000, 'AC_3_PHASE', 230, 16],
    ['Type2', 43_000, 'AC_3_PHASE', 230, 63],
    ['Type2', 7_400, 'AC_1_PHASE', 230, 32],
    ['Type1', 7_200, 'AC_1_PHASE', 240, 30],
    ['Type1', 19_200, 'AC_1_PHASE', 240, 80],
    ['NACS', 11_500, 'AC_1_PHASE', 240, 48],
    ['NACS', 250_000, 'DC', 1_000, 500],
    ['CCS2', 50_000, 'DC', 500, 125],
    ['CCS2', 150_000, 'DC', 1_000, 375],
    ['CCS1', 400_000, 'DC', 1_000, 500],
    ['CHAdeMO', 50_000, 'DC', 500, 125],
    ['CHAdeMO', 100_000, 'DC', 500, 200],
  ])('of %s with %d W has %s, %d V and %d A', (type, maxPowerW, ...expected) => {
    expect(electrics(type, maxPowerW)).toEqual(expected);
  });

  it('never promises more power than its voltage and current give, but for the rounding of trade names', () => {
    fc.assert(
      fc.property(fc.constantFrom(...connectorTypes), fc.integer({ min: 1_000, max: 4_000_000 }), (type, maxPowerW) => {
        const made = ocpiConnector({ evseId: 1, connectorId: 1, type, format: 'CABLE', maxPowerW }, '1', '');
        const phases = made.power_type === 'AC_3_PHASE' ? 3 : 1;
        expect(made.max_voltage * made.max_amperage * phases).toBeGreaterThanOrEqual(maxPowerW * 0.98);
      }),
    );
  });

  it('of a type that nobody knows is a bug', () => {
    expect(() => electrics('Schuko', 3_700)).toThrow('no word for the connector type Schuko');
  });
});
