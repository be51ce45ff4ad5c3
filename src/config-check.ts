// What settings must be together.

import type { Config } from './config.ts';
import { Failure } from './errors.ts';

/** Settings that are fine each by itself may make no sense together: what a gateway is started with must. */
export function checkTogether(config: Config): void {
  const refuse = (sentence: string): never => {
    throw new Failure('bad_setting', sentence);
  };
  const { databaseUrl, natsUrl, role } = config;
  if (databaseUrl === null && natsUrl === null) {
    if (role !== 'all') refuse(`ROLE is ${role}, but there is nothing to share: set DATABASE_URL and NATS_URL too`);
    return;
  }
  if (natsUrl === null) refuse('DATABASE_URL is set without NATS_URL: processes that share a fleet need both');
  if (databaseUrl === null) refuse('NATS_URL is set without DATABASE_URL: processes that share a fleet need both');
  if (role !== 'worker' && config.jwtSecret === null && config.jwksUrl === null && config.jwksFile === null) {
    refuse('processes that share a fleet must accept the same tokens: set one of JWT_SECRET, JWKS_URL, JWKS_FILE');
  }
  if (role === 'worker' && config.defaultCsmsUrl === null && config.publicUrl === null) {
    refuse('a worker cannot know where chargers that name no CSMS shall go: set PUBLIC_URL or DEFAULT_CSMS_URL');
  }
}
