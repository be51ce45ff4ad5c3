// A local authorization list is uploaded to a charger.

import Type from 'typebox';
import { andThen, step } from '../charger/charger.ts';
import { withList } from '../charger/local-list.ts';
import { setting } from '../charger/settings.ts';
import { maxListed, updateList } from '../charger/tokens.ts';
import { command } from './command.ts';
import { listAnswer } from './list-answer.ts';
import { tokenEntry, tokenInfo } from './token-entry.ts';

export const localAuthList = command({
  name: 'local-auth-list',
  summary: 'Upload a local authorization list',
  description:
    'The charger answers itself: `Accepted`, `Failed`, `VersionMismatch` (the version is not above the charger’s) or `NotSupported`; anything but `Accepted` changes nothing. A `Differential` update adds, replaces and (with `remove`) deletes entries; a `Full` one replaces the list.',
  addresses: 'charger',
  event: Type.Object(
    {
      list_version: Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'Must be above the version that the charger has.',
      }),
      entries: Type.Array(
        Type.Object(
          {
            ...tokenEntry,
            remove: Type.Optional(
              Type.Union([Type.Boolean(), Type.Null()], { description: 'Differential: delete this tag.' }),
            ),
          },
          { additionalProperties: false },
        ),
        { maxItems: maxListed, description: 'The entries of the list.' },
      ),
      update_type: Type.Enum(['Full', 'Differential'], {
        default: 'Full',
        description: 'Replace the list, or change it.',
      }),
    },
    { additionalProperties: false },
  ),
  example: { list_version: 3, entries: [{ id_tag: 'DEADBEEF', expiry_date: '2030-01-01T00:00:00.000Z' }] },
  answer: {
    schema: listAnswer,
    example: { status: 'Accepted', list_version: 3, entries_received: 1, msg: 'list replaced', entries_deleted: 0 },
  },
  apply(charger, { list_version, entries, update_type }, _place, atMs) {
    const received = entries.length;
    const { localList } = charger;
    const say = (status: string, version: number, deleted: number, msg: string) => ({
      kind: 'result' as const,
      value: { status, list_version: version, entries_received: received, entries_deleted: deleted, msg },
    });
    if (!setting(charger, 'LocalAuthListCtrlr.Enabled')) {
      return step(charger, [say('NotSupported', localList.version, 0, 'the local authorization list is disabled')]);
    }
    if (list_version <= localList.version) {
      const msg = `list_version ${list_version} must be greater than ${localList.version}`;
      return step(charger, [say('VersionMismatch', localList.version, 0, msg)]);
    }
    const full = update_type === 'Full';
    const update = {
      version: list_version,
      full,
      entries: entries.map((entry) => ({ idTag: entry.id_tag, info: entry.remove ? null : tokenInfo(entry) })),
    };
    const outcome = updateList(localList, update, setting(charger, 'LocalAuthListCtrlr.Entries'));
    if (outcome.status !== 'Accepted') {
      return step(charger, [say(outcome.status, localList.version, 0, outcome.sentence)]);
    }
    const said = say('Accepted', list_version, outcome.deleted, full ? 'list replaced' : 'list updated');
    return andThen(withList(charger, outcome.list, atMs), (next) => step(next, [said]));
  },
});
