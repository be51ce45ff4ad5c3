// Every operation, driven with input made from the description: nothing breaks it, and every answer is as described.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayHere, startCsms, token } from './gateway.ts';
import { Description } from './interface.ts';
import { type Effort, Requests } from './requests.ts';

/** `PROPERTY_SEED` and `PROPERTY_REQUESTS` go before what is given. */
export function testInterface(given: Effort): void {
  const seed = Number(process.env['PROPERTY_SEED'] ?? given.seed);
  const requests = Number(process.env['PROPERTY_REQUESTS'] ?? given.requests);

  describe('the interface', () => {
    let world: Awaited<ReturnType<typeof gatewayHere>>;
    let csms: Awaited<ReturnType<typeof startCsms>>;
    let driven: Requests;

    beforeAll(async () => {
      world = await gatewayHere();
      csms = await startCsms();
    });
    afterAll(async () => {
      await world.close();
      await csms.close(driven.unchecked);
    });

    it(`answers ${requests} requests of every kind as it is described (PROPERTY_SEED=${seed})`, async () => {
      const { client, gateway } = world;
      const description = await Description.of(gateway.url);
      driven = new Requests({ description, client, bearer: await token(), csmsUrls: [csms.url] });
      await driven.drive({ seed, requests, lanes: given.lanes });
      const sent = [...driven.sent.values()].reduce((sum, each) => sum + each, 0);
      expect(sent).toBeGreaterThanOrEqual(requests);
      const ids = description.operations.map(({ id }) => id);
      expect(
        ids.filter((id) => !driven.done.has(id)),
        'operations that no good request has done',
      ).toEqual([]);
      expect((await client.get('/readyz')).status).toBe('ok');
    });

    it('leaves no charger crashed, and has made none send anything that OCPP does not allow', async () => {
      const { data } = await world.client.get('/ocpp/chargers?limit=100');
      for (const { identity } of data) {
        const { runtime } = await world.client.live(identity);
        expect(runtime.actual, runtime.last_error).not.toBe('crashed');
      }
      const violations = csms.recorder.violations().filter(({ identity }) => !driven.unchecked.has(identity));
      expect(violations).toEqual([]);
    });
  });
}
