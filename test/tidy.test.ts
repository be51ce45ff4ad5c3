// House rules that no linter knows, checked by reading the files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BlankOutOptions, blankOut } from './blank-out.ts';

const root = join(import.meta.dirname, '..');
const codeFolders = ['src', 'test', 'bench', 'tools', 'bin', 'web'];
const pureFolders = ['charger', 'commands', 'requests', 'ocpp', 'templates', 'provisioning', 'auth', 'events'];
const bannedFolderNames = ['utils', 'helpers', 'common', 'services', 'managers', 'core', 'types'];
const skippedFolders = new Set(['node_modules', 'generated', 'dist', 'coverage']);
const longestFileLines = 400;

const impure: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'chance', pattern: /\bMath\s*\.\s*random\b|\bcrypto\s*\./g },
  {
    what: 'the clock',
    pattern: /\bDate\s*\.\s*now\b|\bnew\s+Date\b(?!\s*\(\s*[^)\s])|\bperformance\s*\.\s*now\b|\bTemporal\s*\.\s*Now\b/g,
  },
  { what: 'a timer', pattern: /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g },
  { what: 'the process', pattern: /(?<![.\w$])process\s*\./g },
  { what: 'waiting', pattern: /(?<![.\w$])(?:async|await)\b(?!\s*[:?,}])/g },
];

/** Paths of all files under a folder, relative to the root, with slashes. A folder that is not there has none. */
function filesUnder(folder: string, ending = ''): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : filesUnder(`${folder}/${entry.name}`);
      return [`${folder}/${entry.name}`];
    })
    .filter((path) => path.endsWith(ending));
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);
const isCode = (path: string): boolean => /\.(?:ts|tsx|js|mjs|cjs|css)$/.test(path);
const isScript = (path: string): boolean => /\.(?:ts|tsx|js|mjs|cjs)$/.test(path);

/** `file:line: what` for each match in the code, comments and strings aside. */
function findings(
  path: string,
  pattern: RegExp,
  what: string,
  options: BlankOutOptions = {},
  text = read(path),
): string[] {
  const code = blankOut(text, options);
  return [...code.matchAll(pattern)].map((match) => {
    const line = code.slice(0, match.index).split('\n').length;
    return `${path}:${line}: ${what}: ${match[0].trim()}`;
  });
}

const sources = filesUnder('src', '.ts');
const pureSources = pureFolders.flatMap((folder) => filesUnder(`src/${folder}`, '.ts')).filter((path) => !isTest(path));
const codeFiles = codeFolders.flatMap((folder) => filesUnder(folder)).filter(isCode);

describe('pure folders', () => {
  for (const { what, pattern } of impure) {
    it(`know nothing of ${what}`, () => {
      expect(pureSources.flatMap((path) => findings(path, pattern, what))).toEqual([]);
    });
  }

  it('import nothing from Node.js', () => {
    const pattern = /\b(?:from|import)\s*\(?\s*['"]node:[^'"]*['"]/g;
    expect(pureSources.flatMap((path) => findings(path, pattern, 'Node.js', { keepStrings: true }))).toEqual([]);
  });
});

describe('the search for impure code', () => {
  const found = (text: string): string[] =>
    impure.flatMap(({ what, pattern }) => findings('sample.ts', pattern, what, {}, text));

  it.each([
    ['const at = Date.now();', 'sample.ts:1: the clock: Date.now'],
    ['const at = new Date();', 'sample.ts:1: the clock: new Date'],
    ['// first\nconst at = new Date;', 'sample.ts:2: the clock: new Date'],
    [`const text = \`at \${Date.now()}\`;`, 'sample.ts:1: the clock: Date.now'],
    [`const isQuote = /['"]/.test(text); const at = performance.now();`, 'sample.ts:1: the clock: performance.now'],
    ['const share = Math.random() / 2;', 'sample.ts:1: chance: Math.random'],
    ['/* a\n b */ setTimeout(run, 1);', 'sample.ts:2: a timer: setTimeout'],
    ['const limit = process.env;', 'sample.ts:1: the process: process.'],
    ['export const load = async () => 1;', 'sample.ts:1: waiting: async'],
    ['for (const row of rows) await row;', 'sample.ts:1: waiting: await'],
  ])('sees %s', (text, finding) => {
    expect(found(text)).toEqual([finding]);
  });

  it.each([
    '// Date.now() would be wrong here',
    "const text = 'use Date.now() or await';",
    `const text = \`Date.now() \${"await"} setTimeout\`;`,
    'const date = new Date(atMs).toISOString();',
    'const share = total / 2; // Math.random() / 2',
    'const options = { async: false };',
    'const step = provisioning.process.next;',
  ])('overlooks %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('lists', () => {
  // What stands beside each list: what its entries share.
  for (const [folder, ...shared] of [
    ['src/commands', 'command.ts', 'addressing.ts', 'ev.ts', 'token-entry.ts', 'list-answer.ts', 'command-ended.ts'],
    ['src/requests', 'request.ts'],
  ] as const) {
    it(`${folder}/index.ts imports every file of its folder`, () => {
      const files = filesUnder(folder, '.ts').filter(
        (path) => !isTest(path) && !['index.ts', ...shared].includes(basename(path)),
      );
      const list = existsSync(join(root, folder, 'index.ts'))
        ? blankOut(read(`${folder}/index.ts`), { keepStrings: true })
        : '';
      const imported = new Set(
        [...list.matchAll(/\bfrom\s*['"]\.\/([^'"]+)['"]/g)].map((match) => `${folder}/${match[1]}`),
      );
      expect(
        files.filter((path) => !imported.has(path)).map((path) => `${path}:1: missing from ${folder}/index.ts`),
      ).toEqual([]);
    });
  }
});

describe('files', () => {
  it(`have at most ${longestFileLines} lines`, () => {
    const long = codeFiles.flatMap((path) => {
      const lines = read(path).trimEnd().split('\n').length;
      return lines > longestFileLines ? [`${path}:${longestFileLines + 1}: ${lines} lines`] : [];
    });
    expect(long).toEqual([]);
  });

  it('in src open with a comment that says what they are', () => {
    const silent = sources.filter((path) => !/^(?:\/\/\s*\S|\/\*\*?\s*\S)/.test(read(path)));
    expect(silent.map((path) => `${path}:1: no opening comment`)).toEqual([]);
  });

  it('have no default export and no enum', () => {
    const checked = codeFiles.filter((path) => isScript(path) && !/\.config\.\w+$/.test(path));
    expect(checked.flatMap((path) => findings(path, /\bexport\s+default\b/g, 'default export'))).toEqual([]);
    expect(checked.flatMap((path) => findings(path, /(?<![.\w$])enum\s+\w+\s*\{/g, 'enum'))).toEqual([]);
  });

  it('and folders are named in kebab-case', () => {
    const odd = codeFiles.filter(
      (path) => !path.split('/').every((name) => /^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name)),
    );
    expect(odd).toEqual([]);
  });

  it('live in folders named after what they hold', () => {
    const banned = codeFolders
      .flatMap((folder) => filesUnder(folder))
      .filter((path) =>
        path
          .split('/')
          .slice(0, -1)
          .some((name) => bannedFolderNames.includes(name)),
      );
    expect(banned).toEqual([]);
  });
});

describe('package-lock.json', () => {
  it('has no download addresses', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });
});

describe('docs/dependencies.md', () => {
  it('names every runtime dependency, and nothing that is none', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    const [runtime = ''] = read('docs/dependencies.md').split('## Development only');
    const rows = runtime.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]));
    expect(named.toSorted()).toEqual(Object.keys(dependencies).toSorted());
  });
});
