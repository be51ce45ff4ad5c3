// The program `chargesim`.

import { runProgram } from './cli/program.ts';

process.exitCode = await runProgram(process.argv.slice(2), {
  // Loaded when it is asked for: the other words of the command line need nothing of a gateway.
  serve: (config) => import('./cli/serve.ts').then(({ serve }) => serve(config)),
});
