// Checks who imports whom against .dependency-cruiser.mjs, and that really every source file was looked at.
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import configuration, { rows } from '../.dependency-cruiser.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));

const GENERATED = 'src/ocpp/generated/';

const sources = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll('\\', '/'))
  .filter((path) => !path.startsWith(GENERATED));

const { options, ...ruleSet } = configuration;
const { enhancedResolveOptions, ...cruiseOptions } = options;
const { output } = await cruise(['src'], { ...cruiseOptions, ruleSet, validate: true }, enhancedResolveOptions);

const problems = new Set();
for (const path of sources) {
  const top = path.split('/')[1];
  const isTest = path.endsWith('.test.ts');
  if (!(top in rows) && !path.startsWith('src/adapters/') && !(isTest && path.split('/').length === 2)) {
    problems.add(`${path}: src/${top} has no row in .dependency-cruiser.mjs: not allowed`);
  } else if (/^src\/adapters\/[^/]+$/.test(path) && !isTest) {
    problems.add(`${path}: an adapter belongs in the folder of its port, src/adapters/<port>/: not allowed`);
  }
}
for (const { from, to, unresolvedTo, rule } of output.summary.violations) {
  const imported = isBuiltin(to) ? to.replace(/^(?!node:)/, 'node:') : (unresolvedTo ?? to);
  const reason = ruleSet.forbidden.find(({ name }) => name === rule.name)?.comment ?? rule.name;
  problems.add(`${from} -> ${imported}: not allowed because ${reason}`);
}

// The cruiser reports success on files it cannot parse, and does not see `import('…')` in the place of a type.
const importsOf = new Map(
  output.modules.map(({ source, dependencies }) => [
    source,
    new Set(dependencies.map(({ module }) => module.replace(/^node:/, ''))),
  ]),
);
const missed = sources.filter((path) => !importsOf.has(path));
if (missed.length > 0) {
  problems.add(
    `Only ${sources.length - missed.length} of ${sources.length} source files were read; missed: ${missed.join(', ')}`,
  );
}
for (const path of sources.filter((path) => importsOf.has(path) && !path.endsWith('.test.ts'))) {
  for (const specifier of specifiersIn(readFileSync(path, 'utf8'))) {
    if (!importsOf.get(path).has(specifier.replace(/^node:/, ''))) {
      problems.add(
        `${path} -> ${specifier}: not allowed because the import rule cannot see it: write an import statement`,
      );
    }
  }
}

function specifiersIn(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
  const patterns = [/^\s*(?:import|export)\s[^;'"]*?from\s*['"]([^'"]+)['"]/gm, /\bimport\s*\(?\s*['"]([^'"]+)['"]/g];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([, specifier]) => specifier));
}

for (const problem of [...problems].sort()) console.log(problem);
console.log(
  `${sources.length} source files, ${output.summary.totalDependenciesCruised} imports, ${problems.size} breaches`,
);
process.exitCode = problems.size > 0 ? 1 : 0;
