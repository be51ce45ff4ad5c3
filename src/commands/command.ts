// The shape of an operator's command: its name, what its event looks like, and what it does to a charger.

import Type from 'typebox';
import type { Charger, Refusal, Step } from '../charger/charger.ts';
import type { NamedSetting } from '../charger/setting-rule.ts';
import type { SettingWords } from '../charger/settings.ts';

/** What of a charger a command is about. */
export type Addresses =
  /** One connector, which must exist. */
  | 'connector'
  /** One connector, or the station as a whole: `0, 0`. */
  | 'connector or station'
  /** One connector if the event names one. */
  | 'any connector'
  /** The charger as a whole; its event names no connector. */
  | 'charger';

/** The outlet counted from 0; null where no single one is meant. */
export type Place<About extends Addresses> = About extends 'connector' ? number : number | null;

/** What only the charger's OCPP version can tell. */
export interface VersionTools {
  /** What is wrong with a call to the CSMS; null when its schema accepts it. */
  checkCall(action: string, payload: unknown): string | null;
  /** The setting that these words name in this version, made up when it has none of that name; or what is wrong with them. */
  settingNamed(words: SettingWords): NamedSetting | { readonly problem: string };
}

export interface Command<Event extends Type.TSchema = Type.TSchema, About extends Addresses = Addresses> {
  /** In the URL: `power-update`. */
  readonly name: string;
  /** In answers and events: `power_update`. */
  readonly eventType: string;
  readonly summary: string;
  readonly description: string;
  readonly addresses: About;
  /** The `event` of the request. Every default is in the schema. */
  readonly event: Event;
  readonly example: Readonly<Record<string, unknown>>;
  /** Answered at once with the charger's own words, instead of being queued; for one charger only. */
  readonly answer?: { readonly schema: Type.TSchema; readonly example: unknown };
  apply(
    charger: Charger,
    event: Type.Static<Event>,
    place: Place<About>,
    atMs: number,
    version: VersionTools,
  ): Step | Refusal;
}

/** Keeps the event's type for `apply` while a command is written, and forgets it in the list of all. */
export function command<Event extends Type.TSchema, const About extends Addresses>(
  definition: Omit<Command<Event, About>, 'eventType'>,
): Command {
  return { ...definition, eventType: definition.name.replaceAll('-', '_') } as unknown as Command;
}

const outletNumber = (description: string) => Type.Integer({ minimum: 1, maximum: 1_000, default: 1, description });

export const connectorFields = {
  evse_id: outletNumber('The EVSE, counted from 1.'),
  connector_id: outletNumber('The connector of that EVSE, counted from 1.'),
};

const placeNumber = (description: string) => Type.Integer({ minimum: 0, maximum: 1_000, default: 1, description });

/** `0, 0` is the station. */
export const placeFields = {
  evse_id: placeNumber('The EVSE, counted from 1; 0 with `connector_id` 0 for the station.'),
  connector_id: placeNumber('The connector of that EVSE, counted from 1; 0 with `evse_id` 0 for the station.'),
};

export const connectorEvent = Type.Object(connectorFields, { additionalProperties: false });

export const optionalNumber = (options: Type.TNumberOptions) =>
  Type.Optional(Type.Union([Type.Number(options), Type.Null()]));
export const optionalInteger = (options: Type.TNumberOptions) =>
  Type.Optional(Type.Union([Type.Integer(options), Type.Null()]));
export const optionalText = (options: Type.TStringOptions) =>
  Type.Optional(Type.Union([Type.String(options), Type.Null()]));

export const evSchema = Type.Optional(
  Type.Union([
    Type.Object(
      {
        battery_kwh: optionalNumber({
          exclusiveMinimum: 0,
          maximum: 2_000,
          description: 'Battery size; 60 when left out.',
        }),
        soc_percent: optionalNumber({
          minimum: 0,
          maximum: 100,
          description: 'State of charge on arrival; 20 when left out.',
        }),
        max_power_w: optionalNumber({
          exclusiveMinimum: 0,
          maximum: 10_000_000,
          description: 'What the car takes at most; the connector’s rating when left out.',
        }),
        max_discharge_w: optionalNumber({
          minimum: 0,
          maximum: 10_000_000,
          description: 'What the car gives back at most; 0 when left out.',
        }),
        phases: optionalInteger({
          minimum: 1,
          maximum: 3,
          description: 'Phases that the car charges on; those of the connector when left out.',
        }),
        protocol: optionalText({ maxLength: 32, description: 'How the car talks, e.g. `ISO15118-20`.' }),
        emaid: optionalText({ maxLength: 36, description: 'The contract in the car.' }),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ]),
);

/** Anything but control characters. */
export const idTagPattern = '^[^\\u0000-\\u001f\\u007f]+$';

export const idTagSchema = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: idTagPattern,
  description: 'The tag that the driver presents.',
});
