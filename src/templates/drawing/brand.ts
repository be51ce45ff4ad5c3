// A brand as a tile: its initials on a colour of its own. Never a logo.

import type { Brand } from '../brands.ts';
import { drawing, element, escaped, gradient, hsl, hueOf, path, rectangle } from './svg.ts';

export function drawBrand({ name, slug }: Pick<Brand, 'name' | 'slug'>): string {
  const hue = hueOf(slug);
  const id = `brand-${slug}`;
  return drawing(
    128,
    128,
    name,
    element('defs', {}, gradient(id, [hsl(hue, 60, 47), hsl(hue + 22, 64, 33)], { x2: 1, y2: 1 })),
    rectangle(0, 0, 128, 128, { rx: 28, fill: `url(#${id})` }),
    // The light falls from above.
    path('M0 28A28 28 0 0 1 28 0H100A28 28 0 0 1 128 28V44Q64 84 0 56Z', { fill: '#fff', 'fill-opacity': 0.09 }),
    element(
      'text',
      {
        x: 64,
        y: 66,
        'font-size': 58,
        'font-weight': 700,
        'letter-spacing': -1,
        fill: '#fff',
        'text-anchor': 'middle',
        'dominant-baseline': 'central',
      },
      escaped(monogram(name)),
    ),
  );
}

/** The initials of the first two words; the first two letters where there is one word, or the first is an abbreviation. */
export function monogram(name: string): string {
  const [first = '', second] = name.split(/\s+/);
  const isAbbreviation = first === first.toUpperCase();
  const [one = '', two = ''] = second === undefined || isAbbreviation ? [...first] : [first, second].map(initial);
  return one.toUpperCase() + two;
}

const initial = (word: string): string => ([...word][0] ?? '').toUpperCase();
