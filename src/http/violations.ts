// What a validator found wrong, told per field in words that say what is allowed.

import type { TLocalizedValidationError } from 'typebox/error';
import { idTagSchema } from '../commands/command.ts';
import { identityPrefixPattern } from '../templates/expand-location.ts';
import { countryCodePattern, partyIdPattern } from './cpo-schema.ts';
import type { Violation } from './problem.ts';
import { cursorPattern, identityPattern, withoutControls } from './schema.ts';

interface Node {
  readonly [key: string]: unknown;
}

/** What each pattern means, for people: a regular expression is no sentence. */
const patternSentences: Readonly<Record<string, string>> = {
  [withoutControls]: 'must not contain control characters',
  [String(Reflect.get(idTagSchema, 'pattern'))]: 'must not contain control characters',
  [identityPattern]: 'may contain only A-Z a-z 0-9 . _ - * = + | @',
  [identityPrefixPattern]: 'may contain only A-Z a-z 0-9 . _ - * = + | @',
  [countryCodePattern]: 'must be two letters, such as NL',
  [partyIdPattern]: 'must be three letters or digits, such as SUN',
  [cursorPattern]: 'must be a next_cursor of an earlier answer',
};

export function violationsOf(
  errors: readonly TLocalizedValidationError[],
  schema: unknown,
  whole: string,
): Violation[] {
  const told = new Map<string, Violation>();
  for (const error of errors.filter((each) => !isNoise(each, errors))) {
    for (const violation of tell(error, errors, schema, whole)) {
      // The first is the plainest: a text that is empty matches no pattern either.
      if (!told.has(violation.field)) told.set(violation.field, violation);
    }
  }
  return [...told.values()];
}

function tell(
  error: TLocalizedValidationError,
  errors: readonly TLocalizedValidationError[],
  schema: unknown,
  whole: string,
): readonly Violation[] {
  const field = fieldOf(error.instancePath) || whole;
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        field: fieldOf(`${error.instancePath}/${escaped(name)}`),
        message: 'is required',
      }));
    case 'boolean':
      return [{ field, message: `is not known here; known: ${knownNames(error.schemaPath, schema)}` }];
    case 'type':
      return [{ field, message: `must be ${typesAt(error, errors).join(' or ')}` }];
    case 'enum':
      return [
        { field, message: `must be one of ${error.params.allowedValues.filter((each) => each !== null).join(', ')}` },
      ];
    case 'const':
      return [{ field, message: `must be ${JSON.stringify(error.params.allowedValue)}` }];
    case 'pattern':
      return [{ field, message: patternSentences[String(error.params.pattern)] ?? error.message }];
    case 'minLength':
      return [{ field, message: tooFew(error.params.limit, 'characters') }];
    case 'maxLength':
      return [{ field, message: `must have at most ${error.params.limit} characters` }];
    case 'minItems':
      return [{ field, message: tooFew(error.params.limit, 'entries') }];
    case 'maxItems':
      return [{ field, message: `must have at most ${error.params.limit} entries` }];
    case 'uniqueItems':
      return [{ field, message: 'must not name anything twice' }];
    case 'format':
      return [{ field, message: formatSentences[error.params.format] ?? `must be a ${error.params.format}` }];
    default:
      return [{ field, message: error.message }];
  }
}

const formatSentences: Readonly<Record<string, string>> = {
  'date-time': 'must be an ISO 8601 timestamp with a time zone, such as 2026-11-14T10:00:00Z',
};

const tooFew = (limit: number, things: string): string =>
  limit === 1 ? 'must not be empty' : `must have at least ${limit} ${things}`;

/**
 * Some findings only repeat others: that an object has unknown fields (each is told by itself), that no branch of a union fits, and
 * that the value is not what another branch wants when the branch it was meant for has told more.
 */
function isNoise(error: TLocalizedValidationError, errors: readonly TLocalizedValidationError[]): boolean {
  if (error.keyword === 'additionalProperties' || error.keyword === 'anyOf') return true;
  const union = unionOf(error.schemaPath);
  if (error.keyword !== 'type' || union === null) return false;
  return errors.some(
    (other) =>
      other.keyword !== 'anyOf' &&
      other.schemaPath.startsWith(`${union}/`) &&
      !(other.keyword === 'type' && other.instancePath === error.instancePath),
  );
}

/** The types that the branches of a union would take at this place. */
function typesAt(error: TLocalizedValidationError, errors: readonly TLocalizedValidationError[]): string[] {
  const union = unionOf(error.schemaPath);
  const related = union === null ? [error] : errors.filter((each) => unionOf(each.schemaPath) === union);
  return [...new Set(related.flatMap((each) => (each.keyword === 'type' ? [each.params.type].flat() : [])))];
}

const unionOf = (schemaPath: string): string | null => /^(.*\/anyOf)\/\d+$/.exec(schemaPath)?.[1] ?? null;

/** `/entries/0/id_tag` becomes `entries[0].id_tag`. */
function fieldOf(instancePath: string): string {
  return partsOf(instancePath).reduce((field, part) => {
    if (/^\d+$/.test(part)) return `${field}[${part}]`;
    return field === '' ? part : `${field}.${part}`;
  }, '');
}

function knownNames(schemaPath: string, schema: unknown): string {
  const owner = partsOf(schemaPath.replace(/^#/, '').replace(/\/additionalProperties$/, '')).reduce<unknown>(
    (node, part) => (node as Node | undefined)?.[part],
    schema,
  );
  const names = Object.keys(((owner as Node | undefined)?.['properties'] as Node | undefined) ?? {});
  return names.length === 0 ? 'nothing' : names.join(', ');
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
