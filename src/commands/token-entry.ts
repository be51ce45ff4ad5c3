// A tag and what is known of it, as commands carry it.

import Type from 'typebox';
import type { TokenInfo } from '../charger/report.ts';
import { idTagPattern, optionalText } from './command.ts';

export const tokenStatuses = ['Accepted', 'Blocked', 'Expired', 'Invalid', 'ConcurrentTx'];

export const tokenEntry = {
  id_tag: Type.String({ minLength: 1, maxLength: 36, pattern: idTagPattern, description: 'The tag.' }),
  expiry_date: Type.Optional(
    Type.Union([Type.String({ format: 'date-time', maxLength: 40 }), Type.Null()], { description: 'Good until then.' }),
  ),
  status: Type.Enum(tokenStatuses, { default: 'Accepted', description: 'What the tag is worth.' }),
  parent_id_tag: optionalText({ minLength: 1, maxLength: 36, description: 'The group that it belongs to.' }),
};

interface Entry {
  readonly status: string;
  readonly expiry_date?: string | null;
  readonly parent_id_tag?: string | null;
}

export const tokenInfo = (entry: Entry): TokenInfo => ({
  status: entry.status,
  parentIdTag: entry.parent_id_tag ?? null,
  expiresAtMs: entry.expiry_date == null ? null : Date.parse(entry.expiry_date),
});
