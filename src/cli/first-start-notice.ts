// What somebody who has just started the gateway needs to see: a token, and a line that works when pasted.

import { developmentTtl } from './token.ts';

export function firstStartNotice(url: string, token: string): string {
  return `
The gateway made its own secret, so here is a token for the tenant "demo", good for ${developmentTtl}:

${token}

Create a simulated charger with it:

curl -sS ${url}/ocpp/chargers -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{}'

Everything else: ${url}/docs   More tokens: npx chargesim token --help

`;
}
