// SVG as text: elements, escaping, and colours that follow from a name.

export type Attributes = Readonly<Record<string, string | number>>;

/** An element. Children are markup already; words go through `escaped` first. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? short(value) : escaped(value)}"`)
    .join('');
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join('')}</${name}>`;
}

export const group = (attributes: Attributes, ...children: readonly string[]): string =>
  element('g', attributes, ...children);

/** A whole drawing. The title is what a screen reader says. */
export function drawing(width: number, height: number, title: string, ...children: readonly string[]): string {
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${short(width)} ${short(height)}`,
      role: 'img',
      'font-family': 'system-ui, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif',
    },
    element('title', {}, escaped(title)),
    ...children,
  );
}

export const rectangle = (x: number, y: number, width: number, height: number, attributes: Attributes): string =>
  element('rect', { x, y, width, height, ...attributes });

export const circle = (cx: number, cy: number, r: number, attributes: Attributes): string =>
  element('circle', { cx, cy, r, ...attributes });

export const path = (d: string, attributes: Attributes): string => element('path', { d, ...attributes });

/** A word or two in one line, made smaller and, at the smallest, cut where it would be wider than allowed. */
export function label(
  words: string,
  place: { readonly x: number; readonly y: number; readonly width: number; readonly size: number },
  attributes: Attributes,
): string {
  const fitting = place.width / (words.length * averageLetter);
  const smallest = place.size * smallestShare;
  const size = Math.max(Math.min(place.size, fitting), smallest);
  const letters = fitting >= smallest ? words.length : Math.floor(place.width / (smallest * averageLetter));
  const shown = words.length > letters ? `${words.slice(0, letters - 1).trimEnd()}…` : words;
  return element('text', { x: place.x, y: place.y, 'font-size': size, ...attributes }, escaped(shown));
}

/** Of a letter's height: what bold letters of a wide sans-serif are wide on average. */
const averageLetter = 0.65;
const smallestShare = 0.6;

/** From above to below unless it says otherwise. `stops` are colours at equal distances. */
export function gradient(id: string, stops: readonly string[], attributes: Attributes = { x2: 0, y2: 1 }): string {
  return element(
    'linearGradient',
    { id, ...attributes },
    ...stops.map((colour, index) =>
      element('stop', { offset: index / Math.max(stops.length - 1, 1), 'stop-color': colour }),
    ),
  );
}

const notInXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Words as they may stand between tags and in attributes. */
export const escaped = (words: string): string =>
  words.replace(notInXml, '').replace(/[&<>"']/g, (character) => entities[character] ?? '');

const short = (value: number): string => String(Math.round(value * 100) / 100);

/** FNV-1a: the same number for the same words, and far apart for similar ones. */
export function hash(words: string): number {
  let value = 0x811c9dc5;
  for (const character of words) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  // The last letters would otherwise hardly reach the high bits.
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

/** The colour of a brand: where on the colour wheel its slug falls, leaving out the olives, which nothing white stands on. */
export function hueOf(slug: string): number {
  const hue = hash(slug) % (360 - olives.width);
  return hue < olives.from ? hue : hue + olives.width;
}

const olives = { from: 36, width: 80 };

export const hsl = (hue: number, saturation: number, lightness: number): string =>
  `hsl(${Math.round(((hue % 360) + 360) % 360)}, ${saturation}%, ${lightness}%)`;

/** `1.2 MW`, `22 kW`. */
export const power = (kilowatts: number): string =>
  kilowatts >= 1_000 ? `${Math.round(kilowatts / 100) / 10} MW` : `${Math.round(kilowatts * 10) / 10} kW`;
