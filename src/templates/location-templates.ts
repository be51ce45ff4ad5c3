// The gallery of single locations: a site and the groups of chargers that it provisions.

import { brand, byName, type Model, model } from './brands.ts';
import {
  type ConnectorType,
  type LocationData,
  locationsData,
  type OcppVersion,
  type ParkingType,
} from './catalog-data.ts';
import { connectorsOf, currentOf, strongestConnector } from './layout.ts';

export type PowerFamily = 'AC' | 'DC' | 'AC-DC';

/** A type, not an interface: it can be stored as any record is. */
export type Site = {
  /** ISO 3166-1, two letters. */
  readonly country: string;
  readonly city: string;
  readonly address: string;
  readonly postalCode: string | null;
  readonly state: string | null;
  readonly parkingType: ParkingType;
  readonly latitude: number;
  readonly longitude: number;
  readonly timeZone: string;
};

export interface ChargerGroup {
  readonly model: Model;
  /** Of the strongest connector. */
  readonly connectorType: ConnectorType;
  readonly ocppVersion: OcppVersion;
  readonly count: number;
  /** What one of its chargers may give at this site; at most what the model can. */
  readonly nominalKw: number;
}

export interface LocationTemplate {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  /** Follows from the connectors. */
  readonly type: PowerFamily;
  readonly ocppVersion: OcppVersion | 'mixed';
  readonly site: Site;
  readonly groups: readonly ChargerGroup[];
  readonly totalChargers: number;
  readonly totalPowerKw: number;
}

export interface LocationFilter {
  readonly type?: PowerFamily | null | undefined;
  /** Templates of mixed versions match each of them. */
  readonly ocppVersion?: OcppVersion | null | undefined;
}

/** From the smallest site to the largest; those of one size by name. */
export const locationTemplates = ({ type, ocppVersion }: LocationFilter = {}): readonly LocationTemplate[] =>
  all.filter(
    (each) =>
      (type == null || each.type === type) &&
      (ocppVersion == null || each.ocppVersion === ocppVersion || each.ocppVersion === 'mixed'),
  );

export const locationTemplate = (slug: string): LocationTemplate | null => bySlug.get(slug) ?? null;

/** AC, DC or both, as the connectors of the models tell. */
export function powerFamily(models: readonly Model[]): PowerFamily {
  const currents = new Set(models.flatMap(connectorsOf).map(currentOf));
  return currents.size === 2 ? 'AC-DC' : currents.has('DC') ? 'DC' : 'AC';
}

/** Sums of figures with one decimal, without what binary fractions add. */
export const totalKw = (kilowatts: readonly number[]): number =>
  Math.round(kilowatts.reduce((sum, each) => sum + each, 0) * 10) / 10;

const all: readonly LocationTemplate[] = locationsData
  .map(templateFrom)
  .sort((one, other) => one.totalChargers - other.totalChargers || byName(one, other));

const bySlug: ReadonlyMap<string, LocationTemplate> = new Map(all.map((each) => [each.slug, each]));

function templateFrom({ slug, name, description, ocpp_version, site, charger_groups }: LocationData): LocationTemplate {
  const groups = charger_groups.map((group) => groupFrom(slug, group));
  return {
    slug,
    name,
    description,
    type: powerFamily(groups.map((group) => group.model)),
    ocppVersion: ocpp_version,
    site: {
      country: site.country,
      city: site.city,
      address: site.address,
      postalCode: site.postal_code ?? null,
      state: site.state ?? null,
      parkingType: site.parking_type,
      latitude: site.latitude,
      longitude: site.longitude,
      timeZone: site.time_zone,
    },
    groups,
    totalChargers: groups.reduce((sum, { count }) => sum + count, 0),
    totalPowerKw: totalKw(groups.map(({ count, nominalKw }) => count * nominalKw)),
  };
}

function groupFrom(slug: string, data: LocationData['charger_groups'][number]): ChargerGroup {
  const of = brand(data.brand);
  const found = of === null ? null : model(of, data.model);
  if (found === null) throw new Error(`template ${slug}: the catalog has no model ${data.brand}/${data.model}`);
  return {
    model: found,
    connectorType: strongestConnector(found).type,
    ocppVersion: data.ocpp_version,
    count: data.count,
    nominalKw: data.nominal_kw,
  };
}
