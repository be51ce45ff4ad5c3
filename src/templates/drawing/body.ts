// The bodies of chargers: what stands on the ground or hangs on a wall, with its outlets and cables.

import type { ModelConnector } from '../brands.ts';
import { connectorFace } from './connector-face.ts';
import { circle, element, group, hsl, path, rectangle } from './svg.ts';

export type Form = 'wallbox' | 'post' | 'dc-wallbox' | 'cabinet' | 'tower';

export interface Paint {
  readonly hue: number;
  readonly bodyFill: string;
}

/** In a space 320 wide, from 20 to 296 high. */
export function drawBody(form: Form, connectors: readonly ModelConnector[], paint: Paint): string {
  switch (form) {
    case 'wallbox':
      return wallbox(connectors, paint);
    case 'dc-wallbox':
      return dcWallbox(connectors, paint);
    case 'post':
      return post(connectors, paint);
    default:
      return cabinet(connectors, paint, form === 'tower');
  }
}

const outline = { stroke: '#aab3bf', 'stroke-width': 1.5 };
const floorY = 282;

const floor = (width: number): string =>
  element('ellipse', { cx: 160, cy: floorY + 2, rx: width / 2, ry: 8, fill: '#000', 'fill-opacity': 0.13 });

const accent = (hue: number): string => hsl(hue, 62, 46);
const glow = (hue: number): string => hsl(hue, 80, 62);

const bolt = (cx: number, cy: number, size: number, fill: string): string =>
  path('M12 0 2 14h7l-2 10L17 9h-7Z', {
    fill,
    transform: `translate(${cx - (size * 19) / 48} ${cy - size / 2}) scale(${size / 24})`,
  });

/** A plug resting on its holder: the holder's plate behind, the face on top. */
const holstered = (connector: ModelConnector, cx: number, cy: number, size: number): string =>
  rectangle(cx - size * 0.62, cy - size * 0.62, size * 1.24, size * 1.24, {
    rx: size * 0.3,
    fill: '#c9d0d8',
    ...outline,
  }) + connectorFace(connector.type, cx, cy, size);

/** A socket behind its frame. */
const socket = (connector: ModelConnector, cx: number, cy: number, size: number, hue: number): string =>
  circle(cx, cy, size * 0.66, { fill: '#eef1f5', stroke: glow(hue), 'stroke-width': 3 }) +
  connectorFace(connector.type, cx, cy, size);

/** From where it leaves the body, hanging through, up to the holder. */
const cable = (d: string): string =>
  path(d, { fill: 'none', stroke: '#2a3038', 'stroke-width': 9, 'stroke-linecap': 'round' }) +
  path(d, { fill: 'none', stroke: '#4a5461', 'stroke-width': 2.5, 'stroke-linecap': 'round' });

function wallbox([connector]: readonly ModelConnector[], { hue, bodyFill }: Paint): string {
  if (connector === undefined) return '';
  const isTethered = connector.format === 'CABLE';
  const x = isTethered ? 76 : 92;
  const body = group(
    {},
    rectangle(x + 5, 57, 136, 178, { rx: 34, fill: '#000', 'fill-opacity': 0.1 }),
    rectangle(x, 50, 136, 178, { rx: 34, fill: bodyFill, ...outline }),
    rectangle(x + 38, 70, 60, 7, { rx: 3.5, fill: glow(hue) }),
  );
  if (!isTethered) return body + socket(connector, 160, 150, 78, hue);
  const middle = x + 68;
  return (
    cable(`M${middle} 224V246Q${middle} 286 ${middle + 48} 286Q244 286 244 236V170`) +
    body +
    circle(middle, 140, 34, { fill: 'none', stroke: hsl(hue, 40, 86), 'stroke-width': 8 }) +
    path(`M${middle} 106A34 34 0 1 1 ${middle - 34} 140`, {
      fill: 'none',
      stroke: accent(hue),
      'stroke-width': 8,
      'stroke-linecap': 'round',
    }) +
    bolt(middle, 140, 34, accent(hue)) +
    holstered(connector, 244, 138, 52)
  );
}

function dcWallbox(connectors: readonly ModelConnector[], { hue, bodyFill }: Paint): string {
  const sides = besides(connectors, 92, 228);
  return (
    sides.map(({ cx, inward }) => loop(cx, 132, cx + inward * 68, 196, 286)).join('') +
    rectangle(97, 45, 136, 170, { rx: 16, fill: '#000', 'fill-opacity': 0.1 }) +
    rectangle(92, 38, 136, 170, { rx: 16, fill: bodyFill, ...outline }) +
    rectangle(92, 54, 136, 10, { fill: accent(hue) }) +
    screen(118, 80, 84, 48, hue) +
    vents(124, 150, 72, 5) +
    sides.map(({ connector, cx }) => holstered(connector, cx, 112, 46)).join('')
  );
}

function post(connectors: readonly ModelConnector[], { hue, bodyFill }: Paint): string {
  const isTethered = connectors.some(({ format }) => format === 'CABLE');
  const width = isTethered ? 92 : 144;
  const x = 160 - width / 2;
  const stand =
    rectangle(x - 10, floorY - 8, width + 20, 10, { rx: 3, fill: '#8a94a1' }) +
    path(
      `M${x} ${floorY - 8}V66Q${x} 30 ${x + 36} 30H${x + width - 36}Q${x + width} 30 ${x + width} 66V${floorY - 8}Z`,
      { fill: bodyFill, ...outline },
    ) +
    rectangle(x + 22, 50, width - 44, 7, { rx: 3.5, fill: glow(hue) });
  if (isTethered) {
    const sides = besides(connectors, x, x + width);
    return (
      floor(width + 120) +
      sides.map(({ cx, inward }) => loop(cx, 150, cx + inward * 30, 214, 272)).join('') +
      stand +
      screen(x + 16, 74, width - 32, 46, hue) +
      bolt(160, 196, 48, accent(hue)) +
      sides.map(({ connector, cx }) => holstered(connector, cx, 130, 46)).join('')
    );
  }
  return (
    floor(width + 70) +
    stand +
    screen(x + 34, 70, width - 68, 38, hue) +
    connectors
      .slice(0, 2)
      .map((connector, index) => socket(connector, index === 0 ? 125 : 195, 154, 44, hue))
      .join('') +
    rectangle(x + 18, 210, width - 36, 4, { rx: 2, fill: accent(hue) }) +
    bolt(160, 242, 32, accent(hue))
  );
}

function cabinet(connectors: readonly ModelConnector[], { hue, bodyFill }: Paint, isTower: boolean): string {
  const [width, top] = isTower ? [140, 22] : [124, 50];
  const x = 160 - width / 2;
  const sides = besides(connectors, x, x + width);
  const [, , third] = connectors;
  const holderY = top + 96;
  return (
    floor(width + 130) +
    sides.map(({ cx, inward }) => loop(cx, holderY + 20, cx + inward * 26, 236, 276)).join('') +
    rectangle(x - 8, floorY - 10, width + 16, 12, { rx: 3, fill: '#7d8794' }) +
    rectangle(x, top, width, floorY - 10 - top, { rx: 13, fill: bodyFill, ...outline }) +
    path(
      `M${x} ${top + 26}V${top + 14}Q${x} ${top} ${x + 14} ${top}H${x + width - 14}Q${x + width} ${top} ${x + width} ${top + 14}V${top + 26}Z`,
      { fill: accent(hue) },
    ) +
    bolt(160, top + 13, 18, '#fff') +
    screen(x + 26, top + 40, width - 52, isTower ? 62 : 50, hue) +
    (isTower
      ? rectangle(x + 8, top + 34, 4, 214, { rx: 2, fill: glow(hue) }) +
        rectangle(x + width - 12, top + 34, 4, 214, { rx: 2, fill: glow(hue) })
      : '') +
    (third === undefined
      ? cardReader(top + (isTower ? 116 : 104)) + vents(x + 30, isTower ? 178 : 190, width - 60, isTower ? 8 : 7)
      : frontLoop(top + 162) + holstered(third, 160, top + (isTower ? 148 : 136), 44)) +
    sides.map(({ connector, cx }) => holstered(connector, cx, holderY, 46)).join('')
  );
}

/** The first connector is held on the right of a body, the second on the left. */
const besides = (connectors: readonly ModelConnector[], left: number, right: number) =>
  connectors
    .slice(0, 2)
    .map((connector, index) =>
      index === 0 ? { connector, cx: right + 22, inward: -1 } : { connector, cx: left - 22, inward: 1 },
    );

/** A cable that leaves a holder at its lower end, hangs down to `lowY` and comes up to where the body takes it in. */
const loop = (cx: number, fromY: number, toX: number, toY: number, lowY: number): string => {
  const outward = Math.sign(cx - toX) || 1;
  return cable(
    `M${cx} ${fromY}C${cx + outward * 6} ${fromY + 50} ${cx + outward * 16} ${lowY} ${(cx + toX) / 2 + outward * 4} ${lowY}S${toX} ${toY + 26} ${toX} ${toY}`,
  );
};

/** The same where the holder is on the front. */
const frontLoop = (fromY: number): string =>
  cable(`M160 ${fromY}V240Q160 262 179 262Q198 262 198 240V228`) + circle(198, 228, 7, { fill: '#7d8794' });

const cardReader = (y: number): string => rectangle(146, y, 28, 18, { rx: 4, fill: '#c9d0d8', ...outline });

const screen = (x: number, y: number, width: number, height: number, hue: number): string =>
  rectangle(x, y, width, height, { rx: 6, fill: '#141a22' }) +
  rectangle(x + 8, y + 9, width * 0.5, 5, { rx: 2.5, fill: '#e8edf3' }) +
  rectangle(x + 8, y + 19, width * 0.34, 4, { rx: 2, fill: '#6c7887' }) +
  rectangle(x + 8, y + height - 11, width - 16, 4, { rx: 2, fill: '#323b47' }) +
  rectangle(x + 8, y + height - 11, (width - 16) * 0.62, 4, { rx: 2, fill: glow(hue) });

const vents = (x: number, y: number, width: number, count: number): string =>
  Array.from({ length: count }, (_, index) => rectangle(x, y + index * 9, width, 4, { rx: 2, fill: '#b4bcc7' })).join(
    '',
  );
