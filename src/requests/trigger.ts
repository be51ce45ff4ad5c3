// The CSMS wants to hear something now.

import { announceAgain } from '../charger/boot.ts';
import { requestCertificate } from '../charger/certificates.ts';
import { reportStatuses } from '../charger/changes.ts';
import { type Charger, type Effect, type Step, step } from '../charger/charger.ts';
import { triggerMeters } from '../charger/metering.ts';
import { type UploadKind, uploadOf } from '../charger/uploads.ts';
import type { RequestHandler, Requests, TriggeredMessage } from './request.ts';

export const trigger: RequestHandler<'trigger'> = {
  kind: 'trigger',
  answer(charger, request, atMs) {
    const tell = messages[request.message];
    if (tell === undefined) return { ...step(charger), answer: { status: 'NotImplemented' } };
    if (!request.station && request.outlets.length === 0) {
      return { ...step(charger), answer: { status: 'Rejected', reasonCode: 'UnknownEvse' } };
    }
    const told = tell(charger, request, atMs);
    // There is nothing that the meters are to measure.
    if (told.effects.length === 0) {
      return { ...step(charger), answer: { status: 'Rejected', reasonCode: 'UnsupportedParam' } };
    }
    return { charger: told.charger, effects: told.effects.map(asTriggered), answer: { status: 'Accepted' } };
  },
};

type Tell = (charger: Charger, request: Requests['trigger'], atMs: number) => Step;

const messages: Readonly<Partial<Record<TriggeredMessage, Tell>>> = {
  boot: announceAgain,
  heartbeat: (charger) => step(charger, [{ kind: 'report', report: { kind: 'heartbeat' } }]),
  status: (charger, { station, outlets }, atMs) => reportStatuses(charger, station, outlets, atMs),
  'meter-values': (charger, { station, outlets }, atMs) => triggerMeters(charger, station, outlets, atMs),
  'firmware-status': (charger) => tellFirmware(charger, 'plain'),
  'signed-firmware-status': (charger) => tellFirmware(charger, 'signed'),
  'diagnostics-status': (charger) => tellUpload(charger, 'diagnostics'),
  'log-status': (charger) => tellUpload(charger, 'log'),
  'sign-certificate': requestCertificate,
};

function tellFirmware(charger: Charger, wording: 'plain' | 'signed'): Step {
  const { firmware } = charger;
  const { status, requestId } = firmware === null || firmware.phase === 'over' ? idle : firmware;
  return step(charger, [{ kind: 'report', report: { kind: 'firmware-status', status, requestId, wording } }]);
}

function tellUpload(charger: Charger, asked: UploadKind): Step {
  const { status, requestId } = uploadOf(charger, asked) ?? idle;
  return step(charger, [{ kind: 'report', report: { kind: 'upload-status', asked, status, requestId } }]);
}

const idle = { status: 'Idle', requestId: null } as const;

const asTriggered = (effect: Effect): Effect => (effect.kind === 'report' ? { ...effect, triggered: true } : effect);
