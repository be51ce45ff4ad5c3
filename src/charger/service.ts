// Files, firmware and certificates together: what they keep, when they are due, and how they go on after an interruption.

import { askForCertificate, keptRequest, keyMade } from './certificates.ts';
import { andThen, type Charger, noUploads, type Step, step } from './charger.ts';
import type { Errand, ErrandResult } from './errand.ts';
import { firmwareDue, firmwareDueMs, firmwareReturned, goOnUpdating, interruptedUpdate } from './firmware.ts';
import { noSecurity } from './security.ts';
import { type Station, withFirmware } from './station.ts';
import { goOnUploading, interrupted, retryUpload, uploadReturned } from './uploads.ts';

type Service = Pick<Charger, 'uploads' | 'firmware' | 'security'>;
export type ServiceMemory = Partial<Service> & { readonly firmwareVersion?: string };

/** Nothing of all this is going on, as with nearly every charger. */
export const isUnserviced = ({ uploads, firmware, security }: Charger): boolean =>
  uploads.length === 0 && firmware === null && security.request === null;

/** An errand that no request waits for has been done. */
export function errandReturned(charger: Charger, errand: Errand, result: ErrandResult, atMs: number): Step {
  switch (result.kind) {
    case 'send-log':
      return uploadReturned(charger, errand.id, result.result, atMs);
    case 'fetch-firmware':
      return firmwareReturned(charger, errand.id, result.result, atMs);
    case 'make-key':
      return keyMade(charger, errand.id, result.result, atMs);
    default:
      return step(charger);
  }
}

/** Calls `consider` with everything that is due by itself, and when. */
export function considerService(
  charger: Charger,
  consider: (atMs: number, happen: (charger: Charger, nowMs: number) => Step) => void,
): void {
  for (const { id, retryAtMs } of charger.uploads) {
    if (retryAtMs !== null) consider(retryAtMs, (next) => retryUpload(next, id));
  }
  if (charger.firmware !== null) consider(firmwareDueMs(charger), firmwareDue);
  const { request } = charger.security;
  if (request !== null && request.dueAtMs !== null) consider(request.dueAtMs, askForCertificate);
}

/** The CSMS is there, and listens. */
export const goOnWithService = (charger: Charger, atMs: number): Step =>
  isUnserviced(charger) ? step(charger) : andThen(goOnUploading(charger), (next) => goOnUpdating(next, atMs));

/** Nearly every charger keeps nothing of it. */
export function rememberService(charger: Charger): { readonly service?: ServiceMemory } {
  const { uploads, firmware, security, station } = charger;
  const service: ServiceMemory = {
    ...(uploads.length === 0 ? {} : { uploads }),
    ...(firmware === null ? {} : { firmware }),
    ...(security === noSecurity ? {} : { security }),
    ...(station.isUpdated ? { firmwareVersion: station.firmwareVersion } : {}),
  };
  return Object.keys(service).length === 0 ? {} : { service };
}

/** Whoever was running errands for it has gone. */
export function wakeService(memory: ServiceMemory | undefined): Service {
  const { uploads = noUploads, firmware = null, security = noSecurity } = memory ?? {};
  return {
    uploads: uploads.length === 0 ? noUploads : interrupted(uploads),
    firmware: firmware === null ? null : interruptedUpdate(firmware),
    security: keptRequest({ security }),
  };
}

export const updatedStation = (station: Station, memory: ServiceMemory | undefined): Station =>
  memory?.firmwareVersion === undefined ? station : withFirmware(station, memory.firmwareVersion);
