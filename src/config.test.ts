// Checks that settings are read from flags and environment, and that bad ones are refused in one line.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { flags, readConfig } from './config.ts';
import { checkTogether } from './config-check.ts';
import { isFailure } from './errors.ts';

function refusal(env: Record<string, string>, given: Record<string, string> = {}): string {
  try {
    readConfig(env, given);
  } catch (error) {
    if (isFailure(error, 'bad_setting')) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      dataDir: './data',
      logLevel: 'info',
      jwtSecret: null,
      jwksUrl: null,
      jwksFile: null,
      jwtIssuer: null,
      jwtAudience: null,
      defaultCsmsUrl: null,
      publicUrl: null,
      workers: 'auto',
      seed: null,
      storeSync: 'normal',
      sourceAddresses: [],
      rateLimit: null,
      corsOrigins: [],
      metrics: 'loopback',
      connectRate: null,
      queueLimit: 1_000,
      commandExpiryMs: 3_600_000,
      commandMaxAgeMs: 7 * 86_400_000,
      logMaxEntries: 1_000,
      logMaxAgeMs: 86_400_000,
      eventHistory: 100_000,
      webhookAllowPrivate: false,
      webhookDisableAfterS: 86_400,
      databaseUrl: null,
      natsUrl: null,
      natsPrefix: 'chargesim',
      natsReplicas: 1,
      role: 'all',
    });
  });

  it('is read from the environment', () => {
    const config = readConfig({
      HOST: '::1',
      PORT: '0',
      WORKERS: '4',
      SEED: '42',
      STORE_SYNC: 'full',
      JWT_SECRET: 'very secret',
      DEFAULT_CSMS_URL: 'wss://csms.example.com/ocpp/',
      PUBLIC_URL: 'https://chargers.example.com/',
      SOURCE_ADDRESSES: '10.0.0.1, 10.0.0.2',
      RATE_LIMIT: '50',
      CORS_ORIGINS: 'https://console.example.com, http://localhost:5173',
      METRICS: 'open',
      LOG_MAX_ENTRIES: '20000',
      LOG_MAX_AGE: '7d',
      EVENT_HISTORY: '5000',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      WEBHOOK_DISABLE_AFTER_S: '3600',
    });
    expect(config).toMatchObject({
      host: '::1',
      port: 0,
      workers: 4,
      seed: 42,
      storeSync: 'full',
      jwtSecret: 'very secret',
      defaultCsmsUrl: 'wss://csms.example.com/ocpp',
      publicUrl: 'https://chargers.example.com',
      sourceAddresses: ['10.0.0.1', '10.0.0.2'],
      rateLimit: 50,
      corsOrigins: ['https://console.example.com', 'http://localhost:5173'],
      metrics: 'open',
      logMaxEntries: 20_000,
      logMaxAgeMs: 7 * 86_400_000,
      eventHistory: 5_000,
      webhookAllowPrivate: true,
      webhookDisableAfterS: 3_600,
    });
    expect(readConfig({ JWKS_URL: 'https://login.example.com/keys/' }).jwksUrl).toBe('https://login.example.com/keys/');
    expect(readConfig({ JWKS_FILE: '/etc/keys.json', CORS_ORIGINS: '*' })).toMatchObject({
      jwksFile: '/etc/keys.json',
      corsOrigins: ['*'],
    });
  });

  it('lets flags win over the environment', () => {
    expect(readConfig({ PORT: '1', DATA_DIR: '/a' }, { port: '2' })).toMatchObject({ port: 2, dataDir: '/a' });
    expect(readConfig({ LOG_MAX_AGE: '1h' }, { logMaxAge: '2h' })).toMatchObject({ logMaxAgeMs: 7_200_000 });
  });

  it('takes an empty value for none', () => {
    expect(readConfig({ PORT: '', JWT_SECRET: '' })).toMatchObject({ port: 8080, jwtSecret: null });
  });

  it.each([
    [{ PORT: 'eighty' }, 'PORT must be a whole number from 0 to 65535, not "eighty"'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535, not "65536"'],
    [{ PORT: '-1' }, 'PORT must be a whole number from 0 to 65535, not "-1"'],
    [{ PORT: '8e3' }, 'PORT must be a whole number from 0 to 65535, not "8e3"'],
    [{ HOST: 'a b' }, 'HOST must be an IP address or a host name, not "a b"'],
    [{ WORKERS: '65' }, 'WORKERS must be auto or a whole number from 0 to 64, not "65"'],
    [{ WORKERS: 'many' }, 'WORKERS must be auto or a whole number from 0 to 64, not "many"'],
    [{ SEED: '1.5' }, 'SEED must be a whole number from 0 to 4294967295, not "1.5"'],
    [{ STORE_SYNC: 'off' }, 'STORE_SYNC must be normal or full, not "off"'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud"'],
    [{ SOURCE_ADDRESSES: '10.0.0.1,x' }, 'SOURCE_ADDRESSES must be IP addresses separated by commas, not "10.0.0.1,x"'],
    [{ RATE_LIMIT: '0' }, 'RATE_LIMIT must be a whole number from 1 to 1000000, not "0"'],
    [{ METRICS: 'on' }, 'METRICS must be open, loopback or off, not "on"'],
    [{ LOG_MAX_ENTRIES: '0' }, 'LOG_MAX_ENTRIES must be a whole number from 1 to 1000000, not "0"'],
    [{ EVENT_HISTORY: '10' }, 'EVENT_HISTORY must be a whole number from 1000 to 10000000, not "10"'],
    [{ WEBHOOK_ALLOW_PRIVATE: 'yes' }, 'WEBHOOK_ALLOW_PRIVATE must be true or false, not "yes"'],
    [{ LOG_MAX_AGE: '24' }, 'LOG_MAX_AGE must be a time from 1m to 365d, such as 24h, not "24"'],
    [{ LOG_MAX_AGE: '30s' }, 'LOG_MAX_AGE must be a time from 1m to 365d, such as 24h, not "30s"'],
    [
      { JWKS_URL: 'login.example.com' },
      'JWKS_URL must be an http:// or https:// address without user name and fragment, not "login.example.com"',
    ],
  ])('refuses %j', (env, sentence) => {
    expect(refusal(env as unknown as Record<string, string>)).toBe(sentence);
  });

  it.each(['http://csms.example.com', 'csms', 'ws://user:word@csms.example.com', 'ws://csms.example.com/#x'])(
    'refuses %s as the address of a CSMS',
    (DEFAULT_CSMS_URL) => {
      expect(refusal({ DEFAULT_CSMS_URL })).toMatch(/^DEFAULT_CSMS_URL must be a ws:\/\/ or wss:\/\/ address/);
    },
  );

  it('names the flag when the flag is wrong', () => {
    expect(refusal({}, { storeSync: 'off' })).toBe('--store-sync must be normal or full, not "off"');
  });

  it.each(['https://console.example.com/', 'console.example.com', 'ftp://x', 'https://a.example.com,,', 'null'])(
    'refuses %s as an origin',
    (CORS_ORIGINS) => {
      expect(refusal({ CORS_ORIGINS })).toMatch(/^CORS_ORIGINS must be origins such as https:\/\/console/);
    },
  );

  it('wants one way of checking tokens', () => {
    expect(refusal({ JWT_SECRET: 'x', JWKS_URL: 'https://login.example.com/keys' })).toBe(
      'tokens are checked in one way: give only one of JWT_SECRET, JWKS_URL, JWKS_FILE, not JWT_SECRET and JWKS_URL',
    );
    expect(refusal({ JWKS_FILE: 'a' }, { jwksUrl: 'https://login.example.com' })).toMatch(
      /not JWKS_URL and JWKS_FILE$/,
    );
    expect(refusal({ JWT_SECRET: 'x', JWKS_FILE: '' })).toBe('accepted');
  });

  const shared = { DATABASE_URL: 'postgres://db/chargesim', NATS_URL: 'nats://nats:4222', JWT_SECRET: 'x' };

  it.each([
    [{ DATABASE_URL: 'postgres://db/x' }, /^DATABASE_URL is set without NATS_URL/],
    [{ NATS_URL: 'nats://nats' }, /^NATS_URL is set without DATABASE_URL/],
    [{ ROLE: 'worker' }, /^ROLE is worker, but there is nothing to share/],
    [{ ...shared, JWT_SECRET: '' }, /must accept the same tokens: set one of JWT_SECRET, JWKS_URL, JWKS_FILE$/],
    [{ ...shared, ROLE: 'worker' }, /set PUBLIC_URL or DEFAULT_CSMS_URL$/],
    [{ ...shared, ROLE: 'both' }, /^ROLE must be all, api or worker, not "both"$/],
    [
      { ...shared, DATABASE_URL: 'mysql://user:secret@db' },
      /^DATABASE_URL must be a postgres:\/\/ address .* not what it is$/,
    ],
    [{ ...shared, NATS_URL: 'http://nats' }, /^NATS_URL must be a nats:\/\/ or tls:\/\/ address/],
  ])('refuses to share a fleet with %o', (env, sentence) => {
    expect(() => checkTogether(readConfig(env))).toThrow(sentence);
  });

  it.each([
    {},
    shared,
    { ...shared, ROLE: 'api' },
    { ...shared, ROLE: 'worker', JWT_SECRET: '', PUBLIC_URL: 'http://gateway' },
  ])('accepts %o', (env) => {
    expect(() => checkTogether(readConfig(env))).not.toThrow();
  });
});

describe('the document for operators', () => {
  it('has every setting with its default', () => {
    const rows = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8').split('\n');
    for (const { variable, description } of flags) {
      const [row = ''] = rows.filter((each) => each.startsWith(`| \`${variable}\` `));
      const byDefault = / default (\S+)\)$/.exec(description)?.[1];
      expect(row, variable).toMatch(/\|.+\|.+\|.+\|/);
      if (byDefault !== undefined) expect(row.split('|')[2], variable).toContain(`\`${byDefault}\``);
    }
    const documented = rows.flatMap((row) => /^\| `([A-Z][A-Z_]+)` /.exec(row)?.[1] ?? []);
    expect(documented.toSorted()).toEqual(flags.map(({ variable }) => variable).toSorted());
  });
});

describe('the flags', () => {
  it('are named as the variables, with what they mean', () => {
    expect(flags).toHaveLength(32);
    expect(flags.find(({ name }) => name === 'dataDir')).toEqual({
      name: 'dataDir',
      variable: 'DATA_DIR',
      syntax: '--data-dir <folder>',
      description: 'where everything that lasts is kept (DATA_DIR, default ./data)',
    });
  });
});
