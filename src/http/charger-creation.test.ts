// Checks which identities there may be, what chargers of catalog models are built as, and which credentials go with which security profile.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Front, startFront } from '../../test/http-front.ts';
import type { NewCharger } from './charger-schema.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront();
});
beforeEach(() => front.newTenant());
afterAll(() => front.close());

const create = (body: unknown) => front.call('POST', '/ocpp/chargers', { body });

const terra = '224dd290-ea16-5140-9c96-90da4463ab9a';

describe('an identity', () => {
  it.each(['.', '..'])('that no address can name is 422: %s', async (identity) => {
    const errors = [{ field: 'identity', message: 'must not be . or ..' }];
    expect(await create({ identity })).toMatchObject({ status: 422, body: { errors } });
  });

  it.each(['...', '.-', '__proto__', 'constructor', 'CP|1@=+*'])('may be odd: %s', async (identity) => {
    expect(await create({ identity })).toMatchObject({ status: 202, body: { identity } });
    const path = `/ocpp/simulators/${encodeURIComponent(identity)}`;
    expect(await front.call('GET', path)).toMatchObject({ status: 200, body: { identity } });
  });
});

describe('a charger of a catalog model', () => {
  const stored = async (body: NewCharger) => {
    const reply = await create({ model_id: terra, ...body });
    expect(reply.status).toBe(202);
    return { body: reply.body, record: await front.store.charger(front.org, reply.body.id) };
  };

  it('is laid out, named and drawn as the model is', async () => {
    const { body, record } = await stored({});
    expect(body).toMatchObject({
      vendor_name: 'ABB E-mobility',
      model: 'Terra 54 CJG',
      model_id: terra,
      image_url: 'http://127.0.0.1:8080/images/models/abb-e-mobility/terra-54-cjg.svg',
      number_of_connectors: 3,
      max_charging_power: 93_000,
      connector_type: 'CCS2',
    });
    expect(record?.layout).toEqual([
      { evseId: 1, connectorId: 1, type: 'CCS2', format: 'CABLE', maxPowerW: 50_000 },
      { evseId: 1, connectorId: 2, type: 'CHAdeMO', format: 'CABLE', maxPowerW: 50_000 },
      { evseId: 2, connectorId: 1, type: 'Type2', format: 'CABLE', maxPowerW: 43_000 },
    ]);
  });

  it('may be called otherwise, and be installed with less power', async () => {
    const { body, record } = await stored({ vendor_name: 'Me', model: 'Mine', max_charging_power: 45_000 });
    expect(body).toMatchObject({ vendor_name: 'Me', model: 'Mine', max_charging_power: 45_000, model_id: terra });
    expect(record?.layout.map(({ maxPowerW }) => maxPowerW)).toEqual([45_000, 45_000, 43_000]);
  });

  it.each(['CCS2', 'CHAdeMO'] as const)('may say which of its strongest connectors counts: %s', async (type) => {
    expect((await stored({ connector_type: type })).body.connector_type).toBe(type);
  });

  it.each([
    [{ max_charging_power: 93_001 }, `model ${terra} gives at most 93000 W`],
    [{ connector_type: 'Type2' }, 'the strongest connector of this model is CCS2 or CHAdeMO, not Type2'],
  ])('is 400 with %j', async (body, detail) => {
    expect(await create({ model_id: terra, ...body })).toMatchObject({ status: 400, body: { detail } });
    expect(front.items).toEqual([]);
  });
});

describe('the security of a charger', () => {
  const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
  const key = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n';
  const ws_url = 'wss://csms.example.com';

  it.each([
    [{ security: { profile: 0 } }, { profile: 0 }],
    [{ security: { profile: 1, basic_password: 'secret' } }, { profile: 1, basicPassword: 'secret' }],
    [
      { security: { profile: 2, basic_password: 'secret', ca_pem: certificate.repeat(2) }, ws_url },
      { profile: 2, basicPassword: 'secret', caPem: certificate.repeat(2) },
    ],
    [
      { security: { profile: 3, client_cert_pem: certificate, client_key_pem: key, basic_password: null }, ws_url },
      { profile: 3, clientCertPem: certificate, clientKeyPem: key },
    ],
  ])('of %j is kept, and never shown', async (sent, kept) => {
    const { status, body } = await create(sent);
    expect(status).toBe(202);
    expect((await front.store.charger(front.org, body.id))?.security).toEqual(kept);
    const shown = await front.call('GET', `/ocpp/chargers/${body.id}`);
    expect(JSON.stringify([body, shown.body])).not.toMatch(/secret|PRIVATE|CERTIFICATE|security/);
  });

  const ecKey = '-----BEGIN EC PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n';
  it.each([
    [{ profile: 0, ca_pem: certificate }, 'security.ca_pem', 'must not be given with profile 0'],
    [{ profile: 1 }, 'security.basic_password', 'is required with profile 1'],
    [{ profile: 2 }, 'security.basic_password', 'is required with profile 2'],
    [{ profile: 3, client_cert_pem: certificate }, 'security.client_key_pem', 'is required with profile 3'],
    [{ profile: 3, client_key_pem: key }, 'security.client_cert_pem', 'is required with profile 3'],
    [
      { profile: 2, basic_password: 'x', client_key_pem: key },
      'security.client_key_pem',
      'must not be given with profile 2',
    ],
    [{ profile: 2, basic_password: 'x', ca_pem: 'x' }, 'security.ca_pem', 'must be certificates in PEM'],
    [
      { profile: 3, client_cert_pem: key, client_key_pem: key },
      'security.client_cert_pem',
      'must be a certificate in PEM',
    ],
    [
      { profile: 3, client_cert_pem: certificate, client_key_pem: ecKey },
      'security.client_key_pem',
      'must be a private key in PEM, not encrypted',
    ],
  ])('of %j is 422', async (security, field, message) => {
    const { status, body } = await create({ security, ws_url });
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field, message }]);
  });

  it.each([{ ws_url: 'ws://csms.example.com' }, {}])(
    'of profile 2 is 422 with %j, which is not encrypted',
    async (url) => {
      const { status, body } = await create({ security: { profile: 2, basic_password: 'x' }, ...url });
      expect(status).toBe(422);
      const message = 'must be a wss:// address with security profile 2';
      expect(body.errors).toEqual([{ field: 'ws_url', message }]);
    },
  );
});
