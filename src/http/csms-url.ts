// The base address of a CSMS: whether a text can be one.

/** Says what is wrong with it, or null. `{identity}` in it stands for the charger's identity. */
export function csmsUrlViolation(base: string): string | null {
  const url = URL.parse(base.replaceAll('{identity}', 'identity'));
  if (url === null || (url.protocol !== 'ws:' && url.protocol !== 'wss:')) {
    return 'must be a ws:// or wss:// address, such as wss://csms.example.com/ocpp';
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '') return 'must not contain a fragment (#)';
  return null;
}

/** Whether the line to it is encrypted. */
export const isSecureUrl = (base: string): boolean => /^wss:/i.test(base);
