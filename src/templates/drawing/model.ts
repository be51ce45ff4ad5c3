// A model as a drawing: a wallbox, a post or a cabinet with its outlets, its name and its power.

import type { Model } from '../brands.ts';
import { connectorsOf, currentOf } from '../layout.ts';
import { drawBody, type Form } from './body.ts';
import { drawing, element, gradient, hsl, hueOf, label, power, rectangle } from './svg.ts';

const strongestDcWallboxKw = 40;
const weakestTowerKw = 150;

/** What kind of thing it is, as its current, outlets and power suggest. */
export function formOf(model: Model): Form {
  const connectors = connectorsOf(model);
  if (connectors.every((connector) => currentOf(connector) === 'AC')) return connectors.length > 1 ? 'post' : 'wallbox';
  if (model.maxKw <= strongestDcWallboxKw) return 'dc-wallbox';
  return model.maxKw < weakestTowerKw ? 'cabinet' : 'tower';
}

export function drawModel(model: Model): string {
  const hue = hueOf(model.brandSlug);
  const key = `${model.brandSlug}-${model.slug}`;
  const centred = { 'text-anchor': 'middle' };
  return drawing(
    320,
    380,
    `${model.brandName} ${model.name}`,
    element(
      'defs',
      {},
      gradient(`back-${key}`, [hsl(hue, 38, 97), hsl(hue, 32, 90)]),
      gradient(`body-${key}`, ['#ffffff', '#dfe4ea'], { x2: 1, y2: 1 }),
    ),
    rectangle(0, 0, 320, 380, { rx: 20, fill: `url(#back-${key})` }),
    drawBody(formOf(model), connectorsOf(model), { hue, bodyFill: `url(#body-${key})` }),
    label(
      model.brandName,
      { x: 160, y: 318, width: 280, size: 13 },
      { ...centred, 'font-weight': 600, 'letter-spacing': 0.6, fill: hsl(hue, 55, 36) },
    ),
    label(model.name, { x: 160, y: 343, width: 290, size: 22 }, { ...centred, 'font-weight': 700, fill: '#1d232b' }),
    label(
      `${power(model.maxKw)} · ${outletsOf(model)}`,
      { x: 160, y: 365, width: 290, size: 14 },
      { ...centred, fill: '#566070' },
    ),
  );
}

/** `2 × Type2`, `CCS2 / CHAdeMO + Type2`: the EVSEs, and what each offers a choice of. */
export function outletsOf(model: Model): string {
  const evses = model.evses.map(({ connectors }) => connectors.map(({ type }) => type).join(' / '));
  const counts = new Map<string, number>();
  for (const each of evses) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].map(([each, count]) => (count === 1 ? each : `${count} × ${each}`)).join(' + ');
}
