// Runs the gateway in this process until it is told to stop.

import { setFlagsFromString } from 'node:v8';
import pino from 'pino';
import { startGateway } from '../compose.ts';
import type { Config } from '../config.ts';
import { takeDataDir } from './data-dir.ts';
import { firstStartNotice } from './first-start-notice.ts';
import { signingSecret } from './secret.ts';
import { developmentTtl, everyScope, makeToken, readTtl } from './token.ts';

/** After a signal it is over in less than the 10 s that supervisors commonly grant. */
const shutdownMs = 9_000;

export async function serve(config: Config): Promise<void> {
  // As for the fleet's processes (fleet/shards.ts), as far as it can be said so late; with WORKERS=0 the fleet is here.
  for (const flag of ['--no-parallel-scavenge', '--no-allocation-site-pretenuring']) setFlagsFromString(flag);
  const release = takeDataDir(config.dataDir);
  // A worker checks no tokens.
  const { secret, generated } =
    config.role === 'worker' ? { secret: null, generated: false as const } : await signingSecret(config);
  const { logger, flush } = openLog(config.logLevel);
  const gateway = await startGateway(config, secret, logger);
  // Whoever waits for this line must not wait in vain, however little else is logged.
  logger.child({}, { level: 'info' }).info({ url: gateway.url }, 'listening');
  flush();
  if (generated) {
    const wish = { org: 'demo', subject: 'developer', scope: everyScope, ttlS: readTtl(developmentTtl) };
    const token = await makeToken(
      secret,
      { ...wish, issuer: config.jwtIssuer, audience: config.jwtAudience },
      Date.now(),
    );
    process.stderr.write(firstStartNotice(gateway.url, token));
  }
  const signal = await stopSignal();
  logger.info({ signal }, 'stopping: sessions are kept, chargers go on when the gateway is started again');
  setTimeout(() => process.exit(0), shutdownMs).unref();
  await gateway.close();
  release();
  logger.info('stopped');
}

/** Lines wait for each other a moment: a line of its own for every request would cost as much as the request. */
const logAfterMs = 100;
const logBytes = 4_096;

function openLog(level: string): { readonly logger: pino.Logger; readonly flush: () => void } {
  const destination = pino.destination({ sync: false, minLength: logBytes });
  const flush = (): void => {
    try {
      destination.flushSync();
    } catch {
      // Whoever read the log has gone: nobody is left to be told.
    }
  };
  setInterval(() => destination.flush(), logAfterMs).unref();
  process.on('exit', flush);
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return { logger, flush };
}

/** The first signal asks; the second ends at once. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(130);
        asked = true;
        resolve(signal);
      });
    }
  });
}
