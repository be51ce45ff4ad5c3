// Makes a TypeScript client of a description with a public generator: `node generate-client.mjs <description> <folder>`.
//
// The generator writes code with the programming interface of TypeScript, which TypeScript 7 does not have any more: it is
// given the one of a package that brings an earlier TypeScript along, and installs no command of that name beside ours.
import { registerHooks } from 'node:module';

const [, , input, output] = process.argv;
const earlier = 'data:text/javascript,import { ts } from "@ts-morph/common"; export default ts';

registerHooks({
  resolve(name, context, next) {
    if (name === 'typescript') return { url: earlier, shortCircuit: true };
    return next(name, context.parentURL === earlier ? { ...context, parentURL: import.meta.url } : context);
  },
});

const { createClient } = await import('@hey-api/openapi-ts');
await createClient({
  input,
  output: { path: output, module: { extension: '.ts' } },
  logs: { level: 'silent', file: false },
});
