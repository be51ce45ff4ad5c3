// The rights that a token can carry: each operation names the one it needs.

export const scopes = [
  'chargers:read',
  'chargers:write',
  'commands:read',
  'commands:write',
  'locations:read',
  'locations:write',
  'catalog:read',
  'events:read',
  'webhooks:write',
] as const;

export type Scope = (typeof scopes)[number];
