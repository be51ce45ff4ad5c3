// Files that the CSMS wants to have: diagnostics and logs, sent to where it says, tried as often as it says.

import { type Charger, type Effect, noUploads, type Step, step } from './charger.ts';
import type { ResultOf, TransferTrouble } from './errand.ts';
import { drawUuid } from './random.ts';
import { trustedRoots } from './security.ts';

/** What was asked for: 1.6's own request, or the one that all versions have since. */
export type UploadKind = 'diagnostics' | 'log';
export type UploadStatus = 'Uploading' | 'Uploaded' | 'UploadFailure' | 'PermissionDenied' | 'NotSupportedOperation';

export interface UploadOrder {
  readonly asked: UploadKind;
  readonly requestId: number | null;
  readonly log: 'diagnostics' | 'security';
  readonly location: string;
  /** The first and the last moment that it is about. */
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
  readonly tries: number;
  readonly retryIntervalS: number;
}

export interface Upload extends UploadOrder {
  readonly id: string;
  readonly fileName: string;
  readonly triesLeft: number;
  readonly status: UploadStatus;
  /** Whether the CSMS could be told of the status. */
  readonly isTold: boolean;
  /** `interrupted`: it begins anew when the CSMS is there again. */
  readonly phase: 'sending' | 'waiting' | 'interrupted' | 'over';
  readonly retryAtMs: number | null;
}

/** Begins an upload; one of the same kind that is still under way is called off. */
export function beginUpload(charger: Charger, order: UploadOrder, atMs: number): Step & { readonly upload: Upload } {
  const [id, chance] = drawUuid(charger.chance);
  const fileName = `${charger.station.identity.replace(/[^\w.-]/g, '_')}-${order.log}-${stamp(atMs)}.log`;
  const upload: Upload = {
    ...order,
    id,
    fileName,
    triesLeft: order.tries,
    status: 'Uploading',
    isTold: isHeard(charger),
    phase: 'sending',
    retryAtMs: null,
  };
  const former = charger.uploads.find(({ asked }) => asked === order.asked);
  const uploads = [...charger.uploads.filter((other) => other !== former), upload];
  const effects: Effect[] = former?.phase === 'sending' ? [{ kind: 'call_off', errandId: former.id }] : [];
  const begun = { ...charger, chance, uploads };
  return { ...step(begun, [...effects, told(upload), errand(begun, upload), { kind: 'keep' }]), upload };
}

export const uploadOf = (charger: Charger, asked: UploadKind): Upload | null =>
  charger.uploads.find((upload) => upload.asked === asked && upload.phase !== 'over') ?? null;

export function uploadReturned(
  charger: Charger,
  id: string,
  result: ResultOf<'send-log'>['result'],
  atMs: number,
): Step {
  const upload = charger.uploads.find((one) => one.id === id && one.phase === 'sending');
  if (upload === undefined) return step(charger);
  const { trouble } = result;
  if (trouble === null) return over(charger, upload, 'Uploaded');
  // Where there is no way to go, going again does not help.
  if (trouble === 'unsupported' || upload.triesLeft <= 1) return over(charger, upload, statuses[trouble]);
  const retryAtMs = atMs + upload.retryIntervalS * 1000;
  return step(changed(charger, { ...upload, phase: 'waiting', triesLeft: upload.triesLeft - 1, retryAtMs }));
}

const statuses: Readonly<Record<TransferTrouble, UploadStatus>> = {
  unsupported: 'NotSupportedOperation',
  denied: 'PermissionDenied',
  failed: 'UploadFailure',
};

/** The wait for another try is over. */
export function retryUpload(charger: Charger, id: string): Step {
  const upload = charger.uploads.find((one) => one.id === id);
  if (upload === undefined) return step(charger);
  const sending = { ...upload, phase: 'sending', retryAtMs: null } as const;
  return step(changed(charger, sending), [errand(charger, sending)]);
}

/** The CSMS is there again: it hears what it has missed, and what was interrupted begins anew. */
export function goOnUploading(charger: Charger): Step {
  let uploads = charger.uploads;
  const effects: Effect[] = [];
  for (const upload of charger.uploads) {
    if (!upload.isTold) effects.push(told(upload));
    const going: Upload = { ...upload, isTold: true, phase: upload.phase === 'interrupted' ? 'sending' : upload.phase };
    if (upload.phase === 'interrupted') effects.push({ kind: 'call_off', errandId: upload.id }, errand(charger, going));
    uploads = uploads.flatMap((one) => (one !== upload ? [one] : going.phase === 'over' ? [] : [going]));
  }
  return step({ ...charger, uploads: uploads.length === 0 ? noUploads : uploads }, effects);
}

/** Whoever was sending has gone. */
export const interrupted = (uploads: readonly Upload[]): readonly Upload[] =>
  uploads.map((upload) => (upload.phase === 'sending' ? { ...upload, phase: 'interrupted' } : upload));

function over(charger: Charger, upload: Upload, status: UploadStatus): Step {
  const ended: Upload = { ...upload, status, phase: 'over', isTold: isHeard(charger) };
  const uploads = charger.uploads.flatMap((one) => (one.id !== upload.id ? [one] : ended.isTold ? [] : [ended]));
  return step({ ...charger, uploads: uploads.length === 0 ? noUploads : uploads }, [told(ended), { kind: 'keep' }]);
}

const changed = (charger: Charger, upload: Upload): Charger => ({
  ...charger,
  uploads: charger.uploads.map((one) => (one.id === upload.id ? upload : one)),
});

/** Whether a report made now reaches the CSMS. */
export const isHeard = ({ online, boot }: Charger): boolean => online && boot.status === 'Accepted';

const told = ({ asked, status, requestId }: Upload): Effect => ({
  kind: 'report',
  report: { kind: 'upload-status', asked, status, requestId },
});

function errand(charger: Charger, { id, location, fileName, log, sinceMs, untilMs }: Upload): Effect {
  const events = log === 'security' ? charger.security.log : [];
  const roots = trustedRoots(charger);
  return { kind: 'errand', errand: { kind: 'send-log', id, location, fileName, log, events, sinceMs, untilMs, roots } };
}

const stamp = (atMs: number): string => new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '');
