// Where the drawings are found on the server, and which drawing is found there.

import { type Brand, brand, type Model, model } from './brands.ts';
import { drawBrand } from './drawing/brand.ts';
import { drawLocation } from './drawing/location.ts';
import { drawModel } from './drawing/model.ts';
import { type LocationTemplate, locationTemplate } from './location-templates.ts';

export const imageContentType = 'image/svg+xml; charset=utf-8';

export const brandImagePath = ({ slug }: Pick<Brand, 'slug'>): string => `/images/brands/${slug}.svg`;
export const modelImagePath = ({ brandSlug, slug }: Pick<Model, 'brandSlug' | 'slug'>): string =>
  `/images/models/${brandSlug}/${slug}.svg`;
export const locationImagePath = ({ slug }: Pick<LocationTemplate, 'slug'>): string => `/images/locations/${slug}.svg`;

/** `publicUrl` is how clients reach this server, with or without a slash at the end. */
export const imageUrl = (publicUrl: string, path: string): string => `${publicUrl.replace(/\/+$/, '')}${path}`;

/** The SVG at one of the paths above, or null where there is none. */
export function imageAt(path: string): string | null {
  const [, kind, first = '', second = ''] =
    /^\/images\/([a-z]+)\/([a-z0-9-]+)(?:\/([a-z0-9-]+))?\.svg$/.exec(path) ?? [];
  if (kind === 'models') {
    const of = brand(first);
    const found = of === null || second === '' ? null : model(of, second);
    return found === null ? null : drawModel(found);
  }
  if (second !== '') return null;
  if (kind === 'brands') {
    const found = brand(first);
    return found === null ? null : drawBrand(found);
  }
  const found = kind === 'locations' ? locationTemplate(first) : null;
  return found === null ? null : drawLocation(found);
}
