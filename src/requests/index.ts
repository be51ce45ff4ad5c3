// The list of what a CSMS can ask.

import { dataTransfer } from './data-transfer.ts';
import { remoteStart } from './remote-start.ts';
import { remoteStop } from './remote-stop.ts';
import type { RequestHandler, Requests } from './request.ts';

export const requestHandlers: { readonly [Kind in keyof Requests]: RequestHandler<Kind> } = {
  'remote-start': remoteStart,
  'remote-stop': remoteStop,
  'data-transfer': dataTransfer,
};
