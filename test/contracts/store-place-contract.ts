// What every store promises about CPOs and locations.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Provisioning } from '../../src/provisioning/provisioning.ts';
import {
  chargerRecord,
  chargerRecords,
  cpoRecord,
  failureOf,
  idOf,
  locationRecord,
  type Opened,
  receipt,
  turnsDuring,
} from './store-samples.ts';

export function describePlaces(name: string, open: () => Promise<Opened>): void {
  describe(`CPOs and locations (${name})`, () => {
    let opened: Opened;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened.close();
    });
    const reopen = async () => {
      opened = await opened.reopen();
    };
    const cpo = cpoRecord(1);
    const location = locationRecord(1);
    const noPage = { items: [], total: 0 };

    describe('CPOs', () => {
      it('are kept whole, over a restart, for their org alone', async () => {
        await opened.store.createCpo(cpo);
        await reopen();
        expect(await opened.store.cpo('acme', cpo.id)).toEqual(cpo);
        expect(await opened.store.cpo('other', cpo.id)).toBeNull();
        expect(await opened.store.cpo('acme', 'nobody')).toBeNull();
        expect(await opened.store.listCpos('other', 1, 10)).toEqual(noPage);
      });

      it('are listed newest first, and may share a name', async () => {
        for (const number of [2, 5, 1, 4, 3]) await opened.store.createCpo(cpoRecord(number, { name: 'Same' }));
        await opened.store.createCpo(cpoRecord(9, { org: 'other' }));
        const page = async (number: number) => {
          const { items, total } = await opened.store.listCpos('acme', number, 2);
          return [...items.map(({ id }) => id), total];
        };
        expect(await page(1)).toEqual([cpoRecord(5).id, cpoRecord(4).id, 5]);
        expect(await page(3)).toEqual([cpoRecord(1).id, 5]);
        expect(await page(4)).toEqual([5]);
        expect((await opened.store.listCpos('other', 1, 1)).items).toEqual([cpoRecord(9, { org: 'other' })]);
      });

      it('cannot be deleted while they have locations, nor by another org', async () => {
        await opened.store.createLocations({ cpo, locations: [location, locationRecord(2)], chargers: [] });
        expect(await opened.store.deleteCpo('acme', cpo.id)).toBe(false);
        expect(await opened.store.deleteLocation('acme', location.id)).toBe(true);
        expect(await opened.store.deleteCpo('acme', cpo.id)).toBe(false);
        expect(await opened.store.deleteLocation('acme', locationRecord(2).id)).toBe(true);
        expect(await opened.store.deleteCpo('other', cpo.id)).toBe(false);
        await reopen();
        expect(await opened.store.cpo('acme', cpo.id)).toEqual(cpo);
        expect(await opened.store.deleteCpo('acme', cpo.id)).toBe(true);
        expect(await opened.store.deleteCpo('acme', cpo.id)).toBe(false);
        expect(await opened.store.listCpos('acme', 1, 10)).toEqual(noPage);
      });
    });

    describe('creating locations', () => {
      it('keeps a new CPO, its locations and their chargers whole, over a restart', async () => {
        const other = locationRecord(2, { name: 'Depot' });
        const chargers = [
          chargerRecord(2, { locationId: location.id }),
          chargerRecord(1, { locationId: location.id }),
          chargerRecord(3, { locationId: other.id }),
        ];
        const creation = { cpo, locations: [location, other], chargers };
        expect(await opened.store.createLocations(creation)).toEqual({ taken: null });
        await reopen();
        expect(await opened.store.cpo('acme', cpo.id)).toEqual(cpo);
        expect(await opened.store.location('acme', location.id)).toEqual(location);
        expect(await opened.store.location('acme', other.id)).toEqual(other);
        expect(await opened.store.chargersOfLocation('acme', location.id)).toEqual([chargers[1], chargers[0]]);
        expect(await opened.store.chargersOfLocation('acme', other.id)).toEqual([chargers[2]]);
      });

      it('adds locations to a CPO that is there already', async () => {
        await opened.store.createCpo(cpo);
        expect(await opened.store.createLocations({ locations: [location], chargers: [] })).toEqual({ taken: null });
        expect((await opened.store.listLocations('acme', cpo.id, 1, 10)).items).toEqual([location]);
      });

      it('creates nothing at all when an identity is taken, and names the first that is', async () => {
        await opened.store.createChargers([chargerRecord(1, { identity: 'A' }), chargerRecord(2, { identity: 'B' })]);
        const inLocation = { locationId: location.id };
        const chargers = [
          chargerRecord(3, { identity: 'C', ...inLocation }),
          chargerRecord(4, { identity: 'B', ...inLocation }),
          chargerRecord(5, { identity: 'A', ...inLocation }),
        ];
        const creation = { cpo, locations: [location], chargers };
        expect(await opened.store.createLocations(creation, receipt('r'))).toEqual({ taken: 'B' });
        expect(await opened.store.cpo('acme', cpo.id)).toBeNull();
        expect(await opened.store.location('acme', location.id)).toBeNull();
        expect(await opened.store.chargersOfLocation('acme', location.id)).toEqual([]);
        expect(await opened.store.locationProgress('acme', location.id)).toEqual({ total: 0, ready: 0, failed: 0 });
        expect(await opened.store.receipt('acme', 'r')).toBeNull();
        const twins = [chargerRecord(6, { identity: 'D' }), chargerRecord(7, { identity: 'D' })];
        expect(await opened.store.createLocations({ cpo, locations: [location], chargers: twins })).toEqual({
          taken: 'D',
        });
        expect(await opened.store.createLocations({ cpo, locations: [location], chargers: [] })).toEqual({
          taken: null,
        });
      });

      it('creates nothing without its CPO, be it deleted, of another org, or never there', async () => {
        await opened.store.createCpo(cpo);
        await opened.store.createCpo(cpoRecord(2, { org: 'other' }));
        const deleting = opened.store.deleteCpo('acme', cpo.id);
        const chargers = [chargerRecord(1, { locationId: location.id })];
        const failures = await Promise.all(
          [cpo.id, cpoRecord(2).id, 'nobody'].map((cpoId) =>
            failureOf(
              opened.store.createLocations({ locations: [{ ...location, cpoId }], chargers }, receipt(`of ${cpoId}`)),
            ),
          ),
        );
        expect(await deleting).toBe(true);
        expect(failures.every((failure) => failure instanceof Error)).toBe(true);
        expect(await opened.store.location('acme', location.id)).toBeNull();
        expect(await opened.store.charger('acme', idOf(1))).toBeNull();
        expect(await opened.store.receipt('acme', 'of nobody')).toBeNull();
      });

      it('creates 2 000 chargers in several locations at once without holding up the event loop', async () => {
        const locations = [1, 2, 3].map((number) => locationRecord(number));
        const chargers = chargerRecords(1, 2_000).map((record, index) => ({
          ...record,
          locationId: locations[index % 3]?.id ?? null,
        }));
        const creating = opened.store.createLocations({ cpo, locations, chargers });
        expect(await turnsDuring(creating)).toBeGreaterThan(5);
        expect(await creating).toEqual({ taken: null });
        const reading = opened.store.chargersOfLocation('acme', location.id);
        expect(await turnsDuring(reading)).toBeGreaterThan(1);
        expect(await reading).toEqual(chargers.filter(({ locationId }) => locationId === location.id));
        const again = chargerRecords(10_001, 1_999).concat(chargerRecord(20_000, { identity: 'CP-2000' }));
        const refused = { cpo: cpoRecord(2), locations: [locationRecord(4)], chargers: again };
        expect(await opened.store.createLocations(refused)).toEqual({ taken: 'CP-2000' });
        expect((await opened.store.listChargers('acme', {}, 1, 1)).total).toBe(2_000);
        expect(await opened.store.cpo('acme', cpoRecord(2).id)).toBeNull();
      });
    });

    describe('locations', () => {
      it('are listed by CPO, newest first', async () => {
        await opened.store.createCpo(cpoRecord(2));
        const numbers = [2, 5, 1, 4, 3];
        await opened.store.createLocations({
          cpo,
          locations: numbers.map((number) => locationRecord(number)),
          chargers: [],
        });
        const elsewhere = locationRecord(9, { cpoId: cpoRecord(2).id });
        await opened.store.createLocations({ locations: [elsewhere], chargers: [] });
        const page = async (cpoId: string, number: number) => {
          const { items, total } = await opened.store.listLocations('acme', cpoId, number, 2);
          return [...items.map(({ name: text }) => text), total];
        };
        expect(await page(cpo.id, 1)).toEqual(['Car park 5', 'Car park 4', 5]);
        expect(await page(cpo.id, 3)).toEqual(['Car park 1', 5]);
        expect(await page(cpo.id, 4)).toEqual([5]);
        expect(await page(cpoRecord(2).id, 1)).toEqual(['Car park 9', 1]);
        expect(await opened.store.listLocations('acme', 'nobody', 1, 10)).toEqual(noPage);
        await opened.store.deleteLocation('acme', locationRecord(4).id);
        expect(await page(cpo.id, 1)).toEqual(['Car park 5', 'Car park 3', 4]);
      });

      it('are found by their exact name, newest first, so many at most', async () => {
        const locations = [1, 3, 2].map((number) => locationRecord(number, { name: 'Depot' }));
        locations.push(locationRecord(4, { name: 'depot' }), locationRecord(5, { name: 'Depot 2' }));
        await opened.store.createLocations({ cpo, locations, chargers: [] });
        const found = async (text: string, limit: number, org = 'acme') =>
          (await opened.store.locationsByName(org, text, limit)).map(({ id }) => id);
        expect(await found('Depot', 10)).toEqual([3, 2, 1].map((number) => locationRecord(number).id));
        expect(await found('Depot', 2)).toEqual([3, 2].map((number) => locationRecord(number).id));
        expect(await found('Depo', 10)).toEqual([]);
        expect(await found('Depot', 10, 'other')).toEqual([]);
      });

      it('show nothing to another org, and cannot be deleted by it', async () => {
        const chargers = [chargerRecord(1, { locationId: location.id })];
        await opened.store.createLocations({ cpo, locations: [location], chargers });
        expect(await opened.store.location('other', location.id)).toBeNull();
        expect(await opened.store.listLocations('other', cpo.id, 1, 10)).toEqual(noPage);
        expect(await opened.store.chargersOfLocation('other', location.id)).toEqual([]);
        expect(await opened.store.locationProgress('other', location.id)).toEqual({ total: 0, ready: 0, failed: 0 });
        expect(await opened.store.deleteLocation('other', location.id)).toBe(false);
        expect(await opened.store.chargersOfLocation('acme', location.id)).toEqual(chargers);
      });

      it('when deleted leave their chargers behind, in no location', async () => {
        const chargers = chargerRecords(1, 300, { locationId: location.id });
        const elsewhere = chargerRecord(999, { locationId: locationRecord(2).id });
        const creation = { cpo, locations: [location, locationRecord(2)], chargers: [...chargers, elsewhere] };
        await opened.store.createLocations(creation);
        expect(await opened.store.deleteLocation('acme', location.id)).toBe(true);
        expect(await opened.store.deleteLocation('acme', location.id)).toBe(false);
        await reopen();
        expect(await opened.store.location('acme', location.id)).toBeNull();
        expect(await opened.store.chargersOfLocation('acme', location.id)).toEqual([]);
        expect(await opened.store.charger('acme', idOf(300))).toEqual(chargerRecord(300, { locationId: null }));
        expect(await opened.store.charger('acme', elsewhere.id)).toEqual(elsewhere);
        expect(await opened.store.locationProgress('acme', location.id)).toEqual({ total: 0, ready: 0, failed: 0 });
        expect((await opened.store.listChargers('acme', {}, 1, 1)).total).toBe(301);
      });

      it('know how far their chargers have come', async () => {
        const chargers = chargerRecords(1, 5, { locationId: location.id });
        await opened.store.createLocations({ cpo, locations: [location], chargers });
        await opened.store.createChargers([chargerRecord(9)]);
        const become = (number: number, status: Provisioning['status']) =>
          opened.store.commit([
            { chargerId: idOf(number), provisioning: { ...chargerRecord(1).provisioning, status } },
          ]);
        const progress = () => opened.store.locationProgress('acme', location.id);
        expect(await progress()).toEqual({ total: 5, ready: 0, failed: 0 });
        for (const number of [1, 2, 3, 9]) await become(number, 'provisioning');
        for (const number of [1, 2, 9]) await become(number, 'ready');
        for (const number of [3, 4]) await become(number, 'failed');
        expect(await progress()).toEqual({ total: 5, ready: 2, failed: 2 });
        await become(3, 'ready');
        await opened.store.deleteChargers('acme', [idOf(1)], 5);
        await opened.store.changeCharger('acme', idOf(2), { locationId: null }, 5);
        await opened.store.changeCharger('acme', idOf(9), { locationId: location.id, desired: 'stopped' }, 5);
        await reopen();
        expect(await progress()).toEqual({ total: 4, ready: 2, failed: 1 });
      });
    });
  });
}
