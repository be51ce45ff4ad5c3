// What a charger says to a change of its local authorization list.

import Type from 'typebox';

const nullable = (schema: Type.TSchema, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }));

export const listAnswer = Type.Object(
  {
    status: nullable(Type.String(), '`Accepted`, `Failed`, `VersionMismatch` or `NotSupported`.'),
    list_version: nullable(Type.Integer(), 'The version of the charger’s list after the call.'),
    entries_received: nullable(Type.Integer(), 'How many entries the call carried.'),
    msg: nullable(Type.String(), 'For people.'),
    entries_deleted: nullable(Type.Integer(), 'How many entries are no longer in the list.'),
  },
  { title: 'LocalAuthListResponse' },
);
