// An installer sets a configuration key or variable on site.

import Type from 'typebox';
import { type Charger, type Refusal, refuse, type Step, step } from '../charger/charger.ts';
import { configured } from '../charger/configuring.ts';
import { changeCredential, isCredential } from '../charger/credentials.ts';
import { type NamedSetting, parseSetting, settingKind } from '../charger/setting-rule.ts';
import { command, optionalInteger, optionalText } from './command.ts';

const word = (description: string) => optionalText({ minLength: 1, maxLength: 50, description });

export const setConfiguration = command({
  name: 'set-configuration',
  summary: 'Set a configuration key or variable',
  description:
    'As an installer does on site: `key` for OCPP 1.6, `component` and `variable` for 2.x. A name that the charger does not know is added; `value` null removes such a one. It has its effect at once.',
  addresses: 'charger',
  event: Type.Object(
    {
      key: word('OCPP 1.6: the configuration key.'),
      component: word('OCPP 2.x: the component.'),
      variable: word('OCPP 2.x: the variable.'),
      instance: word('OCPP 2.x: the instance of the variable.'),
      evse_id: optionalInteger({
        minimum: 0,
        maximum: 1_000,
        description: 'OCPP 2.x: the EVSE of the component.',
      }),
      value: Type.Union([Type.String({ maxLength: 2_500 }), Type.Null()], {
        description: 'As text: `true`, `60`, `Energy.Active.Import.Register,SoC`.',
      }),
    },
    { additionalProperties: false },
  ),
  example: { key: 'MeterValueSampleInterval', value: '10' },
  apply(charger, event, _place, atMs, version) {
    const named = version.settingNamed(event);
    if ('problem' in named) return refuse('bad_name', named.problem);
    if (event.value === null) return removed(charger, named, atMs);
    if (named.rule?.built !== undefined) return refuse('built_in', 'this follows from how the charger is built');
    const value = parseSetting(charger, named, event.value);
    if (value === undefined) {
      return refuse('bad_value', `the value must be ${settingKind(named)}, not ${JSON.stringify(event.value)}`);
    }
    if (isCredential(named.name)) return changeCredential(charger, named.name, value, atMs);
    return step(configured(charger, named.name, value, atMs));
  },
});

function removed(charger: Charger, { name, default: known }: NamedSetting, atMs: number): Step | Refusal {
  if (known !== null) return refuse('not_removable', 'a setting of the standard can be changed, not removed');
  if (!Object.hasOwn(charger.overrides, name)) return refuse('unknown_setting', 'there is no such setting');
  return step(configured(charger, name, undefined, atMs));
}
