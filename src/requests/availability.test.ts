// A CSMS takes a 1.6 charger or a connector out of use, and lets it be used again.

import { describe, expect, it } from 'vitest';
import { booted, charging, type Payload, station, type Talk } from '../../test/talk.ts';

const change = (talk: Talk, connectorId: number, type: string): Payload =>
  talk.ask('ChangeAvailability', { connectorId, type });
const two = { station: station({ connectorCount: 2 }) };

describe('ChangeAvailability', () => {
  it('answers first, then shows the status that has changed', async () => {
    const talk = await booted('1.6', two);
    expect(change(talk, 2, 'Inoperative')).toEqual({ status: 'Accepted' });
    expect(talk.saidInShort()).toEqual(['StatusNotification 2 Unavailable']);
    expect(change(talk, 2, 'Inoperative')).toEqual({ status: 'Accepted' });
    expect(talk.saidInShort()).toEqual([]);
    expect(change(talk, 2, 'Operative')).toEqual({ status: 'Accepted' });
    expect(talk.saidInShort()).toEqual(['StatusNotification 2 Available']);
    expect(change(talk, 3, 'Inoperative')).toEqual({ status: 'Rejected' });
  });

  it('of connector 0 is one of the station and of every connector', async () => {
    const talk = await booted('1.6', two);
    change(talk, 0, 'Inoperative');
    expect(talk.saidInShort()).toEqual([
      'StatusNotification 0 Unavailable',
      'StatusNotification 1 Unavailable',
      'StatusNotification 2 Unavailable',
    ]);
    change(talk, 0, 'Operative');
    expect(talk.saidInShort()).toEqual([
      'StatusNotification 0 Available',
      'StatusNotification 1 Available',
      'StatusNotification 2 Available',
    ]);
  });

  it('waits for the end of a transaction', async () => {
    const talk = await charging('1.6', two);
    expect(change(talk, 0, 'Inoperative')).toEqual({ status: 'Scheduled' });
    expect(talk.saidInShort()).toEqual(['StatusNotification 2 Unavailable']);
    talk.command('stop-transaction', { reason: 'Local' });
    expect(talk.saidInShort()).toEqual([
      'StopTransaction Local',
      'StatusNotification 1 Unavailable',
      'StatusNotification 0 Unavailable',
    ]);
  });

  it('that waits is taken back by its opposite', async () => {
    const talk = await charging('1.6');
    change(talk, 1, 'Inoperative');
    expect(change(talk, 1, 'Operative')).toEqual({ status: 'Accepted' });
    talk.command('stop-transaction', { reason: 'Local' });
    expect(talk.saidInShort()).toEqual(['StopTransaction Local', 'StatusNotification 1 Finishing']);
  });

  it('lasts over a power cut', async () => {
    const talk = await booted('1.6', two);
    change(talk, 0, 'Inoperative');
    talk.powerCut();
    expect(talk.saidInShort().slice(-3)).toEqual([
      'StatusNotification 0 Unavailable',
      'StatusNotification 1 Unavailable',
      'StatusNotification 2 Unavailable',
    ]);
  });

  it('that waited lasts over a power cut as well', async () => {
    const talk = await charging('1.6');
    change(talk, 1, 'Inoperative');
    talk.said();
    talk.powerCut();
    expect(talk.saidInShort()).toContain('StatusNotification 1 Unavailable');
  });

  it('keeps drivers and remote starts away, and does not hide a cable that was there before', async () => {
    const talk = await booted('1.6');
    change(talk, 1, 'Inoperative');
    expect(talk.request('RemoteStartTransaction', { idTag: 'A', connectorId: 1 })?.[2]).toEqual({ status: 'Rejected' });
    expect(talk.command('start-session', { id_tag: 'A' })?.failure).toMatchObject({ refused: 'unavailable' });
    talk.said();
    talk.command('plug-connector');
    expect(talk.saidInShort()).toEqual([]);
    change(talk, 1, 'Operative');
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Preparing']);
  });

  it('takes away what a token had asked for', async () => {
    const talk = await booted('1.6');
    talk.command('authorize', { id_tag: 'A', id_token_type: 'ISO14443' });
    change(talk, 1, 'Inoperative');
    change(talk, 1, 'Operative');
    expect(talk.saidInShort().at(-1)).toBe('StatusNotification 1 Available');
    talk.command('plug-connector');
    expect(talk.saidInShort()).toEqual(['StatusNotification 1 Preparing']);
  });
});
