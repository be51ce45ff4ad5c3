// The command line: chargesim serve and chargesim token.

import { Command, CommanderError } from 'commander';
import packageFile from '../../package.json' with { type: 'json' };
import { type Config, flags, readConfig } from '../config.ts';
import { checkTogether } from '../config-check.ts';
import { Failure, isFailure } from '../errors.ts';
import { keptSecret } from './secret.ts';
import { developmentTtl, everyScope, makeToken, readScope, readTtl } from './token.ts';

export interface ProgramParts {
  /** Runs the gateway; resolves when it has stopped. */
  readonly serve: (config: Config) => Promise<void>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdout?: (text: string) => void;
  readonly stderr?: (text: string) => void;
  readonly nowMs?: () => number;
}

interface TokenOptions extends Record<string, string | undefined> {
  readonly org: string;
  readonly subject: string;
  readonly scope?: string;
  readonly ttl: string;
}

/** What the token command needs to know of the gateway that it makes tokens for. */
const tokenFlags = ['dataDir', 'jwtSecret', 'jwksUrl', 'jwksFile', 'jwtIssuer', 'jwtAudience'];

const serveExamples = `
Everything can also be set in the environment; a flag wins.

Examples:
  chargesim serve
  chargesim serve --port 0 --data-dir /var/lib/chargesim
  PORT=9000 JWT_SECRET=... chargesim serve --workers 4`;

const tokenExamples = `
Scopes:
  ${everyScope.replaceAll(' ', '\n  ')}

Examples:
  chargesim token
  chargesim token --org demo --scope "chargers:read commands:write" --ttl 30d
  curl -H "Authorization: Bearer $(chargesim token)" http://127.0.0.1:8080/ocpp/chargers`;

export function buildProgram(parts: ProgramParts): Command {
  const env = parts.env ?? process.env;
  const stdout = parts.stdout ?? ((text) => void process.stdout.write(text));
  const stderr = parts.stderr ?? ((text) => void process.stderr.write(text));

  const program = new Command('chargesim')
    .description('Simulates fleets of EV chargers that speak OCPP, driven over HTTP.')
    .version(packageFile.version)
    .configureOutput({
      writeOut: stdout,
      writeErr: stderr,
      // A suggestion would be a second line.
      outputError: (text, write) => write(`chargesim: ${text.replace(/^error: /, '').replace(/\n(?=.)/g, ' ')}`),
    })
    .exitOverride();

  const serve = program.command('serve').description('Run the gateway').addHelpText('after', serveExamples);
  for (const { syntax, description } of flags) serve.option(syntax, description);
  serve.action(async (options: Record<string, string | undefined>) => {
    const config = readConfig(env, options);
    checkTogether(config);
    await parts.serve(config);
  });

  const token = program
    .command('token')
    .description('Print a token that the gateway of this machine accepts')
    .option('--org <name>', 'tenant that the token is for', 'demo')
    .option('--scope <words>', 'what it allows, separated by spaces; everything when not given')
    .option('--ttl <time>', 'how long it is good for: 90s, 15m, 8h, 30d', developmentTtl)
    .option('--subject <name>', 'whom it names as its user', 'developer')
    .addHelpText('after', tokenExamples);
  for (const { name, syntax, description } of flags) if (tokenFlags.includes(name)) token.option(syntax, description);
  token.action(async (options: TokenOptions) => {
    stdout(`${await tokenFor(readConfig(env, options), options, (parts.nowMs ?? Date.now)())}\n`);
  });

  return program;
}

async function tokenFor(config: Config, { org, subject, scope, ttl }: TokenOptions, nowMs: number): Promise<string> {
  if (org === '' || subject === '') throw new Failure('bad_setting', '--org and --subject must not be empty');
  const { jwtIssuer: issuer, jwtAudience: audience, jwtSecret, dataDir } = config;
  const wish = { org, subject, scope: readScope(scope ?? everyScope), ttlS: readTtl(ttl), issuer, audience };
  if (config.jwksUrl !== null || config.jwksFile !== null) {
    throw new Failure(
      'bad_setting',
      `with ${config.jwksUrl === null ? 'JWKS_FILE' : 'JWKS_URL'} tokens are signed by whoever holds the private key; here are only public ones, so no token can be made`,
    );
  }
  const secret = jwtSecret ?? (await keptSecret(dataDir));
  if (secret === null) {
    throw new Failure(
      'bad_setting',
      `there is no secret to sign with: set JWT_SECRET, or start the gateway once, which makes one in ${dataDir}`,
    );
  }
  return makeToken(secret, wish, nowMs);
}

/** Runs the program and gives its exit code: 0, 1 when something failed, 2 when it was called or configured wrongly. */
export async function runProgram(args: readonly string[], parts: ProgramParts): Promise<number> {
  const stderr = parts.stderr ?? ((text) => void process.stderr.write(text));
  try {
    await buildProgram(parts).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already said what was wrong; asking for help is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    stderr(`chargesim: ${error instanceof Error ? error.message : String(error)}\n`);
    return isFailure(error, 'bad_setting') ? 2 : 1;
  }
}
