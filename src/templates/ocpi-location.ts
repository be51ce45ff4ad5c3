// A location with its live chargers as an OCPI 2.2.1 Location object.

import type { ConnectorStatus } from '../charger/report.ts';
import { countriesData } from './catalog-data.ts';
import type { Site } from './location-templates.ts';
import { type OcpiConnector, type OutletSpec, ocpiConnector } from './ocpi-connector.ts';

export type OcpiStatus =
  | 'AVAILABLE'
  | 'BLOCKED'
  | 'CHARGING'
  | 'INOPERATIVE'
  | 'OUTOFORDER'
  | 'PLANNED'
  | 'REMOVED'
  | 'RESERVED'
  | 'UNKNOWN';

export interface OcpiEvse {
  readonly uid: string;
  readonly evse_id?: string;
  readonly status: OcpiStatus;
  readonly capabilities: readonly string[];
  readonly connectors: readonly OcpiConnector[];
  readonly last_updated: string;
}

export interface OcpiLocation {
  readonly country_code: string;
  readonly party_id: string;
  readonly id: string;
  readonly publish: boolean;
  readonly name: string;
  readonly address: string;
  readonly city: string;
  readonly postal_code?: string;
  readonly state?: string;
  /** ISO 3166-1, three letters. */
  readonly country: string;
  readonly coordinates: { readonly latitude: string; readonly longitude: string };
  readonly parking_type: string;
  readonly evses: readonly OcpiEvse[];
  readonly operator: { readonly name: string };
  readonly time_zone: string;
  readonly opening_times: { readonly twentyfourseven: true };
  readonly charging_when_closed: true;
  readonly last_updated: string;
}

export interface OcpiCharger {
  /** The deployment id; OCPI's uids are made of it, so it never changes. */
  readonly id: string;
  readonly identity: string;
  readonly ocppVersion: string;
  readonly layout: readonly OutletSpec[];
  /**
   * Planned: has never been accepted by a CSMS. Live: connected, its statuses are to be believed.
   * Unknown: stopped or offline. Removed: deleted.
   */
  readonly state: 'planned' | 'live' | 'unknown' | 'removed';
  /** In the order of `layout`; what is missing is not known. */
  readonly statuses: readonly (ConnectorStatus | undefined)[];
  readonly updatedAtMs: number;
}

export interface OcpiLocationSource {
  readonly id: string;
  readonly name: string;
  readonly site: Site;
  readonly operator: { readonly name: string; readonly countryCode: string; readonly partyId: string };
  readonly chargers: readonly OcpiCharger[];
  /** Of the location itself; it reads as no older than its newest EVSE. */
  readonly updatedAtMs: number;
}

export function ocpiLocation({ id, name, site, operator, chargers, updatedAtMs }: OcpiLocationSource): OcpiLocation {
  return {
    country_code: operator.countryCode,
    party_id: operator.partyId,
    id,
    publish: true,
    name,
    address: site.address,
    city: site.city,
    ...(site.postalCode === null ? {} : { postal_code: site.postalCode }),
    ...(site.state === null ? {} : { state: site.state }),
    country: threeLetters(site.country),
    coordinates: { latitude: site.latitude.toFixed(6), longitude: site.longitude.toFixed(6) },
    parking_type: site.parkingType,
    evses: withEvseIds(chargers.flatMap(evsesOf), operator),
    operator: { name: operator.name },
    time_zone: site.timeZone,
    opening_times: { twentyfourseven: true },
    charging_when_closed: true,
    last_updated: instant(chargers.reduce((latest, charger) => Math.max(latest, charger.updatedAtMs), updatedAtMs)),
  };
}

/** What OCPI says of an EVSE with these connectors: any in use makes it used, any free one makes it available. */
export function evseStatus(
  state: OcpiCharger['state'],
  statuses: readonly (ConnectorStatus | undefined)[],
): OcpiStatus {
  if (state !== 'live') return stateWords[state];
  const words = new Set(statuses.map((status) => (status === undefined ? 'UNKNOWN' : statusWords[status])));
  return precedence.find((word) => words.has(word)) ?? 'UNKNOWN';
}

const stateWords = { planned: 'PLANNED', unknown: 'UNKNOWN', removed: 'REMOVED' } as const;

const statusWords: Readonly<Record<ConnectorStatus, OcpiStatus>> = {
  Available: 'AVAILABLE',
  Preparing: 'CHARGING',
  Charging: 'CHARGING',
  SuspendedEV: 'CHARGING',
  SuspendedEVSE: 'CHARGING',
  Finishing: 'CHARGING',
  Reserved: 'RESERVED',
  Unavailable: 'INOPERATIVE',
  Faulted: 'OUTOFORDER',
};

const precedence: readonly OcpiStatus[] = [
  'CHARGING',
  'RESERVED',
  'AVAILABLE',
  'BLOCKED',
  'INOPERATIVE',
  'OUTOFORDER',
  'UNKNOWN',
];

interface NumberedEvse {
  readonly identity: string;
  readonly number: number;
  readonly evse: OcpiEvse;
}

function evsesOf(charger: OcpiCharger): readonly NumberedEvse[] {
  const lastUpdated = instant(charger.updatedAtMs);
  // A uid has at most 36 characters: 32 of the id, a hyphen and three digits.
  const uidStart = charger.id.replaceAll('-', '');
  return numberedOutlets(charger).map(({ number, outlets }) => ({
    identity: charger.identity,
    number,
    evse: {
      uid: `${uidStart}-${number}`,
      status: evseStatus(
        charger.state,
        outlets.map(({ index }) => charger.statuses[index]),
      ),
      capabilities: capabilitiesOf(outlets.map(({ outlet }) => outlet)),
      connectors: outlets.map(({ outlet }, position) => ocpiConnector(outlet, String(position + 1), lastUpdated)),
      last_updated: lastUpdated,
    },
  }));
}

interface IndexedOutlet {
  readonly outlet: OutletSpec;
  readonly index: number;
}

/** OCPP 1.6 has no EVSEs, only connectors counted through, each with a status of its own: there each one is an EVSE. */
function numberedOutlets({
  layout,
  ocppVersion,
}: OcpiCharger): readonly { readonly number: number; readonly outlets: readonly IndexedOutlet[] }[] {
  const byNumber = new Map<number, IndexedOutlet[]>();
  for (const [index, outlet] of layout.entries()) {
    const number = ocppVersion === '1.6' ? index + 1 : outlet.evseId;
    const outlets = byNumber.get(number);
    if (outlets === undefined) byNumber.set(number, [{ outlet, index }]);
    else outlets.push({ outlet, index });
  }
  return [...byNumber].map(([number, outlets]) => ({ number, outlets }));
}

function capabilitiesOf(outlets: readonly OutletSpec[]): readonly string[] {
  return [
    'CHARGING_PROFILE_CAPABLE',
    'REMOTE_START_STOP_CAPABLE',
    'RESERVABLE',
    'RFID_READER',
    ...(outlets.length > 1 ? ['START_SESSION_CONNECTOR_REQUIRED'] : []),
    ...(outlets.some(({ format }) => format === 'SOCKET') ? ['UNLOCK_CAPABLE'] : []),
  ];
}

const evseIdPattern = /^[A-Z]{2}\*[A-Z0-9]{3}\*E[A-Z0-9][A-Z0-9*]{0,30}$/;

/**
 * Adds the ids that drivers read, like `NL*ABC*EHOME*0001*1`. Identities may be longer and have more kinds of characters
 * than they allow: where that leaves none, or one that another EVSE has already, the optional field is left out.
 */
function withEvseIds(evses: readonly NumberedEvse[], operator: OcpiLocationSource['operator']): readonly OcpiEvse[] {
  const taken = new Set<string>();
  return evses.map(({ identity, number, evse: { uid, ...rest } }) => {
    const local = identity.toUpperCase().replace(/[^A-Z0-9]/g, '*');
    const evseId = `${operator.countryCode}*${operator.partyId}*E${local}*${number}`.toUpperCase();
    if (taken.has(evseId) || !evseIdPattern.test(evseId)) return { uid, ...rest };
    taken.add(evseId);
    return { uid, evse_id: evseId, ...rest };
  });
}

function threeLetters(country: string): string {
  const letters = countriesData[country];
  if (letters === undefined) throw new Error(`the catalog has no country ${country}`);
  return letters;
}

const instant = (atMs: number): string => new Date(atMs).toISOString();
