// What happens to a charger's security: written down for good, and told to the CSMS, over any outage.

import { type Charger, type Step, step } from './charger.ts';
import { profileOf, type SecurityEvent, type SecurityEventType, withSecurity } from './security.ts';

/** The security log keeps the latest. */
export const maxSecurityLog = 200;

export function securityEvent(
  charger: Charger,
  type: SecurityEventType,
  atMs: number,
  info: string | null = null,
): Step {
  const event: SecurityEvent = { type, atMs, info };
  const log = [...charger.security.log, event].slice(-maxSecurityLog);
  return step(withSecurity(charger, { log }), [{ kind: 'report', report: { kind: 'security-event', ...event } }]);
}

/** What belongs to every charger's life is an event of security only where security matters. */
export const everydayEvent: typeof securityEvent = (charger, type, atMs, info) =>
  profileOf(charger) === 0 ? step(charger) : securityEvent(charger, type, atMs, info);
