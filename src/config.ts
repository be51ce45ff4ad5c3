// The settings of the gateway: one table that reads them, checks them, and explains them in the help text.

import { Failure } from './errors.ts';
import { anyText, duration, integer, isAddress, oneOf, origins, pageUrl, path, urlOf } from './setting-readers.ts';

export type LogLevel = (typeof logLevels)[number];

export interface Config {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  /** Of this and the two below one at most is given; none: the secret that the gateway has made for itself, in its data folder. */
  readonly jwtSecret: string | null;
  readonly jwksUrl: string | null;
  readonly jwksFile: string | null;
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
  /** Requests per second of one tenant; null: as many as there are. */
  readonly rateLimit: number | null;
  /** Web pages of these origins may call; `*`: of all. */
  readonly corsOrigins: readonly string[];
  /** Who may read the metrics. */
  readonly metrics: 'open' | 'loopback' | 'off';
  /** Connections that each fleet process opens per second; null: as many as can be. */
  readonly connectRate: number | null;
  /** Commands that may wait for one charger. */
  readonly queueLimit: number;
  /** How long a command waits for a charger that stays stopped. */
  readonly commandExpiryMs: number;
  /** How long it can be read after it has ended. */
  readonly commandMaxAgeMs: number;
  /** What is kept of a charger's log. */
  readonly logMaxEntries: number;
  readonly logMaxAgeMs: number;
  /** Events that are kept for those who come back. */
  readonly eventHistory: number;
  /** Whether webhooks may lead to this machine and into private networks; they may anyway while only this machine can call. */
  readonly webhookAllowPrivate: boolean;
  /** Without one success for so long a webhook is disabled. */
  readonly webhookDisableAfterS: number;
  /** The database and the message server that many processes share; null: one gateway with its own. Both or none. */
  readonly databaseUrl: string | null;
  readonly natsUrl: string | null;
  readonly natsPrefix: string;
  readonly natsReplicas: number;
  /** What this process does of it: answer requests, run chargers, or both. */
  readonly role: 'all' | 'api' | 'worker';
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

const workers = integer(0, 64);

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
    read: path,
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
  jwksUrl: {
    placeholder: 'url',
    description: 'address of the public keys (a JWKS) that tokens are checked with, instead of a secret',
    absent: null,
    allowed: 'an http:// or https:// address without user name and fragment',
    read: pageUrl,
  },
  jwksFile: {
    placeholder: 'file',
    description: 'file with these keys, read again when it changes',
    absent: null,
    allowed: 'a file',
    read: path,
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
  rateLimit: {
    placeholder: 'number',
    description: 'requests per second that one tenant may make, twice as many at once; no limit when not given',
    absent: null,
    allowed: 'a whole number from 1 to 1000000',
    read: integer(1, 1_000_000),
  },
  corsOrigins: {
    placeholder: 'origins',
    description: 'origins whose web pages may call, separated by commas, or *; none when not given',
    absent: [],
    allowed: 'origins such as https://console.example.com, separated by commas, or *',
    read: origins,
  },
  metrics: {
    placeholder: 'whom',
    description: 'who may read /metrics: open (everybody), loopback (this machine), off (nobody)',
    default: 'loopback',
    allowed: 'open, loopback or off',
    read: oneOf(['open', 'loopback', 'off']),
  },
  connectRate: {
    placeholder: 'number',
    description:
      'connections that each fleet process opens per second, so that a CSMS does not drown; no limit when not given',
    absent: null,
    allowed: 'a whole number from 1 to 100000',
    read: integer(1, 100_000),
  },
  queueLimit: {
    placeholder: 'number',
    description: 'commands that may wait for one charger; those beyond are refused',
    default: '1000',
    allowed: 'a whole number from 1 to 100000',
    read: integer(1, 100_000),
  },
  commandExpiryMs: {
    placeholder: 'time',
    description: 'how long a command waits for a charger that stays stopped before it fails',
    default: '1h',
    allowed: 'a time from 1s to 365d, such as 1h',
    read: duration(1_000, 365 * 86_400_000),
  },
  commandMaxAgeMs: {
    placeholder: 'time',
    description: 'how long a command can be read after it has ended',
    default: '7d',
    allowed: 'a time from 1m to 365d, such as 7d',
    read: duration(60_000, 365 * 86_400_000),
  },
  logMaxEntries: {
    placeholder: 'number',
    description: 'entries that are kept of the log of each charger',
    default: '1000',
    allowed: 'a whole number from 1 to 1000000',
    read: integer(1, 1_000_000),
  },
  logMaxAgeMs: {
    placeholder: 'time',
    description: 'how long an entry is kept: 90s, 15m, 24h, 7d',
    default: '24h',
    allowed: 'a time from 1m to 365d, such as 24h',
    read: duration(60_000, 365 * 86_400_000),
  },
  eventHistory: {
    placeholder: 'number',
    description: 'events that are kept, for event streams and webhooks that have fallen behind',
    default: '100000',
    allowed: 'a whole number from 1000 to 10000000',
    read: integer(1_000, 10_000_000),
  },
  webhookAllowPrivate: {
    placeholder: 'boolean',
    description:
      'whether webhooks may lead to this machine and into private networks: true or false; they may while HOST is a loopback address',
    default: 'false',
    allowed: 'true or false',
    read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  },
  webhookDisableAfterS: {
    placeholder: 'seconds',
    description: 'a webhook to which nothing could be delivered for so long is disabled',
    default: '86400',
    allowed: 'a whole number from 60 to 31536000',
    read: integer(60, 31_536_000),
  },
  databaseUrl: {
    placeholder: 'url',
    description: 'PostgreSQL database that many processes share, with NATS_URL; its own store when not given',
    absent: null,
    allowed: 'a postgres:// address such as postgres://user:password@db.example.com/chargesim',
    isSecret: true,
    read: (text) => (/^postgres(?:ql)?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined),
  },
  natsUrl: {
    placeholder: 'url',
    description: 'NATS server with JetStream that they share, several of a cluster with commas between',
    absent: null,
    allowed: 'a nats:// or tls:// address such as nats://nats.example.com:4222, several with commas between',
    isSecret: true,
    read: (text) => {
      const urls = text.split(',').map((one) => URL.parse(one.trim()));
      return urls.every((url) => /^(?:nats|tls):$/.test(url?.protocol ?? '') && url?.host !== '') ? text : undefined;
    },
  },
  natsPrefix: {
    placeholder: 'word',
    description: 'first word of all names in NATS: fleets that share a server differ in it',
    default: 'chargesim',
    allowed: 'letters, digits, - and _, at most 32',
    read: (text) => (/^[\w-]{1,32}$/.test(text) ? text : undefined),
  },
  natsReplicas: {
    placeholder: 'number',
    description: 'on how many servers of a NATS cluster what lasts is kept',
    default: '1',
    allowed: 'a whole number from 1 to 5',
    read: integer(1, 5),
  },
  role: {
    placeholder: 'role',
    description: 'what this process does where many share a fleet: api (answer requests), worker (run chargers), all',
    default: 'all',
    allowed: 'all, api or worker',
    read: oneOf(['all', 'api', 'worker']),
  },
};

/** Tokens are checked in one way: two would leave open which of them counts. */
const tokenKeys: readonly Key[] = ['jwtSecret', 'jwksUrl', 'jwksFile'];

const keys = Object.keys(settings) as readonly Key[];
/** A unit is that of the value, and no part of the name that people give. */
const nameOf = (key: Key): string => key.replace(/Ms$/, '');
const variableOf = (key: Key): string =>
  nameOf(key)
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase();
const flagOf = (key: Key): string => `--${variableOf(key).toLowerCase().replaceAll('_', '-')}`;

type Values = Readonly<Record<string, string | undefined>>;

/** Flags, by the names in `flags`, win over the environment. An empty value is as good as none. */
export function readConfig(env: Values, flags: Values = {}): Config {
  const given = tokenKeys.filter((key) => flags[nameOf(key)] || env[variableOf(key)]);
  if (given.length > 1) {
    throw new Failure(
      'bad_setting',
      `tokens are checked in one way: give only one of ${tokenKeys.map(variableOf).join(', ')}, not ${given.map(variableOf).join(' and ')}`,
    );
  }
  return Object.fromEntries(keys.map((key) => [key, readSetting(key, env, flags)])) as unknown as Config;
}

function readSetting(key: Key, env: Values, flags: Values): Config[Key] {
  const { absent, allowed, isSecret, read, default: byDefault } = settings[key] as Setting;
  const given = flags[nameOf(key)] || env[variableOf(key)] || byDefault;
  if (given === undefined) return absent as Config[Key];
  const value = read(given);
  if (value !== undefined) return value;
  const name = flags[nameOf(key)] ? flagOf(key) : variableOf(key);
  throw new Failure(
    'bad_setting',
    `${name} must be ${allowed}, not ${isSecret ? 'what it is' : JSON.stringify(given)}`,
  );
}

export interface Flag {
  /** `dataDir` */
  readonly name: string;
  /** Its name in the environment. */
  readonly variable: string;
  /** `--data-dir <folder>` */
  readonly syntax: string;
  /** With the variable that does the same, and the default. */
  readonly description: string;
}

/** For the command line. */
export const flags: readonly Flag[] = keys.map((key) => {
  const { placeholder, description, default: byDefault } = settings[key];
  const note = byDefault === undefined ? variableOf(key) : `${variableOf(key)}, default ${byDefault}`;
  return {
    name: nameOf(key),
    variable: variableOf(key),
    syntax: `${flagOf(key)} <${placeholder}>`,
    description: `${description} (${note})`,
  };
});
