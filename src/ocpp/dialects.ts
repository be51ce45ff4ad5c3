// The versions of OCPP that can be spoken. Each is loaded when the first charger needs it: schemas are large.

import type { Dialect } from './dialect.ts';

const loaders: Readonly<Record<string, () => Promise<Dialect>>> = {
  '1.6': () => import('./v16/dialect.ts').then((module) => module.dialect16),
  '2.0.1': () => import('./v201/dialect.ts').then((module) => module.dialect201),
  '2.1': () => import('./v21/dialect.ts').then((module) => module.dialect21),
};

export function loadDialect(version: string): Promise<Dialect> {
  const load = loaders[version];
  return load === undefined ? Promise.reject(new Error(`OCPP ${version} is not spoken here`)) : load();
}
