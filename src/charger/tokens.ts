// The tokens that a charger knows by itself: its local list, and the cache of what the CSMS has said before.

import type { TokenInfo } from './report.ts';

export interface LocalList {
  /** 0 for an empty list that was never filled. */
  readonly version: number;
  readonly entries: Readonly<Record<string, TokenInfo>>;
}

/** The most recently learnt last. */
export type TokenCache = readonly CachedToken[];

export interface CachedToken {
  readonly key: string;
  readonly info: TokenInfo;
}

export const emptyList: LocalList = Object.freeze({ version: 0, entries: Object.freeze({}) });
export const emptyCache: TokenCache = Object.freeze([]);

/** Past this many the one that was learnt longest ago goes. */
export const maxCached = 500;
export const maxListed = 10_000;

/** Tokens are the same in upper and lower case. */
export const tokenKey = (idTag: string): string => idTag.toLowerCase();

export const sameToken = (one: string, other: string): boolean => tokenKey(one) === tokenKey(other);

export function listed(list: LocalList, idTag: string): TokenInfo | null {
  const key = tokenKey(idTag);
  return Object.hasOwn(list.entries, key) ? (list.entries[key] ?? null) : null;
}

export function cached(cache: TokenCache, idTag: string): TokenInfo | null {
  const key = tokenKey(idTag);
  return cache.find((entry) => entry.key === key)?.info ?? null;
}

export function withCached(cache: TokenCache, idTag: string, info: TokenInfo): TokenCache {
  const key = tokenKey(idTag);
  const others = cache.filter((entry) => entry.key !== key);
  return [...others.slice(Math.max(0, others.length + 1 - maxCached)), { key, info }];
}

/** What a token is worth now: one past its date has expired, whatever it was. */
export const statusNow = (info: TokenInfo, atMs: number): string =>
  info.status === 'Accepted' && info.expiresAtMs !== null && info.expiresAtMs <= atMs ? 'Expired' : info.status;

export interface ListUpdate {
  readonly version: number;
  readonly full: boolean;
  /** `info` null removes the token; only a differential update may do that. */
  readonly entries: readonly { readonly idTag: string; readonly info: TokenInfo | null }[];
}

export type ListOutcome =
  | { readonly status: 'Accepted'; readonly list: LocalList; readonly deleted: number }
  | { readonly status: 'Failed' | 'VersionMismatch'; readonly sentence: string };

/** All or nothing. Whether the version must rise for a full update too is the caller's to say. */
export function updateList(list: LocalList, update: ListUpdate, most: number): ListOutcome {
  const seen = new Set<string>();
  // A map, because a token may be called like a property that every object has.
  const entries = new Map(update.full ? [] : Object.entries(list.entries));
  let deleted = update.full ? Object.keys(list.entries).length : 0;
  for (const { idTag, info } of update.entries) {
    const key = tokenKey(idTag);
    if (seen.has(key)) return { status: 'Failed', sentence: `duplicate id_tag ${idTag}` };
    if (info === null && update.full) return { status: 'Failed', sentence: `a full list cannot remove ${idTag}` };
    seen.add(key);
    if (info !== null) entries.set(key, info);
    else if (entries.delete(key)) deleted++;
  }
  if (entries.size > most) return { status: 'Failed', sentence: `the list would exceed ${most} entries` };
  return { status: 'Accepted', list: { version: update.version, entries: Object.fromEntries(entries) }, deleted };
}
