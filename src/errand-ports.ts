// What chargers' errands are run with in this product: loaded when the first charger needs it, and then shared.

import type { ErrandPorts } from './fleet/errands.ts';

let files: ReturnType<ErrandPorts['files']> | null = null;
let keys: ReturnType<ErrandPorts['keys']> | null = null;

export const errandPorts: ErrandPorts = {
  files: () => (files ??= import('./adapters/files/network.ts').then(({ NetworkFiles }) => new NetworkFiles())),
  keys: () => (keys ??= import('./adapters/keys/node.ts').then(({ NodeKeys }) => new NodeKeys())),
};
