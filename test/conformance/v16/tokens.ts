// OCPP 1.6: tokens that a charger knows by itself, from its cache and from its local list.

import { type Group, theCase } from '../case.ts';
import { absent } from '../expecting.ts';
import type { Stage } from '../stage.ts';

const remoteStart = { idTag: 'TAG-1', connectorId: 1 };

/** The tag has charged before, and the charger may decide alone. */
async function knowsTag({ station, csms }: Stage): Promise<void> {
  await csms.configure('AuthorizationCacheEnabled', 'true');
  await csms.configure('LocalPreAuthorize', 'true');
  await csms.configure('AuthorizeRemoteTxRequests', 'true');
  await station.present('TAG-1');
  csms.expect('Authorize', { idTag: 'TAG-1' });
  csms.expectStatus('Preparing');
  await station.waitS(60);
  csms.expectStatus('Available');
  await station.plug();
  csms.expectStatus('Preparing');
}

/** The tag is in the list, and the charger may decide alone. */
async function listsTag({ station, csms }: Stage): Promise<void> {
  await csms.configure('LocalAuthListEnabled', 'true');
  await csms.configure('LocalPreAuthorize', 'true');
  await csms.configure('AuthorizeRemoteTxRequests', 'true');
  await csms.send('SendLocalList', full(1, 'TAG-1'), { status: 'Accepted' });
  await station.plug();
  csms.expectStatus('Preparing');
}

const full = (listVersion: number, ...idTags: string[]) => ({
  listVersion,
  updateType: 'Full',
  localAuthorizationList: idTags.map((idTag) => ({ idTag, idTagInfo: { status: 'Accepted' } })),
});

function startsUnasked({ csms }: Stage): void {
  csms.expect('StartTransaction', { connectorId: 1, idTag: 'TAG-1' });
  csms.expectStatus('Charging');
}

function startsAsking({ csms }: Stage): void {
  csms.expect('Authorize', { idTag: 'TAG-1' });
  csms.expect('StartTransaction', { connectorId: 1, idTag: 'TAG-1' });
  csms.expectStatus('Charging');
}

export const cache: Group = {
  name: 'cache',
  cases: [
    theCase(
      'TC_007_1_CS',
      'a tag from the cache, at the charger',
      {
        given: 'LocalPreAuthorize true, a tag that the CSMS has accepted before, a car that is plugged in',
        when: 'the tag is presented',
        follows: 'StartTransaction without Authorize, Charging',
      },
      async (stage) => {
        await knowsTag(stage);
        await stage.station.present('TAG-1');
        startsUnasked(stage);
      },
    ),
    theCase(
      'TC_007_2_CS',
      'a tag from the cache, from afar',
      {
        given: 'as before, with AuthorizeRemoteTxRequests true',
        when: 'the CSMS starts from afar with the tag',
        follows: 'Accepted, StartTransaction without Authorize, Charging',
      },
      async (stage) => {
        await knowsTag(stage);
        await stage.csms.send('RemoteStartTransaction', remoteStart, { status: 'Accepted' });
        startsUnasked(stage);
      },
    ),
    theCase(
      'TC_061_1_CS',
      'the cache is cleared, then the tag at the charger',
      {
        given: 'LocalPreAuthorize true, a tag that the CSMS has accepted before, a car that is plugged in',
        when: 'the CSMS clears the cache, and the tag is presented',
        follows: 'Accepted; the tag is asked about: Authorize, StartTransaction, Charging',
      },
      async (stage) => {
        await knowsTag(stage);
        await stage.csms.send('ClearCache', {}, { status: 'Accepted' });
        await stage.station.present('TAG-1');
        startsAsking(stage);
      },
    ),
    theCase(
      'TC_061_2_CS',
      'the cache is cleared, then the tag from afar',
      {
        given: 'as before, with AuthorizeRemoteTxRequests true',
        when: 'the CSMS clears the cache, and starts from afar with the tag',
        follows: 'Accepted both times; the tag is asked about: Authorize, StartTransaction, Charging',
      },
      async (stage) => {
        await knowsTag(stage);
        await stage.csms.send('ClearCache', {}, { status: 'Accepted' });
        await stage.csms.send('RemoteStartTransaction', remoteStart, { status: 'Accepted' });
        startsAsking(stage);
      },
    ),
  ],
};

export const localList: Group = {
  name: 'local authorization list',
  cases: [
    theCase(
      'TC_008_1_CS',
      'a tag from the list, at the charger',
      {
        given: 'LocalPreAuthorize true, a list with the tag, a car that is plugged in',
        when: 'the tag is presented',
        follows: 'StartTransaction without Authorize, Charging',
      },
      async (stage) => {
        await listsTag(stage);
        await stage.station.present('TAG-1');
        startsUnasked(stage);
      },
    ),
    theCase(
      'TC_008_2_CS',
      'a tag from the list, from afar',
      {
        given: 'as before, with AuthorizeRemoteTxRequests true',
        when: 'the CSMS starts from afar with the tag',
        follows: 'Accepted, StartTransaction without Authorize, Charging',
      },
      async (stage) => {
        await listsTag(stage);
        await stage.csms.send('RemoteStartTransaction', remoteStart, { status: 'Accepted' });
        startsUnasked(stage);
      },
    ),
    theCase(
      'TC_042_1_CS',
      'the version of a list that there is not',
      {
        given: 'a charger whose list is switched off',
        when: 'the CSMS asks for its version',
        follows: '-1',
      },
      async ({ station, csms }) => {
        await station.set('LocalAuthListEnabled', 'false');
        await csms.send('GetLocalListVersion', {}, { listVersion: -1 });
      },
    ),
    theCase(
      'TC_042_2_CS',
      'the version of an empty list',
      {
        given: 'a charger that was never given a list',
        when: 'the CSMS asks for its version',
        follows: '0, and another number after it has sent one',
      },
      async ({ csms }) => {
        await csms.send('GetLocalListVersion', {}, { listVersion: 0 });
        await csms.send('SendLocalList', full(7, 'TAG-1'), { status: 'Accepted' });
        await csms.send('GetLocalListVersion', {}, { listVersion: 7 });
      },
    ),
    theCase(
      'TC_043_1_CS',
      'a list for a charger that has none',
      {
        given: 'a charger whose list is switched off',
        when: 'the CSMS sends one',
        follows: 'NotSupported',
      },
      async ({ station, csms }) => {
        await station.set('LocalAuthListEnabled', 'false');
        await csms.send('SendLocalList', full(1, 'TAG-1'), { status: 'NotSupported' });
      },
    ),
    theCase(
      'TC_043_2_CS',
      'a change to another version of the list',
      {
        given: 'a list of version 5',
        when: 'the CSMS sends a change of version 4',
        follows: 'VersionMismatch, and the list is still that of version 5',
      },
      async ({ csms }) => {
        await csms.send('SendLocalList', full(5, 'TAG-1'), { status: 'Accepted' });
        const change = { ...full(4, 'TAG-2'), updateType: 'Differential' };
        await csms.send('SendLocalList', change, { status: 'VersionMismatch' });
        await csms.send('GetLocalListVersion', {}, { listVersion: 5 });
      },
    ),
    theCase(
      'TC_043_3_CS',
      'a list that cannot be taken',
      {
        given: 'a list of version 1',
        when: 'the CSMS sends one with the same tag twice',
        follows: 'Failed, and the list is still that of version 1',
      },
      async ({ csms }) => {
        await csms.send('SendLocalList', full(1, 'TAG-1'), { status: 'Accepted' });
        await csms.send('SendLocalList', full(2, 'TAG-2', 'TAG-2'), { status: 'Failed' });
        await csms.send('GetLocalListVersion', {}, { listVersion: 1 });
      },
    ),
    theCase(
      'TC_043_CS',
      'a list, and a change to it',
      {
        given: 'LocalPreAuthorize true, an empty list',
        when: 'the CSMS sends a whole list, then a change that takes one tag out and brings another',
        follows:
          'Accepted both times with their versions; the new tag starts unasked, the one taken out is asked about',
      },
      async ({ station, csms }) => {
        await csms.configure('LocalPreAuthorize', 'true');
        await csms.send('SendLocalList', full(1, 'TAG-1', 'TAG-2'), { status: 'Accepted' });
        const accepted = { idTag: 'TAG-3', idTagInfo: { status: 'Accepted' } };
        const change = {
          listVersion: 2,
          updateType: 'Differential',
          localAuthorizationList: [{ idTag: 'TAG-1' }, accepted],
        };
        await csms.send('SendLocalList', change, { status: 'Accepted' });
        await csms.send('GetLocalListVersion', {}, { listVersion: 2 });
        csms.answers('Authorize', { idTagInfo: { status: 'Invalid' } });
        await station.plug();
        csms.expectStatus('Preparing');
        await station.present('TAG-1');
        csms.expect('Authorize', { idTag: 'TAG-1' });
        await station.present('TAG-3');
        csms.expect('StartTransaction', { idTag: 'TAG-3', reservationId: absent });
        csms.expectStatus('Charging');
      },
    ),
  ],
};
