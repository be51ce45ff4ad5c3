// What a command may ask of the version that its charger speaks.

import type { SettingWords } from '../charger/settings.ts';
import { complaintOf, type Dialect } from './dialect.ts';

export const versionTools = (dialect: Dialect) => ({
  checkCall(action: string, payload: unknown): string | null {
    const { requests } = dialect.validators;
    const validator = Object.hasOwn(requests, action) ? requests[action] : undefined;
    if (validator === undefined) return `OCPP ${dialect.version} has no action ${action}`;
    return validator(payload) ? null : `${action}: ${complaintOf(validator).sentence}`;
  },
  settingNamed: (words: SettingWords) => dialect.settingNamed(words),
});
