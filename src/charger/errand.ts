// What a charger has done for it that takes a while: files sent and fetched, keys made, certificates looked at.

import type { SecurityEvent } from './security.ts';

/** What each errand needs to know. */
interface Work {
  'send-log': {
    readonly location: string;
    readonly fileName: string;
    readonly log: 'diagnostics' | 'security';
    /** Of the security log; the diagnostics are written by whoever runs the charger. */
    readonly events: readonly SecurityEvent[];
    readonly sinceMs: number | null;
    readonly untilMs: number | null;
    readonly roots: readonly string[];
  };
  'fetch-firmware': {
    readonly location: string;
    readonly signing: { readonly certificate: string; readonly signature: string } | null;
    readonly roots: readonly string[];
  };
  'make-key': {
    readonly commonName: string;
    readonly organization: string | null;
    readonly algorithm: 'EC' | 'RSA';
  };
  'read-certificate': { readonly certificate: string; readonly others: readonly string[]; readonly atMs: number };
  'name-certificates': { readonly certificates: readonly string[]; readonly algorithm: HashAlgorithm };
  'check-chain': {
    readonly chain: string;
    readonly key: string | null;
    readonly roots: readonly string[];
    readonly atMs: number;
  };
}

/** What it comes back with. */
interface Results {
  'send-log': { readonly trouble: TransferTrouble | null };
  /** `isSigned` is null where no signature was asked about. */
  'fetch-firmware': { readonly trouble: TransferTrouble | null; readonly isSigned: boolean | null };
  'make-key': { readonly key: string; readonly csr: string } | null;
  /** `problem`: why it is no certificate to be trusted as an authority. */
  'read-certificate': { readonly problem: string | null; readonly isSignedByOther: boolean };
  /** In the order of the certificates; null for one that cannot be read. */
  'name-certificates': { readonly names: readonly (CertificateName | null)[] };
  'check-chain': { readonly problem: string | null };
}

export type TransferTrouble = 'unsupported' | 'denied' | 'failed';
export type HashAlgorithm = 'SHA256' | 'SHA384' | 'SHA512';

/** How OCPP names a certificate. */
export interface CertificateName {
  readonly hashAlgorithm: HashAlgorithm;
  readonly issuerNameHash: string;
  readonly issuerKeyHash: string;
  readonly serialNumber: string;
}

export type ErrandKind = keyof Work;
/** `id` tells it from the charger's other errands. */
export type ErrandOf<Kind extends ErrandKind> = { readonly kind: Kind; readonly id: string } & Work[Kind];
export type Errand = { [Kind in ErrandKind]: ErrandOf<Kind> }[ErrandKind];

export type ResultOf<Kind extends ErrandKind> = { readonly kind: Kind } & { readonly result: Results[Kind] };
export type ErrandResult = { [Kind in ErrandKind]: ResultOf<Kind> }[ErrandKind];
