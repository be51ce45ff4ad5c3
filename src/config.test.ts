// Checks that settings are read from flags and environment, and that bad ones are refused in one line.
import { describe, expect, it } from 'vitest';
import { flags, readConfig } from './config.ts';
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
      jwtIssuer: null,
      jwtAudience: null,
      defaultCsmsUrl: null,
      publicUrl: null,
      workers: 'auto',
      seed: null,
      storeSync: 'normal',
      sourceAddresses: [],
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
    });
  });

  it('lets flags win over the environment', () => {
    expect(readConfig({ PORT: '1', DATA_DIR: '/a' }, { port: '2' })).toMatchObject({ port: 2, dataDir: '/a' });
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

  it.each(['DATABASE_URL', 'NATS_URL', 'ROLE', 'JWKS_URL', 'JWKS_FILE'])(
    'refuses %s instead of ignoring it',
    (name) => {
      expect(refusal({ [name]: 'x' })).toMatch(new RegExp(`^${name} is set, but`));
    },
  );
});

describe('the flags', () => {
  it('are named as the variables, with what they mean', () => {
    expect(flags).toHaveLength(13);
    expect(flags.find(({ key }) => key === 'dataDir')).toEqual({
      key: 'dataDir',
      syntax: '--data-dir <folder>',
      description: 'where everything that lasts is kept (DATA_DIR, default ./data)',
    });
  });
});
