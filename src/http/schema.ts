// The words that the schemas of requests and answers are written in. A `title` makes a schema a named one of the OpenAPI description.

import Type from 'typebox';

/** Refused in everything that people read: names, identities, tags. */
export const withoutControls = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$';

/** What OCPP 2.x allows, without the colon that HTTP Basic credentials end the user's name with. */
export const identityPattern = '^[A-Za-z0-9._\\-*=+|@]+$';
export const cursorPattern = '^[0-9A-Za-z_-]{1,64}$';

export const text = (maxLength: number, options: Type.TStringOptions = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: withoutControls, ...options });

export const timestamp = (options: Type.TStringOptions = {}) => Type.String({ format: 'date-time', ...options });

/** One of a few words. */
export const word = <const Words extends readonly string[]>(words: Words, options: Type.TSchemaOptions = {}) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });

/** JSON of any content. */
export const anyObject = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true, description });

/** The same, or null. A list of types instead of a union: it serialises without trying one after the other. */
export function nullable<Schema extends Type.TSchema>(
  schema: Schema,
  description?: string,
): Type.TUnsafe<Type.Static<Schema> | null> {
  const { title: _, ...plain } = schema as Schema & { title?: string; type?: string; enum?: readonly unknown[] };
  return Type.Unsafe<Type.Static<Schema> | null>({
    ...plain,
    type: [plain.type, 'null'],
    ...(plain.enum === undefined ? {} : { enum: [...plain.enum, null] }),
    ...(description === undefined ? {} : { description }),
  });
}

/** May be left out; null says the same. */
export const optional = <Schema extends Type.TSchema>(schema: Schema, description?: string) =>
  Type.Optional(nullable(schema, description));

/** An object that knows exactly these fields. */
export const closed = <Properties extends Type.TProperties>(
  properties: Properties,
  options: Type.TObjectOptions = {},
) => Type.Object(properties, { additionalProperties: false, ...options });

const page = Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'Which page, from 1.' });
const limit = Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many entries at most.' });

export const limitQuery = { limit };
export const pageQuery = { page, limit };

/** A page of a list. */
export const pageOf = <Item extends Type.TSchema>(title: string, item: Item) =>
  Type.Object(
    {
      data: Type.Array(item),
      total: Type.Integer({ description: 'How many there are on all pages.' }),
      page: Type.Integer(),
      limit: Type.Integer(),
    },
    { title },
  );

export const instant = (atMs: number): string => new Date(atMs).toISOString();
export const instantOrNull = (atMs: number | null): string | null => (atMs === null ? null : instant(atMs));
