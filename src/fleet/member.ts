// From a deployment to a charger that can run: its name plate, its outlets, its CSMS.

import { certificatesIn } from '../charger/certificates.ts';
import type { Charger } from '../charger/charger.ts';
import { dialling } from '../charger/credentials.ts';
import type { BootReason } from '../charger/report.ts';
import type { Credentials } from '../charger/security.ts';
import { connectorKind, type Station } from '../charger/station.ts';
import type { Dialect } from '../ocpp/dialect.ts';
import type { LinkRequest } from '../ports/link.ts';
import type { QueuedCommand } from '../ports/queue.ts';
import type { ChargerRecord, FleetMember, SecuritySettings } from '../ports/store.ts';

/**
 * What a fleet is told: a charger to run, one to forget, a command. In order, per charger. A charger comes with the commands that
 * waited for it when it was read from the store; one that is running already has them.
 */
export type Delivery =
  | {
      readonly kind: 'member';
      readonly member: FleetMember;
      readonly url: string;
      readonly pending: readonly QueuedCommand[];
      /** Of the tenure under which it is taken over; absent where one process owns all chargers. */
      readonly epoch?: number | undefined;
    }
  | { readonly kind: 'gone'; readonly chargerId: string }
  | { readonly kind: 'command'; readonly command: QueuedCommand };

/** What a charger begins to run with. */
export interface RunnerStart {
  readonly record: ChargerRecord;
  readonly url: string;
  readonly dialect: Dialect;
  /** Null for a charger that has never run. */
  readonly memory: string | null;
  readonly reason: BootReason;
  /** Commands that were accepted and have not been begun. */
  readonly waiting: readonly QueuedCommand[];
  readonly epoch: number | undefined;
}

/** What `null` in a deployment means. */
export const defaultVersion = '1.6';

export function stationOf(record: ChargerRecord): Station {
  return {
    identity: record.identity,
    vendorName: shared(record.vendorName ?? 'ChargeSim'),
    model: shared(record.model ?? 'Virtual'),
    serialNumber: record.identity,
    firmwareVersion: '1.0.0',
    connectors: connectorsOf(record),
    maxPowerW: record.maxChargingPowerW,
    seed: record.seed,
    ...(record.security === null || record.security.profile === 0
      ? {}
      : { credentials: credentialsOf(record.security) }),
  };
}

/** The base with the identity appended, or put where the base says `{identity}`. */
export function csmsUrl(base: string, identity: string): string {
  const encoded = encodeURIComponent(identity);
  if (base.includes('{identity}')) return base.replaceAll('{identity}', encoded);
  return `${base.replace(/\/+$/, '')}/${encoded}`;
}

const credentialsOf = ({
  profile,
  basicPassword,
  caPem,
  clientCertPem,
  clientKeyPem,
}: SecuritySettings): Credentials => ({
  profile,
  password: basicPassword ?? null,
  roots: caPem === undefined ? [] : certificatesIn(caPem),
  certificate: clientCertPem ?? null,
  key: clientKeyPem ?? null,
});

/** How it dials: who it says it is, and whom it trusts, follow from its security profile. */
export function linkRequest(charger: Charger, url: string, subprotocol: string): LinkRequest {
  const { profile, password, roots, own } = dialling(charger);
  // A charger whose profile was raised from afar dials the same place over TLS.
  const request = { url: profile >= 2 ? url.replace(/^ws:/, 'wss:') : url, protocols: [subprotocol] };
  if (profile === 0) return request;
  const { identity } = charger.station;
  return {
    ...request,
    ...(password === null ? {} : { basicAuth: { user: identity, password: bytesOf(password) } }),
    ...(profile === 1
      ? {}
      : {
          tls: {
            ...(roots.length === 0 ? {} : { ca: roots.join('\n') }),
            ...(own === null ? {} : { cert: own.certificate, key: own.key }),
          },
        }),
  };
}

const bytesOf = ({ text, isHex }: { readonly text: string; readonly isHex: boolean }): Uint8Array =>
  Buffer.from(text, isHex ? 'hex' : 'utf8');

// Chargers of a kind share one layout and one name: thousands of equal copies would cost more than the chargers themselves.
const maxShared = 10_000;
const layouts = new Map<string, Station['connectors']>();
const words = new Map<string, string>();

function connectorsOf(record: ChargerRecord): Station['connectors'] {
  const key = JSON.stringify(record.layout);
  let connectors = layouts.get(key);
  if (connectors === undefined) {
    connectors = record.layout.map((outlet) => ({
      evseId: outlet.evseId,
      connectorId: outlet.connectorId,
      type: outlet.type,
      ...connectorKind(outlet.type, outlet.maxPowerW),
      hasLock: outlet.format === 'SOCKET',
      maxPowerW: outlet.maxPowerW,
    }));
    if (layouts.size >= maxShared) layouts.clear();
    layouts.set(key, connectors);
  }
  return connectors;
}

function shared(word: string): string {
  const known = words.get(word);
  if (known !== undefined) return known;
  if (words.size >= maxShared) words.clear();
  words.set(word, word);
  return word;
}
