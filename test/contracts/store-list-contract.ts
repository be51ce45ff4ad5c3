// What every store promises about pages of chargers.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChargerFilter } from '../../src/ports/store.ts';
import type { ProvisioningStatus } from '../../src/provisioning/provisioning.ts';
import { chargerRecord, chargerRecords, idOf, type Opened, turnsDuring } from './store-samples.ts';

export function describeChargerLists(name: string, open: () => Promise<Opened>): void {
  describe(`pages of chargers (${name})`, () => {
    let opened: Opened;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened.close();
    });
    const list = async (filter: ChargerFilter, page = 1, limit = 10) => {
      const { items, total } = await opened.store.listChargers('acme', filter, page, limit);
      return { identities: items.map(({ identity }) => identity), total };
    };

    it('come newest first, whole, and empty past the end', async () => {
      await opened.store.createChargers([chargerRecord(2), chargerRecord(5), chargerRecord(1), chargerRecord(4)]);
      await opened.store.createChargers([chargerRecord(3), chargerRecord(9, { org: 'other' })]);
      expect(await list({}, 1, 2)).toEqual({ identities: ['CP-5', 'CP-4'], total: 5 });
      expect(await list({}, 3, 2)).toEqual({ identities: ['CP-1'], total: 5 });
      expect(await list({}, 4, 2)).toEqual({ identities: [], total: 5 });
      expect((await opened.store.listChargers('acme', {}, 1, 1)).items).toEqual([chargerRecord(5)]);
    });

    it('can be narrowed by location, version, desired state and all of them', async () => {
      await opened.store.createChargers([
        chargerRecord(1, { locationId: 'L-1', ocppVersion: '1.6', desired: 'running' }),
        chargerRecord(2, { locationId: 'L-1', ocppVersion: '2.0.1', desired: 'stopped' }),
        chargerRecord(3, { locationId: 'L-2', ocppVersion: '2.0.1', desired: 'running' }),
        chargerRecord(4, { locationId: null, ocppVersion: null, desired: 'stopped' }),
        chargerRecord(5, { locationId: 'L-1', ocppVersion: '1.6', desired: 'stopped' }),
      ]);
      expect(await list({ locationId: 'L-1' })).toEqual({ identities: ['CP-5', 'CP-2', 'CP-1'], total: 3 });
      expect(await list({ ocppVersion: '2.0.1' })).toEqual({ identities: ['CP-3', 'CP-2'], total: 2 });
      expect(await list({ desired: 'stopped' })).toEqual({ identities: ['CP-5', 'CP-4', 'CP-2'], total: 3 });
      expect(await list({ locationId: 'L-1', desired: 'stopped' }, 2, 1)).toEqual({ identities: ['CP-2'], total: 2 });
      expect(await list({ locationId: 'L-1', ocppVersion: '1.6', desired: 'running', search: 'cp' })).toEqual({
        identities: ['CP-1'],
        total: 1,
      });
      for (const locationId of ['NULL', '', '=', 'L-1 ', '=L-1']) {
        expect(await list({ locationId })).toEqual({ identities: [], total: 0 });
      }
      expect(await list({ ocppVersion: '2.1' })).toEqual({ identities: [], total: 0 });
    });

    it('can be narrowed by how far chargers have come, together with everything else, and follow as they go on', async () => {
      const provisioning = (status: ProvisioningStatus) => ({ ...chargerRecord(1).provisioning, status });
      await opened.store.createChargers([
        ...chargerRecords(1, 3, { locationId: 'L-1' }),
        ...chargerRecords(4, 3, { ocppVersion: '2.1', provisioning: provisioning('ready') }),
        chargerRecord(7, { desired: 'stopped', provisioning: provisioning('ready') }),
        chargerRecord(9, { org: 'other' }),
      ]);
      expect(await list({ provisioningStatus: 'pending' })).toEqual({ identities: ['CP-3', 'CP-2', 'CP-1'], total: 3 });
      expect(await list({ provisioningStatus: 'ready' }, 2, 3)).toEqual({ identities: ['CP-4'], total: 4 });
      expect(await list({ provisioningStatus: 'failed' })).toEqual({ identities: [], total: 0 });
      await opened.store.commit([
        { chargerId: idOf(1), provisioning: provisioning('provisioning') },
        { chargerId: idOf(2), provisioning: provisioning('failed') },
        { chargerId: idOf(3), provisioning: provisioning('pending') },
        { chargerId: idOf(4), provisioning: provisioning('failed') },
      ]);
      for (const [filter, ...identities] of [
        [{ provisioningStatus: 'pending' }, 'CP-3'],
        [{ provisioningStatus: 'provisioning' }, 'CP-1'],
        [{ provisioningStatus: 'failed' }, 'CP-4', 'CP-2'],
        [{ provisioningStatus: 'failed', locationId: 'L-1' }, 'CP-2'],
        [{ provisioningStatus: 'failed', ocppVersion: '2.1' }, 'CP-4'],
        [{ provisioningStatus: 'ready', ocppVersion: '2.1', desired: 'running' }, 'CP-6', 'CP-5'],
        [{ provisioningStatus: 'ready', desired: 'stopped', search: '7' }, 'CP-7'],
        [{ provisioningStatus: 'ready', desired: 'stopped', locationId: 'L-1' }],
        [{ provisioningStatus: 'ready', search: 'cp' }, 'CP-7', 'CP-6', 'CP-5'],
      ] as const) {
        expect(await list(filter), JSON.stringify(filter)).toEqual({ identities, total: identities.length });
      }
    });

    it('can be searched by a part of the identity or of the name, in upper or lower case of any alphabet', async () => {
      await opened.store.createChargers([
        chargerRecord(1, { identity: 'DE-Köln-1', name: null }),
        chargerRecord(2, { identity: 'X2', name: 'Garage KÖLN' }),
        chargerRecord(3, { identity: 'X3', name: 'Зарядка' }),
      ]);
      expect(await list({ search: 'köln' })).toEqual({ identities: ['X2', 'DE-Köln-1'], total: 2 });
      expect(await list({ search: 'E-K' })).toEqual({ identities: ['DE-Köln-1'], total: 1 });
      expect(await list({ search: 'ЗАРЯД' })).toEqual({ identities: ['X3'], total: 1 });
      expect(await list({ search: 'null' })).toEqual({ identities: [], total: 0 });
      expect((await list({ search: '' })).total).toBe(3);
    });

    it('take every character of a search for itself', async () => {
      const names = ['100% green', '100 green', 'snake_case', 'snakeXcase', 'back\\slash', "o'clock", 'a*b?', '[a-z]'];
      await opened.store.createChargers(names.map((text, index) => chargerRecord(index, { name: text })));
      for (const [search, found] of [
        ['0%', ['CP-0']],
        ['e_c', ['CP-2']],
        ['\\', ['CP-4']],
        ["'", ['CP-5']],
        ['*', ['CP-6']],
        ['[a', ['CP-7']],
        ['%', ['CP-0']],
        ['_', ['CP-2']],
      ] as const) {
        expect((await list({ search })).identities, search).toEqual(found);
      }
    });

    it('stay right over thousands of chargers, and a search lets others have their turn', async () => {
      await opened.store.createChargers(chargerRecords(1, 4_500, { locationId: 'L-1' }));
      const searching = list({ search: 'cp-4' }, 2, 20);
      expect(await turnsDuring(searching)).toBeGreaterThan(1);
      const matching = chargerRecords(1, 4_500)
        .map(({ identity }) => identity)
        .filter((identity) => identity.startsWith('CP-4'))
        .reverse();
      expect(await searching).toEqual({ identities: matching.slice(20, 40), total: matching.length });
      expect(await list({ search: 'cp-1', locationId: 'L-2' })).toEqual({ identities: [], total: 0 });
      expect(await list({ locationId: 'L-1' }, 450, 10)).toEqual({
        identities: chargerRecords(1, 10)
          .map(({ identity }) => identity)
          .reverse(),
        total: 4_500,
      });
      expect((await opened.store.charger('acme', idOf(4_500)))?.identity).toBe('CP-4500');
    });
  });
}
