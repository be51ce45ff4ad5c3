// A location template as a small scene: the place, some of its chargers, and the cars at them.

import type { ChargerGroup, LocationTemplate } from '../location-templates.ts';
import type { Form } from './body.ts';
import { formOf } from './model.ts';
import { backdropColours, sceneHeight, scenery, sceneWidth, sideCar, standY } from './scenery.ts';
import { circle, drawing, element, gradient, group, hash, hsl, hueOf, label, path, power, rectangle } from './svg.ts';

const captionHeight = 54;
const mostBays = 6;

export function drawLocation(template: LocationTemplate): string {
  const { slug, name, site, totalChargers, totalPowerKw, type } = template;
  const height = sceneHeight + captionHeight;
  return drawing(
    sceneWidth,
    height,
    `${name}, ${site.city}`,
    element(
      'defs',
      {},
      gradient(`sky-${slug}`, backdropColours[site.parkingType]),
      element('clipPath', { id: `frame-${slug}` }, rectangle(0, 0, sceneWidth, height, { rx: 18 })),
    ),
    group(
      { 'clip-path': `url(#frame-${slug})` },
      rectangle(0, 0, sceneWidth, sceneHeight, { fill: `url(#sky-${slug})` }),
      scenery(site.parkingType, slug),
      bays(template),
      rectangle(0, sceneHeight, sceneWidth, captionHeight, { fill: '#ffffff' }),
      label(name, { x: 20, y: sceneHeight + 25, width: 300, size: 18 }, { 'font-weight': 700, fill: '#1d232b' }),
      label(
        `${site.city}, ${site.country}`,
        { x: 20, y: sceneHeight + 43, width: 300, size: 12.5 },
        { fill: '#667080' },
      ),
      badge(type),
      label(
        `${totalChargers} chargers · ${power(totalPowerKw)}`,
        { x: 460, y: sceneHeight + 43, width: 180, size: 12.5 },
        { 'text-anchor': 'end', fill: '#667080' },
      ),
    ),
    rectangle(0.5, 0.5, sceneWidth - 1, height - 1, { rx: 18, fill: 'none', stroke: '#d3d9e0' }),
  );
}

const badgeColours = { AC: '#1f9d63', DC: '#2d6cdf', 'AC-DC': '#7a4fd0' } as const;

function badge(type: LocationTemplate['type']): string {
  const width = type.length * 9 + 18;
  return (
    rectangle(460 - width, sceneHeight + 10, width, 19, { rx: 9.5, fill: badgeColours[type] }) +
    element(
      'text',
      {
        x: 460 - width / 2,
        y: sceneHeight + 24,
        'font-size': 12,
        'font-weight': 700,
        'text-anchor': 'middle',
        fill: '#fff',
      },
      type,
    )
  );
}

/** Some of the chargers side by side, more of the larger groups, and a car at most of them. */
function bays(template: LocationTemplate): string {
  const { slug, site } = template;
  const shown = shownGroups(template.groups, Math.min(template.totalChargers, mostBays));
  const width = Math.min(440 / shown.length, 130);
  const left = (sceneWidth - width * shown.length) / 2;
  const isStreet = site.parkingType === 'ON_STREET';
  const middles = shown.map((_, index) => left + width * (index + 0.5));
  const lines = isStreet ? '' : bayLines([...middles.map((x) => x - width / 2), left + width * shown.length]);
  return (
    lines +
    shown
      .map(({ model }, index) => {
        const middle = middles[index] ?? 0;
        const seed = hash(`${slug} bay ${index}`);
        const isBusy = seed % 4 !== 0;
        const hue = hueOf(model.brandSlug);
        const chargerX = isStreet ? middle : middle - width * 0.3;
        const paint = carHues[(seed >>> 4) % carHues.length] ?? 210;
        const charger = miniature(formOf(model), chargerX, hue, isBusy);
        if (!isBusy) return charger;
        if (isStreet) return charger + plugged(chargerX, middle + 14, 226) + sideCar(middle + 4, 238, 0.76, paint);
        const carX = middle + width * 0.12;
        return charger + rearCar(carX, 242, paint) + plugged(chargerX, carX - 17, 222);
      })
      .join('')
  );
}

const carHues = [355, 210, 28, 160, 225, 190, 268, 12];

/** At least one of each group as far as they fit, then always one of the group that is shown too seldom. */
function shownGroups(groups: readonly ChargerGroup[], bayCount: number): readonly ChargerGroup[] {
  const shares = groups.slice(0, bayCount).map((each) => ({ group: each, shown: 1 }));
  for (let left = bayCount - shares.length; left > 0; left--) {
    const lacking = shares.reduce((most, each) =>
      each.group.count / each.shown > most.group.count / most.shown ? each : most,
    );
    lacking.shown += 1;
  }
  return shares.flatMap(({ group: each, shown }) => Array.from({ length: shown }, () => each));
}

/** Lines between the bays, spreading towards the viewer. */
const bayLines = (edges: readonly number[]): string =>
  path(
    edges.map((x) => `M${x} ${standY - 2}L${sceneWidth / 2 + (x - sceneWidth / 2) * 1.16} ${sceneHeight}`).join(''),
    { stroke: '#fff', 'stroke-opacity': 0.75, 'stroke-width': 2.5, fill: 'none' },
  );

const sizes: Readonly<Record<Form, { readonly width: number; readonly height: number }>> = {
  wallbox: { width: 19, height: 25 },
  'dc-wallbox': { width: 26, height: 32 },
  post: { width: 19, height: 50 },
  cabinet: { width: 26, height: 64 },
  tower: { width: 30, height: 82 },
};

/** A charger from afar; boxes hang on a pole. */
function miniature(form: Form, x: number, hue: number, isBusy: boolean): string {
  const { width, height } = sizes[form];
  const isBox = form === 'wallbox' || form === 'dc-wallbox';
  const top = standY - height - (isBox ? 26 : 0);
  const light = isBusy ? '#3b8cff' : '#35c97c';
  return (
    element('ellipse', { cx: x, cy: standY, rx: width * 0.8, ry: 3, fill: '#000', 'fill-opacity': 0.25 }) +
    (isBox ? rectangle(x - 2.5, top + height, 5, standY - top - height, { fill: '#6b7480' }) : '') +
    rectangle(x - width / 2, top, width, height, {
      rx: isBox ? 6 : 4,
      fill: '#f6f8fa',
      stroke: '#8f99a5',
      'stroke-width': 1,
    }) +
    (isBox || form === 'post'
      ? rectangle(x - width / 2 + 4, top + 4, width - 8, 3, { rx: 1.5, fill: light })
      : rectangle(x - width / 2, top, width, 8, { rx: 3, fill: hsl(hue, 62, 46) }) +
        rectangle(x - width / 2 + 4, top + 13, width - 8, 13, { rx: 2, fill: '#141a22' }) +
        rectangle(x - width / 2 + 6, top + 21, width - 12, 2.5, { rx: 1, fill: light })) +
    (isBox || form === 'post'
      ? circle(x, top + (isBox ? height * 0.62 : 18), 5, {
          fill: '#1d232b',
          stroke: hsl(hue, 62, 50),
          'stroke-width': 1.5,
        })
      : rectangle(x - width / 2 + 5, top + height - 20, width - 10, 2, { fill: '#b4bcc7' }) +
        rectangle(x - width / 2 + 5, top + height - 15, width - 10, 2, { fill: '#b4bcc7' }) +
        rectangle(x - width / 2 + 5, top + height - 10, width - 10, 2, { fill: '#b4bcc7' }))
  );
}

/** The cable from a charger to a car. */
const plugged = (fromX: number, toX: number, toY: number): string =>
  path(`M${fromX + 6} ${standY - 34}Q${(fromX + toX) / 2} ${standY + 34} ${toX} ${toY}`, {
    fill: 'none',
    stroke: '#20262e',
    'stroke-width': 2.5,
    'stroke-linecap': 'round',
  });

/** A car from behind; `x` is its middle, `y` the ground. */
const rearCar = (x: number, y: number, hue: number): string =>
  group(
    { transform: `translate(${x} ${y})` },
    element('ellipse', { cx: 0, cy: 0, rx: 28, ry: 4, fill: '#000', 'fill-opacity': 0.28 }),
    rectangle(-22, -8, 9, 9, { rx: 2.5, fill: '#16191e' }),
    rectangle(13, -8, 9, 9, { rx: 2.5, fill: '#16191e' }),
    path('M-25-6V-22Q-25-27-21-28L-16-42Q-14-46-9-46H9Q14-46 16-42L21-28Q25-27 25-22V-6Q25-3 22-3H-22Q-25-3-25-6Z', {
      fill: hsl(hue, 50, 50),
    }),
    path('M-17-29-13-40Q-12-42-9-42H9Q12-42 13-40L17-29Z', { fill: '#22303d' }),
    rectangle(-23, -24, 10, 5, { rx: 2, fill: '#ff5a4d' }),
    rectangle(13, -24, 10, 5, { rx: 2, fill: '#ff5a4d' }),
    rectangle(-8, -17, 16, 6, { rx: 1, fill: '#f2f4f7' }),
  );
