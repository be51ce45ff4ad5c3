// The faces of connectors: each type as the arrangement of its pins, in a square.

import type { ConnectorType } from '../catalog-data.ts';
import { circle, group, path, rectangle } from './svg.ts';

/** Draws the face around a centre, `size` wide and high. */
export function connectorFace(type: ConnectorType, cx: number, cy: number, size: number): string {
  const scale = size / 100;
  return group({ transform: `translate(${cx - size / 2} ${cy - size / 2}) scale(${scale})` }, faces[type]);
}

const rim = { fill: '#3d4754' };
const shell = { fill: '#1d232b' };
const metal = { fill: '#dfe5ec' };
const bore = { fill: '#8d99a8' };

interface Pin {
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

const pins = (...all: readonly Pin[]): string =>
  all.map(({ x, y, r }) => circle(x, y, r, metal) + circle(x, y, r * 0.45, bore)).join('');

const pin = (x: number, y: number, r: number): Pin => ({ x, y, r });

/** The same outline twice: with a broad stroke as the rim, then as the face. */
const rimmed = (outline: (attributes: Readonly<Record<string, string>>) => string): string =>
  outline({ ...rim, stroke: '#3d4754', 'stroke-width': '6', 'stroke-linejoin': 'round' }) + outline(shell);

const round = rimmed((attributes) => circle(50, 50, 45, attributes));
/** A circle with its top cut off. */
const flatTopped = rimmed((attributes) => path('M23.2 14H76.8A45 45 0 1 1 23.2 14Z', attributes));
const tapered = rimmed((attributes) =>
  path('M22 12H78Q95 12 93 30L84 74Q80 90 64 90H36Q20 90 16 74L7 30Q5 12 22 12Z', attributes),
);

const type1Pins = pins(pin(32, 36, 10.5), pin(68, 36, 10.5), pin(25, 61, 5.5), pin(75, 61, 5.5), pin(50, 74, 9));
const type2Pins = pins(
  pin(37, 29, 5.5),
  pin(63, 29, 5.5),
  pin(23, 51, 8.5),
  pin(50, 51, 8.5),
  pin(77, 51, 8.5),
  pin(36, 74, 8.5),
  pin(64, 74, 8.5),
);

/** The AC part above, made smaller, and the two DC pins below: one outline around both. */
function combined(ac: string, acOutline: (attributes: Readonly<Record<string, string>>) => string): string {
  const dcOutline = (attributes: Readonly<Record<string, string>>): string =>
    rectangle(15, 58, 70, 36, { rx: 18, ...attributes });
  const outline = rimmed((attributes) => acOutline(attributes) + dcOutline(attributes));
  const acPart = group({ transform: 'translate(19.5 2) scale(0.61)' }, ac);
  return outline + acPart + pins(pin(33, 77, 10), pin(67, 77, 10));
}

/** A cluster of four small pins in their own collar. */
const cluster = (y: number): string =>
  circle(50, y, 15.5, { fill: 'none', stroke: '#56616f', 'stroke-width': '2.5' }) +
  pins(pin(44, y - 6, 4), pin(56, y - 6, 4), pin(44, y + 6, 4), pin(56, y + 6, 4));

const faces: Readonly<Record<ConnectorType, string>> = {
  Type1: round + type1Pins,
  Type2: flatTopped + type2Pins,
  CCS1: combined(type1Pins, (attributes) => circle(50, 32.5, 28, attributes)),
  CCS2: combined(type2Pins, (attributes) => path('M33.2 10H66.8A28.5 28.5 0 1 1 33.2 10Z', attributes)),
  CHAdeMO: round + pins(pin(22, 50, 11.5), pin(78, 50, 11.5)) + cluster(27.5) + cluster(72.5),
  NACS: tapered + pins(pin(32, 38, 13), pin(68, 38, 13), pin(29, 68, 5.5), pin(71, 68, 5.5), pin(50, 71, 8.5)),
};
