// A charger's local authorization list is emptied.

import Type from 'typebox';
import { andThen, step } from '../charger/charger.ts';
import { withList } from '../charger/local-list.ts';
import { emptyList } from '../charger/tokens.ts';
import { command } from './command.ts';
import { listAnswer } from './list-answer.ts';

export const clearLocalAuthList = command({
  name: 'clear-local-auth-list',
  summary: 'Clear the local authorization list',
  description: 'Removes every entry; the version is 0 afterwards.',
  addresses: 'charger',
  event: Type.Object({}, { additionalProperties: false }),
  example: {},
  answer: {
    schema: listAnswer,
    example: { status: 'Accepted', list_version: 0, entries_received: 0, msg: 'list cleared', entries_deleted: 2 },
  },
  apply(charger, _event, _place, atMs) {
    const deleted = Object.keys(charger.localList.entries).length;
    const value = {
      status: 'Accepted',
      list_version: 0,
      entries_received: 0,
      entries_deleted: deleted,
      msg: 'list cleared',
    };
    return andThen(withList(charger, emptyList, atMs), (next) => step(next, [{ kind: 'result', value }]));
  },
});
