// Reads the text of a setting: its value, or undefined when it is not allowed.

import { IsIPv4, IsIPv6 } from 'typebox/format';

export const oneOf =
  <const Words extends readonly string[]>(words: Words) =>
  (text: string): Words[number] | undefined =>
    words.find((word) => word === text);

export const integer =
  (from: number, to: number) =>
  (text: string): number | undefined => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= from && value <= to ? value : undefined;
  };

export const urlOf =
  (...protocols: readonly string[]) =>
  (text: string): string | undefined => {
    const url = URL.parse(text.replaceAll('{identity}', 'identity'));
    if (url === null || !protocols.includes(url.protocol) || url.username !== '' || url.hash !== '') return undefined;
    return text.replace(/\/+$/, '');
  };

export const pageUrl = (text: string): string | undefined => {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '') return undefined;
  return url.hash === '' ? text : undefined;
};

export const origins = (text: string): readonly string[] | undefined => {
  const given = [...new Set(text.split(',').map((origin) => origin.trim()))];
  const isOrigin = (origin: string) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin;
  return given.every((origin) => origin === '*' || isOrigin(origin)) ? given : undefined;
};

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `15m`, `8h`, `30d` in milliseconds; undefined when it is none, or not within these. */
export const duration =
  (fromMs: number, toMs: number) =>
  (text: string): number | undefined => {
    const [, amount, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
    const ms = Number(amount) * (unitMs[unit ?? ''] ?? Number.NaN);
    return ms >= fromMs && ms <= toMs ? ms : undefined;
  };

export const anyText = (text: string): string => text;
export const path = (text: string): string | undefined => (text.includes('\0') ? undefined : text);

export const isAddress = (text: string): boolean => IsIPv4(text) || IsIPv6(text);
