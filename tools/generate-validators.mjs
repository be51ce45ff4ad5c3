// Generates one stand-alone validator module per OCPP version from the official schemas in the typed-ocpp package.
//
// The output is plain ESM without imports: start-up compiles nothing and needs no schema in memory. It is not
// committed, because the OCPP 2.1 schemas may be used but not passed on in changed form (CC BY-ND 4.0).
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ajvPackage from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import ajvFormats from 'ajv-formats/dist/formats.js';

const { default: Ajv, _ } = ajvPackage;
const require = createRequire(import.meta.url);
const outputFolder = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'ocpp', 'generated');

const VERSIONS = [
  { file: 'v16', folder: 'ocpp16' },
  { file: 'v201', folder: 'ocpp20' },
  { file: 'v21', folder: 'ocpp21' },
];

// 1.6 asks for tenths (multipleOf 0.1), and 16.3 / 0.1 is 163.00000000000003.
const MULTIPLE_OF_PRECISION = 6;

// Annotations cost source text and check nothing. `additionalItems` beside a single `items` schema is one of them.
const ANNOTATIONS = new Set([
  '$id',
  '$schema',
  'id',
  'title',
  'description',
  'comment',
  'javaType',
  'default',
  'additionalItems',
]);

/** RFC 3339 date and time with a zone, calendar checked. Ten times the speed of the one in ajv-formats, which splits. */
function dateTime(text) {
  const shape =
    /^\d{4}-[01]\d-[0-3]\dT(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/i;
  if (!shape.test(text)) return false;
  const digits = (at) => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528;
  const month = digits(5);
  const day = digits(8);
  if (month < 1 || month > 12 || day < 1) return false;
  if (day <= 28) return true;
  if (month !== 2) return day <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31);
  const year = digits(0) * 100 + digits(2);
  return day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

const FORMATS = {
  'date-time': { validate: dateTime, source: () => dateTime.toString() },
  uri: {
    validate: ajvFormats.fullFormats.uri,
    source: () => `${inlined('ajv-formats/dist/formats.js')}.fullFormats.uri`,
  },
};

/** The run-time helpers that AJV's generated code asks for; anything else is an error, not a surprise at start-up. */
const HELPERS = new Set(['ajv/dist/runtime/ucs2length']);

/** A dependency-free CommonJS module as one expression: its exports. */
function inlined(module) {
  const source = readFileSync(require.resolve(module), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
  return `(() => { const exports = {};\n${source}\nreturn exports; })()`;
}

/** The id under which a shared type or a message is registered; prefixed, since a type may be called like a message. */
const typeId = (name) => `type.${name}`;
const messageId = (name) => `message.${name}`;

/** The schema without annotations, its `#/definitions/X` references pointing to the shared, separately compiled type. */
function prepared(schema) {
  if (Array.isArray(schema)) return schema.map(prepared);
  if (schema === null || typeof schema !== 'object') return schema;
  const result = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') {
      result.properties = Object.fromEntries(
        Object.entries(value).map(([name, property]) => [name, prepared(property)]),
      );
    } else if (keyword === '$ref') {
      result.$ref = value.replace(/^#\/definitions\//, typeId(''));
    } else if (keyword !== 'definitions' && !ANNOTATIONS.has(keyword)) {
      result[keyword] = prepared(value);
    }
  }
  return result;
}

/** One compiled function per message and per shared type. Unused definitions are never compiled. */
function compile(schemas) {
  const ajv = new Ajv({
    strict: false,
    allErrors: false,
    multipleOfPrecision: MULTIPLE_OF_PRECISION,
    inlineRefs: false,
    formats: Object.fromEntries(Object.entries(FORMATS).map(([name, format]) => [name, format.validate])),
    code: { source: true, esm: true, lines: true, formats: _`formats` },
  });
  const shared = new Map();
  for (const schema of Object.values(schemas)) {
    for (const [name, definition] of Object.entries(schema.definitions ?? {})) shared.set(name, definition);
  }
  for (const [name, definition] of shared) ajv.addSchema({ ...prepared(definition), $id: typeId(name) });
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema({ ...prepared(schema), $id: messageId(name) });
  return standaloneCode(ajv, Object.fromEntries(Object.keys(schemas).map((name) => [name, messageId(name)])));
}

/** AJV's module made self-contained: helpers and formats inlined, exports collected, idle schema constants dropped. */
function selfContained(code, actions, header) {
  const functionOf = new Map();
  let body = code
    .replace(/^"use strict";$/m, '')
    .replace(/^export const (\w+) = (validate\d+);$/gm, (_line, name, validator) => {
      functionOf.set(name, validator);
      return '';
    });

  const usesOf = countWords(body, /\bschema\d+\b/g);
  body = body.replace(/^const (schema\d+) = .*;$/gm, (line, name) => (usesOf.get(name) > 1 ? line : ''));

  body = body.replace(/require\("([^"]+)"\)/g, (_call, module) => {
    if (!HELPERS.has(module)) throw new Error(`The validators need an unknown helper: ${module}`);
    return inlined(`${module}.js`);
  });
  // A string is never longer in characters than in code units: count characters only when code units say it is too long.
  body = body.replace(/if\((func\d+)\((data\d*)\) > (\d+)\)/g, 'if($2.length > $3 && $1($2) > $3)');
  body = body.replace(/^\/\*# sourceURL=.*\*\/;$/gm, '').replace(/\n{2,}/g, '\n');

  const isUsed = (format) => body.includes(`= formats.${format};`) || body.includes(`= formats["${format}"];`);
  const usedFormats = Object.entries(FORMATS).filter(([name]) => isUsed(name));
  const formats = usedFormats.map(([name, format]) => `  ${JSON.stringify(name)}: ${format.source()},\n`).join('');

  const table = (suffixes) => {
    const rows = actions.flatMap((action) => {
      const name = suffixes.map((suffix) => action + suffix).find((candidate) => functionOf.has(candidate));
      return name ? [`  ${action}: ${functionOf.get(name)},\n`] : [];
    });
    return `Object.freeze({\n  __proto__: null,\n${rows.join('')}})`;
  };
  const result = [
    header,
    `const formats = {\n${formats}};`,
    body.trim(),
    // A message that is only sent, never answered, has one schema under the bare action name.
    `export const requests = ${table(['Request', ''])};`,
    `export const responses = ${table(['Response'])};`,
    '',
  ].join('\n');
  if (/\brequire\(|^import /m.test(result.replaceAll(/'require\(.*\)\.default'/g, '')))
    throw new Error('The validators are not self-contained');
  return result;
}

function countWords(text, pattern) {
  const counts = new Map();
  for (const [word] of text.matchAll(pattern)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const declarations = (header) => `${header}
export interface ValidationError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Record<string, unknown>;
}

/** Says whether the value fits its schema. After a "no", \`errors\` holds the first reason, until the next call. */
export type Validator = ((value: unknown) => boolean) & { errors?: readonly ValidationError[] | null };

/** By action name as on the wire; an unknown action is undefined. */
export const requests: Readonly<Record<string, Validator>>;

/** By action name as on the wire; an action without an answer is undefined. */
export const responses: Readonly<Record<string, Validator>>;
`;

/** Written beside and renamed over, so that a running process never reads half a file. */
function write(name, text) {
  const path = join(outputFolder, name);
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

mkdirSync(outputFolder, { recursive: true });
const packageRoot = dirname(require.resolve('typed-ocpp/package.json'));
const { version: packageVersion } = require('typed-ocpp/package.json');
for (const { file, folder } of VERSIONS) {
  // The package's main file compiles every schema when imported; its schema files alone are data.
  const schemas = await import(pathToFileURL(join(packageRoot, 'dist', folder, 'schemas.js')));
  const { Action } = await import(pathToFileURL(join(packageRoot, 'dist', folder, 'utils.js')));
  const header = `// Generated by tools/generate-validators.mjs from typed-ocpp ${packageVersion} (${folder}). Not to be edited or committed.`;
  write(`${file}.js`, selfContained(compile(schemas), Object.values(Action), header));
  write(`${file}.d.ts`, declarations(header));
}
