// Keeps secrets out of logs: the text as it went, with the values of secret settings replaced.

const secretNames: ReadonlySet<string> = new Set(['authorizationkey', 'basicauthpassword']);
const mentionsSecret = /authorizationkey|basicauthpassword/i;
/** Names of settings are the same in upper and lower case. */
const isSecret = (name: unknown): boolean => typeof name === 'string' && secretNames.has(name.toLowerCase());
const mask = '***';
const unreadable = JSON.stringify({ masked: 'a message that mentions a secret and cannot be read' });

/** Costs nothing for texts that name no secret, which is nearly all of them. */
export function masked(text: string): string {
  if (!mentionsSecret.test(text)) return text;
  try {
    return withoutSecrets(text);
  } catch {
    // Not JSON, or nested deeper than anything that can be walked.
    return unreadable;
  }
}

function withoutSecrets(text: string): string {
  const secrets = new Set<string>();
  const clean = cleaned(JSON.parse(text), secrets);
  let shown = text;
  for (const secret of secrets) {
    const written = JSON.stringify(secret);
    // Written with other escapes than ours: then the whole is written anew.
    if (!shown.includes(written)) return JSON.stringify(clean);
    shown = shown.replaceAll(written, JSON.stringify(mask));
  }
  return shown;
}

/** A copy without secrets; those that were found are added to `secrets`. */
function cleaned(value: unknown, secrets: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => cleaned(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  const holder = namesSecret(value as Named);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const secret = isSecret(name) || (holder && (name === 'value' || name === 'attributeValue'));
      if (!secret || typeof inner !== 'string') return [name, cleaned(inner, secrets)];
      secrets.add(inner);
      return [name, mask];
    }),
  );
}

interface Named {
  readonly key?: unknown;
  readonly variable?: unknown;
}

const namesSecret = ({ key, variable }: Named): boolean =>
  isSecret(key) ||
  isSecret(variable) ||
  (typeof variable === 'object' && variable !== null && isSecret((variable as { name?: unknown }).name));
