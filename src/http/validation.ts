// Checks bodies and query strings against their schemas: strictly, with defaults filled in.

import type { FastifySchemaCompiler } from 'fastify';
import type Type from 'typebox';
import { Compile } from 'typebox/compile';
import { deepestBody } from './limits.ts';
import { invalid, type Violation } from './problem.ts';
import { violationsOf } from './violations.ts';

type Outcome = { readonly value: unknown } | { readonly error: Error };
type Check = (value: unknown) => Outcome;

/** For the framework: makes the check of one part of a request. Path parameters are texts that need none. */
export const validatorCompiler: FastifySchemaCompiler<Type.TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'body') return bodyCheck(schema);
  if (httpPart === 'querystring') return queryCheck(schema as Type.TObject);
  return (value: unknown) => ({ value });
};

/** Compiled at the first request that needs it: a start waits for none of them. */
function whenNeeded(schema: Type.TSchema): () => ReturnType<typeof Compile> {
  let validator: ReturnType<typeof Compile> | null = null;
  return () => {
    validator ??= Compile(schema);
    return validator;
  };
}

function bodyCheck(schema: Type.TSchema): Check {
  const compiled = whenNeeded(schema);
  const lacks = defaultsLacking(schema);
  return (sent) => {
    const validator = compiled();
    if (sent === null || sent === undefined) return { error: invalid([{ field: 'body', message: 'is required' }]) };
    if (isOdd(sent)) return { error: invalid(oddFields(sent)) };
    const value = lacks(sent) ? validator.Default(sent) : sent;
    if (validator.Check(value)) return { value };
    return { error: invalid(violationsOf(validator.Errors(value), schema, 'body')) };
  };
}

interface WithProperties {
  readonly type?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, WithProperties>>;
}

/** Says whether a default may have to be filled in: looking for that is cheaper than filling in where all is given. */
function defaultsLacking(schema: WithProperties): (value: unknown) => boolean {
  if (schema.type !== 'object' || schema.properties === undefined) {
    const hasDefault = JSON.stringify(schema).includes('"default":');
    if (!hasDefault) return () => false;
    return schema.default === undefined ? () => true : (value) => value === undefined;
  }
  const parts = Object.entries(schema.properties).map(([name, part]) => [name, defaultsLacking(part)] as const);
  const concerned = parts.filter(([, lacks]) => lacks(undefined));
  return (value) => {
    if (value === undefined) return concerned.length > 0 || schema.default !== undefined;
    if (typeof value !== 'object' || value === null) return false;
    return concerned.some(([name, lacks]) => lacks((value as Readonly<Record<string, unknown>>)[name]));
  };
}

/** Names that mean something to JavaScript: where defaults are filled in they may get lost, and would be overlooked. */
const oddNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Whether there are odd fields: nearly never, and looking for that alone is cheap. */
function isOdd(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === deepestBody) return true;
  if (Array.isArray(value)) return value.some((each) => isOdd(each, depth + 1));
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.keys(fields).some((name) => oddNames.includes(name) || isOdd(fields[name], depth + 1));
}

/** What no schema would say: names that must not be used, and lists of lists of lists that only exhaust whoever looks at them. */
function oddFields(value: unknown, at = '', depth = 0): Violation[] {
  if (typeof value !== 'object' || value === null) return [];
  if (depth === deepestBody) return [{ field: at, message: `is more than ${deepestBody} levels deep` }];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, each]) => {
    const field = isList ? `${at}[${name}]` : at === '' ? name : `${at}.${name}`;
    return oddNames.includes(name) ? [{ field, message: 'is not known here' }] : oddFields(each, field, depth + 1);
  });
}

function queryCheck(schema: Type.TObject): Check {
  const compiled = whenNeeded(schema);
  // Most requests come without a query, and what is made of nothing is always the same.
  let ofNothing: Outcome | null = null;
  return (sent) => {
    const isNothing = Object.keys(sent as object).length === 0;
    if (isNothing && ofNothing !== null) return ofNothing;
    const validator = compiled();
    const { value, violations } = read(sent as Readonly<Record<string, string | string[]>>, schema);
    if (violations.length > 0) return { error: invalid(violations) };
    const filled = validator.Default(value);
    if (!validator.Check(filled)) {
      return { error: invalid(violationsOf(validator.Errors(filled), schema, 'query')) };
    }
    if (isNothing) ofNothing = { value: filled };
    return { value: filled };
  };
}

interface Read {
  readonly value: Readonly<Record<string, unknown>>;
  readonly violations: readonly Violation[];
}

/** Query values are texts; plain integers and `true` and `false` are read as such where they are asked for. Empty is
 * not given. A list may be given by commas, by naming it several times, or both.
 */
function read(sent: Readonly<Record<string, string | string[]>>, schema: Type.TObject): Read {
  // Without a prototype, so that no name that a client sends means anything by itself.
  const value: Record<string, unknown> = Object.create(null);
  const violations: Violation[] = [];
  const properties = schema.properties as Readonly<Record<string, { readonly type?: unknown }>>;
  for (const [name, given] of Object.entries(sent)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) value[name] = given;
    else if (property.type === 'array') {
      const listed = [given].flat().flatMap((each) => each.split(','));
      value[name] = listed.filter((each) => each !== '');
    } else if (Array.isArray(given)) violations.push({ field: name, message: 'must be given only once' });
    else if (given !== '') value[name] = readings[String(property.type)]?.(given) ?? given;
  }
  return { value, violations };
}

/** What each type makes of a text; undefined leaves the text as it is, for the check to complain of. */
const readings: Readonly<Record<string, (given: string) => unknown>> = {
  integer: (given) => (/^-?\d{1,15}$/.test(given) ? Number(given) : undefined),
  boolean: (given) => (given === 'true' ? true : given === 'false' ? false : undefined),
};
