// The settings of the gateway: one table that reads them, checks them, and explains them in the help text.

import { IsIPv4, IsIPv6 } from 'typebox/format';
import { Failure } from './errors.ts';

export type LogLevel = (typeof logLevels)[number];

export interface Config {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  /** Null: the one that the gateway has made for itself, in its data folder. */
  readonly jwtSecret: string | null;
  /** Null: any. */
  readonly jwtIssuer: string | null;
  readonly jwtAudience: string | null;
  /** Null: the built-in CSMS. */
  readonly defaultCsmsUrl: string | null;
  /** Null: the address that it listens on. */
  readonly publicUrl: string | null;
  /** How many processes run chargers; 0: this one does. */
  readonly workers: number | 'auto';
  /** Null: chosen by chance. */
  readonly seed: number | null;
  readonly storeSync: 'normal' | 'full';
  /** Empty: the system chooses. */
  readonly sourceAddresses: readonly string[];
}

type Key = keyof Config;

interface Setting<Name extends Key = Key> {
  /** What the help text puts in the place of the value. */
  readonly placeholder: string;
  readonly description: string;
  /** As a text, the way one would give it; absent where there is none. */
  readonly default?: string;
  /** What is read when there is neither a value nor a default. */
  readonly absent?: Config[Name];
  /** What the value must be, for the sentence that refuses it. */
  readonly allowed: string;
  /** Not repeated in sentences. */
  readonly isSecret?: boolean;
  /** Undefined: not allowed. */
  read(text: string): Config[Name] | undefined;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const oneOf =
  <const Words extends readonly string[]>(words: Words) =>
  (text: string): Words[number] | undefined =>
    words.find((word) => word === text);

const integer =
  (from: number, to: number) =>
  (text: string): number | undefined => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= from && value <= to ? value : undefined;
  };

const urlOf =
  (...protocols: readonly string[]) =>
  (text: string): string | undefined => {
    const url = URL.parse(text.replaceAll('{identity}', 'identity'));
    if (url === null || !protocols.includes(url.protocol) || url.username !== '' || url.hash !== '') return undefined;
    return text.replace(/\/+$/, '');
  };

const anyText = (text: string): string => text;
const workers = integer(0, 64);

const isAddress = (text: string): boolean => IsIPv4(text) || IsIPv6(text);

/** In the order of the help text. The name in the environment and the flag are made from the key. */
const settings: { readonly [Name in Key]: Setting<Name> } = {
  host: {
    placeholder: 'address',
    description: 'address to listen on',
    default: '127.0.0.1',
    allowed: 'an IP address or a host name',
    read: (text) => (isAddress(text) || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text) ? text : undefined),
  },
  port: {
    placeholder: 'number',
    description: 'port to listen on; 0 takes any free one',
    default: '8080',
    allowed: 'a whole number from 0 to 65535',
    read: integer(0, 65_535),
  },
  dataDir: {
    placeholder: 'folder',
    description: 'where everything that lasts is kept',
    default: './data',
    allowed: 'a folder',
    read: (text) => (text.includes('\0') ? undefined : text),
  },
  logLevel: {
    placeholder: 'level',
    description: `how much is logged: ${logLevels.join(', ')}`,
    default: 'info',
    allowed: `one of ${logLevels.join(', ')}`,
    read: oneOf(logLevels),
  },
  jwtSecret: {
    placeholder: 'text',
    description: 'secret that tokens are signed with (HS256); made and kept in the data folder when not given',
    absent: null,
    allowed: 'a text, best of 32 characters or more',
    isSecret: true,
    read: anyText,
  },
  jwtIssuer: {
    placeholder: 'text',
    description: 'issuer (iss) that tokens must name',
    absent: null,
    allowed: 'a text',
    read: anyText,
  },
  jwtAudience: {
    placeholder: 'text',
    description: 'audience (aud) that tokens must name',
    absent: null,
    allowed: 'a text',
    read: anyText,
  },
  defaultCsmsUrl: {
    placeholder: 'url',
    description: 'CSMS of chargers that name none; the built-in one when not given',
    absent: null,
    allowed: 'a ws:// or wss:// address without user name and fragment, such as wss://csms.example.com/ocpp',
    read: urlOf('ws:', 'wss:'),
  },
  publicUrl: {
    placeholder: 'url',
    description: 'where clients reach the gateway, when it is not where it listens',
    absent: null,
    allowed: 'an http:// or https:// address without user name and fragment, such as https://chargers.example.com',
    read: urlOf('http:', 'https:'),
  },
  workers: {
    placeholder: 'number',
    description: 'processes that run chargers: auto, or 0 to 64; 0 runs them in the gateway itself',
    default: 'auto',
    allowed: 'auto or a whole number from 0 to 64',
    read: (text) => (text === 'auto' ? text : workers(text)),
  },
  seed: {
    placeholder: 'number',
    description: 'seed of everything that is left to chance; another one at each start when not given',
    absent: null,
    allowed: 'a whole number from 0 to 4294967295',
    read: integer(0, 4_294_967_295),
  },
  storeSync: {
    placeholder: 'mode',
    description: 'what stored data survives: normal a crash of the gateway, full a power cut too',
    default: 'normal',
    allowed: 'normal or full',
    read: oneOf(['normal', 'full']),
  },
  sourceAddresses: {
    placeholder: 'addresses',
    description: 'local IP addresses to dial from, separated by commas; one has about 28000 ports towards one CSMS',
    absent: [],
    allowed: 'IP addresses separated by commas',
    read: (text) => {
      const addresses = text.split(',').map((address) => address.trim());
      return addresses.every(isAddress) ? addresses : undefined;
    },
  },
};

/** What a gateway on one machine cannot honour: better refused than ignored. */
const refused = ['DATABASE_URL', 'NATS_URL', 'ROLE', 'JWKS_URL', 'JWKS_FILE'];

const keys = Object.keys(settings) as readonly Key[];
const variableOf = (key: Key): string => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
const flagOf = (key: Key): string => `--${variableOf(key).toLowerCase().replaceAll('_', '-')}`;

type Values = Readonly<Record<string, string | undefined>>;

/** Flags, named as the keys of the configuration, win over the environment. An empty value is as good as none. */
export function readConfig(env: Values, flags: Values = {}): Config {
  for (const variable of refused) {
    if (env[variable])
      throw new Failure(
        'bad_setting',
        `${variable} is set, but this gateway runs on one machine with its own secret: unset it`,
      );
  }
  return Object.fromEntries(keys.map((key) => [key, readSetting(key, env, flags)])) as unknown as Config;
}

function readSetting(key: Key, env: Values, flags: Values): Config[Key] {
  const { absent, allowed, isSecret, read, default: byDefault } = settings[key] as Setting;
  const given = flags[key] || env[variableOf(key)] || byDefault;
  if (given === undefined) return absent as Config[Key];
  const value = read(given);
  if (value !== undefined) return value;
  const name = flags[key] ? flagOf(key) : variableOf(key);
  throw new Failure(
    'bad_setting',
    `${name} must be ${allowed}, not ${isSecret ? 'what it is' : JSON.stringify(given)}`,
  );
}

export interface Flag {
  readonly key: string;
  /** `--data-dir <folder>` */
  readonly syntax: string;
  /** With the variable that does the same, and the default. */
  readonly description: string;
}

/** For the command line. */
export const flags: readonly Flag[] = keys.map((key) => {
  const { placeholder, description, default: byDefault } = settings[key];
  const note = byDefault === undefined ? variableOf(key) : `${variableOf(key)}, default ${byDefault}`;
  return { key, syntax: `${flagOf(key)} <${placeholder}>`, description: `${description} (${note})` };
});
