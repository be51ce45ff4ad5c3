// The places where chargers stand, one backdrop per kind of parking. All are 480 wide; chargers stand at `standY`.

import type { ParkingType } from '../catalog-data.ts';
import { circle, element, group, hash, hsl, path, rectangle } from './svg.ts';

export const sceneWidth = 480;
export const sceneHeight = 252;
/** Where the feet of chargers are. */
export const standY = 206;

/** Colours of the sky or the walls, from above to below. */
export const backdropColours: Readonly<Record<ParkingType, readonly string[]>> = {
  ALONG_MOTORWAY: ['#9cc9ee', '#fbe8d3'],
  PARKING_GARAGE: ['#b9c1ca', '#dde2e7'],
  PARKING_LOT: ['#a6d3f2', '#eaf5fb'],
  ON_DRIVEWAY: ['#a9d6f5', '#fdf3e2'],
  ON_STREET: ['#b5d5ee', '#f4efe8'],
  UNDERGROUND_GARAGE: ['#2c343f', '#465261'],
};

/** What is behind the chargers. The seed moves trees, windows and the sun. */
export const scenery = (parkingType: ParkingType, seed: string): string => places[parkingType](seed);

const places: Readonly<Record<ParkingType, (seed: string) => string>> = {
  ALONG_MOTORWAY: motorway,
  PARKING_GARAGE: garage,
  PARKING_LOT: parkingLot,
  ON_DRIVEWAY: driveway,
  ON_STREET: street,
  UNDERGROUND_GARAGE: undergroundGarage,
};

/** A number from 0 up to but not including `below`, by the seed and what it is for. */
const pick = (seed: string, purpose: string, below: number): number => hash(`${seed} ${purpose}`) % below;

const polygon = (points: string, attributes: Readonly<Record<string, string | number>>): string =>
  element('polygon', { points, ...attributes });

const sun = (seed: string): string => {
  const x = 60 + pick(seed, 'sun', 360);
  return circle(x, 44, 34, { fill: '#fff', 'fill-opacity': 0.35 }) + circle(x, 44, 20, { fill: '#fff6d8' });
};

const cloud = (x: number, y: number, scale: number): string =>
  path('M0 20a14 14 0 0 1 4-27 20 20 0 0 1 37-4 15 15 0 0 1 22 14 9 9 0 0 1-1 17Z', {
    fill: '#fff',
    'fill-opacity': 0.75,
    transform: `translate(${x} ${y}) scale(${scale})`,
  });

const sky = (seed: string): string =>
  sun(seed) + cloud(20 + pick(seed, 'cloud', 160), 40, 0.9) + cloud(250 + pick(seed, 'other cloud', 150), 58, 0.7);

const hills = (seed: string, nearColour: string, farColour: string): string => {
  const shift = pick(seed, 'hills', 80) - 40;
  return (
    path(`M0 150Q${110 + shift} 92 ${230 + shift} 140T480 118V200H0Z`, { fill: farColour }) +
    path(`M0 176Q${90 - shift} 134 ${220 - shift} 168T480 150V210H0Z`, { fill: nearColour })
  );
};

const tree = (x: number, y: number, size: number, hue: number): string =>
  rectangle(x - size * 0.06, y - size * 0.4, size * 0.12, size * 0.4, { fill: '#7a5a3c' }) +
  circle(x, y - size * 0.62, size * 0.34, { fill: hsl(hue, 38, 42) }) +
  circle(x - size * 0.2, y - size * 0.48, size * 0.22, { fill: hsl(hue, 38, 38) }) +
  circle(x + size * 0.2, y - size * 0.5, size * 0.24, { fill: hsl(hue, 38, 46) });

const asphalt = (fromY: number, colour = '#59626d'): string =>
  rectangle(0, fromY, sceneWidth, sceneHeight - fromY, { fill: colour });

function parkingLot(seed: string): string {
  const trees = Array.from({ length: 7 }, (_, index) => {
    const x = 20 + index * 72 + pick(seed, `tree ${index}`, 36);
    return tree(x, 194, 52 + pick(seed, `size ${index}`, 34), 88 + pick(seed, `leaves ${index}`, 50));
  });
  return (
    sky(seed) +
    skyline(seed) +
    hills(seed, '#a9c98c', '#c4dba9') +
    trees.join('') +
    rectangle(0, 192, sceneWidth, 8, { fill: '#86a869' }) +
    asphalt(198)
  );
}

const skyline = (seed: string): string =>
  group(
    { fill: '#b7c6d6', 'fill-opacity': 0.8 },
    ...Array.from({ length: 9 }, (_, index) => {
      const height = 30 + pick(seed, `tower ${index}`, 54);
      return rectangle(index * 56 - 8 + pick(seed, `gap ${index}`, 18), 170 - height, 38, height, {});
    }),
  );

function motorway(seed: string): string {
  const cars = [0, 1, 2].map((index) => {
    const x = 30 + index * 160 + pick(seed, `traffic ${index}`, 90);
    return sideCar(x, index % 2 === 0 ? 157 : 168, 0.42, pick(seed, `paint ${index}`, 360));
  });
  return (
    sky(seed) +
    hills(seed, '#9dbf86', '#bcd3b0') +
    rectangle(0, 148, sceneWidth, 24, { fill: '#707a86' }) +
    path('M0 160H480', { stroke: '#fff', 'stroke-width': 1.5, 'stroke-dasharray': '14 10' }) +
    cars.join('') +
    rectangle(0, 172, sceneWidth, 22, { fill: '#8fb377' }) +
    asphalt(192) +
    // The roof over the chargers.
    rectangle(40, 88, 8, 116, { fill: '#8c96a3' }) +
    rectangle(432, 88, 8, 116, { fill: '#8c96a3' }) +
    polygon('14,78 466,78 454,98 26,98', { fill: '#f4f6f9' }) +
    rectangle(26, 96, 428, 4, { fill: '#3fbf7f' })
  );
}

function garage(): string {
  const openings = [0, 1, 2].map((index) =>
    rectangle(38 + index * 146, 74, 100, 44, { fill: '#bfe0f6', stroke: '#8f98a3', 'stroke-width': 3 }),
  );
  return (
    rectangle(0, 0, sceneWidth, 40, { fill: '#9aa3ad' }) +
    [0, 1, 2, 3].map((index) => rectangle(index * 146 + 4, 0, 22, 54, { fill: '#868f9a' })).join('') +
    openings.join('') +
    rectangle(0, 176, sceneWidth, 20, { fill: '#c3cad1' }) +
    rectangle(0, 184, sceneWidth, 5, { fill: '#4aa3df' }) +
    [0, 1, 2, 3].map((index) => rectangle(index * 146 + 6, 40, 18, 158, { fill: '#a4acb6' })).join('') +
    asphalt(196, '#767f8a') +
    parkingSign(240, 20)
  );
}

const parkingSign = (x: number, y: number): string =>
  rectangle(x - 12, y, 24, 24, { rx: 4, fill: '#2468b4' }) +
  path(`M${x - 4} ${y + 18}V${y + 6}h5a3.6 3.6 0 0 1 0 7.2h-5`, {
    fill: 'none',
    stroke: '#fff',
    'stroke-width': 3,
    'stroke-linejoin': 'round',
  });

function undergroundGarage(): string {
  const lamps = [0, 1, 2].map((index) => {
    const x = 80 + index * 160;
    return (
      polygon(`${x - 30},34 ${x + 30},34 ${x + 82},206 ${x - 82},206`, { fill: '#fff7dc', 'fill-opacity': 0.1 }) +
      rectangle(x - 30, 28, 60, 7, { rx: 3, fill: '#fff3c4' })
    );
  });
  const pillars = [0, 1, 2, 3].map((index) => {
    const x = index * 160 - 12;
    const stripes = [0, 1, 2].map((stripe) =>
      polygon(
        `${x},${170 + stripe * 12} ${x + 24},${162 + stripe * 12} ${x + 24},${168 + stripe * 12} ${x},${176 + stripe * 12}`,
        { fill: '#e8b93a' },
      ),
    );
    return rectangle(x, 22, 24, 180, { fill: '#5c6876' }) + stripes.join('');
  });
  return (
    rectangle(0, 0, sceneWidth, 22, { fill: '#1f262f' }) +
    path('M0 52H480M0 60H480', { stroke: '#66727f', 'stroke-width': 3 }) +
    lamps.join('') +
    rectangle(0, 150, sceneWidth, 6, { fill: '#3fbf7f', 'fill-opacity': 0.7 }) +
    pillars.join('') +
    asphalt(198, '#39424d')
  );
}

function driveway(seed: string): string {
  const hue = pick(seed, 'walls', 360);
  return (
    sky(seed) +
    hills(seed, '#9cc27f', '#bcd7a3') +
    tree(38, 198, 92, 100) +
    tree(452, 198, 78, 120) +
    rectangle(86, 118, 300, 84, { fill: hsl(hue, 28, 90) }) +
    polygon('66,122 118,62 318,62 370,122', { fill: hsl(hue, 26, 42) }) +
    polygon('262,128 324,84 406,128', { fill: hsl(hue, 26, 36) }) +
    rectangle(272, 126, 124, 76, { fill: hsl(hue, 24, 84) }) +
    rectangle(284, 140, 100, 62, { fill: '#f7f8fa', stroke: '#b9c1ca', 'stroke-width': 1.5 }) +
    path('M284 155H384M284 170H384M284 185H384', { stroke: '#ccd3da', 'stroke-width': 1.5 }) +
    rectangle(188, 150, 28, 52, { rx: 2, fill: hsl(hue, 38, 34) }) +
    circle(210, 177, 2, { fill: '#f0d98a' }) +
    [108, 148, 228].map((x) => window(x, 138, 26, 28)).join('') +
    solarPanels() +
    rectangle(0, 198, sceneWidth, 54, { fill: '#8fb96f' }) +
    polygon('60,200 440,200 480,252 0,252', { fill: '#8b929b' })
  );
}

const window = (x: number, y: number, width: number, height: number): string =>
  rectangle(x, y, width, height, { rx: 2, fill: '#cfe6f5', stroke: '#fff', 'stroke-width': 3 }) +
  path(`M${x + width / 2} ${y}V${y + height}`, { stroke: '#fff', 'stroke-width': 2 });

const solarPanels = (): string =>
  [0, 1, 2]
    .map((index) =>
      polygon(`${138 + index * 38},74 ${170 + index * 38},74 ${162 + index * 38},98 ${128 + index * 38},98`, {
        fill: '#27476f',
        stroke: '#8fb0d6',
        'stroke-width': 1,
      }),
    )
    .join('');

function street(seed: string): string {
  const houses = Array.from({ length: 7 }, (_, index) => {
    const [x, width] = [index * 70 - 6, 68];
    const height = 96 + pick(seed, `storey ${index}`, 40);
    const [hue, top] = [12 + pick(seed, `brick ${index}`, 40), 190 - height];
    const windows = [0, 1, 2].flatMap((row) =>
      top + 16 + row * 34 < 140
        ? [window(x + 11, top + 14 + row * 34, 16, 22), window(x + 41, top + 14 + row * 34, 16, 22)]
        : [],
    );
    const gable =
      pick(seed, `gable ${index}`, 2) === 0
        ? polygon(`${x},${top} ${x + width / 2},${top - 26} ${x + width},${top}`, { fill: hsl(hue, 24, 34) })
        : rectangle(x, top - 8, width, 8, { fill: hsl(hue, 20, 40) });
    return (
      rectangle(x, top, width, height, { fill: hsl(hue, 36, 50 + pick(seed, `light ${index}`, 18)) }) +
      gable +
      windows.join('') +
      rectangle(x + 26, 156, 17, 34, { fill: hsl(190 + pick(seed, `door ${index}`, 120), 36, 32) })
    );
  });
  return (
    sky(seed) +
    houses.join('') +
    rectangle(0, 188, sceneWidth, 24, { fill: '#c7c9cc' }) +
    rectangle(0, 210, sceneWidth, 4, { fill: '#9da3aa' }) +
    asphalt(214) +
    path('M0 247H480', { stroke: '#fff', 'stroke-opacity': 0.7, 'stroke-width': 2, 'stroke-dasharray': '22 16' })
  );
}

/** A car from its side; `x` is its middle, `y` the ground. */
export const sideCar = (x: number, y: number, scale: number, hue: number): string =>
  group(
    { transform: `translate(${x} ${y}) scale(${scale})` },
    element('ellipse', { cx: 0, cy: 0, rx: 44, ry: 4, fill: '#000', 'fill-opacity': 0.2 }),
    path('M-44-8Q-46-20-32-22L-18-36Q-15-39-10-39H12Q17-39 21-35L33-23Q46-21 45-8Q45-5 42-5H-41Q-44-5-44-8Z', {
      fill: hsl(hue, 48, 52),
    }),
    path('M-27-22-15-34Q-13-36-10-36H-1V-22ZM3-22V-36H12Q15-36 18-33L28-22Z', { fill: '#22303d' }),
    circle(-26, -6, 8, { fill: '#1b2027' }),
    circle(26, -6, 8, { fill: '#1b2027' }),
    circle(-26, -6, 3.5, { fill: '#aab3bd' }),
    circle(26, -6, 3.5, { fill: '#aab3bd' }),
    rectangle(40, -18, 5, 5, { rx: 2, fill: '#f35b4e' }),
  );
