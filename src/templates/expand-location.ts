// From a template to the chargers that it provisions: the same template and options always give the same chargers.

import type { Refusal } from '../charger/charger.ts';
import type { ConnectorType, OcppVersion } from './catalog-data.ts';
import { type ConnectorLayout, layoutOf, watts } from './layout.ts';
import type { ChargerGroup, LocationTemplate } from './location-templates.ts';

export const maxChargersPerLocation = 2_000;

/** Leaves room for the number that every identity ends with. */
export const maxPrefixLength = 43;
export const identityPrefixPattern = '^[A-Za-z0-9._\\-*=+|@]{1,43}$';
const identityPrefix = new RegExp(identityPrefixPattern);
const numberDigits = 4;

export interface ExpansionOptions {
  /** Identities are `<prefix>-0001` and so on; made from the template's slug when left out. */
  readonly identityPrefix?: string | null | undefined;
  /** For all chargers; each group has its own when left out. */
  readonly ocppVersion?: OcppVersion | null | undefined;
  /** Makes every group that much larger or smaller; a group never shrinks to nothing. */
  readonly countMultiplier?: number | null | undefined;
}

export interface ChargerSpec {
  readonly identity: string;
  readonly name: string;
  readonly vendorName: string;
  readonly model: string;
  readonly modelId: string;
  readonly ocppVersion: OcppVersion;
  readonly layout: readonly ConnectorLayout[];
  /** Of the strongest connector. */
  readonly connectorType: ConnectorType;
  readonly maxChargingPowerW: number;
}

/** Chargers in the order of their groups, numbered through. */
export function expandLocation(
  template: LocationTemplate,
  options: ExpansionOptions = {},
): { readonly chargers: readonly ChargerSpec[] } | Refusal {
  const prefix = options.identityPrefix ?? defaultIdentityPrefix(template);
  if (!identityPrefix.test(prefix)) {
    return refusal(
      'bad_identity_prefix',
      `an identity prefix is 1 to ${maxPrefixLength} characters of A-Z a-z 0-9 . _ - * = + | @`,
    );
  }
  const multiplier = options.countMultiplier ?? 1;
  if (!Number.isFinite(multiplier) || multiplier <= 0) {
    return refusal('bad_count_multiplier', 'a count multiplier is a number above 0');
  }
  const groups = template.groups.map((group) => ({
    ...group,
    count: Math.max(1, Math.round(group.count * multiplier)),
    ocppVersion: options.ocppVersion ?? group.ocppVersion,
  }));
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  if (total > maxChargersPerLocation) {
    return refusal(
      'too_many_chargers',
      `that would be ${total} chargers; a location has at most ${maxChargersPerLocation}`,
    );
  }
  return { chargers: groups.flatMap((group, index) => specsOf(group, groups.slice(0, index), prefix)) };
}

export const defaultIdentityPrefix = ({ slug }: LocationTemplate): string => slug.toUpperCase();

function specsOf(group: ChargerGroup, before: readonly ChargerGroup[], prefix: string): readonly ChargerSpec[] {
  const { model, ocppVersion, connectorType, count, nominalKw } = group;
  const firstNumber = 1 + sumOf(before);
  // Names count per model, so that two groups of one model do not share them.
  const firstOfModel = 1 + sumOf(before.filter((other) => other.model === model));
  const shared = {
    vendorName: model.brandName,
    model: model.name,
    modelId: model.id,
    ocppVersion,
    // One layout for the whole group: 2 000 chargers need not have 2 000 copies.
    layout: layoutOf(model, nominalKw),
    connectorType,
    maxChargingPowerW: watts(nominalKw),
  };
  return Array.from({ length: count }, (_, index) => ({
    identity: `${prefix}-${String(firstNumber + index).padStart(numberDigits, '0')}`,
    name: `${model.brandName} ${model.name} ${firstOfModel + index}`,
    ...shared,
  }));
}

const sumOf = (groups: readonly ChargerGroup[]): number => groups.reduce((sum, { count }) => sum + count, 0);

const refusal = (refused: string, sentence: string): Refusal => ({ refused, sentence });
