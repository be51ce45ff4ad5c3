// The CSMS wants other firmware on the charger. Who has signed it is looked at before anything is promised.

import { errandId } from '../charger/certificates.ts';
import { type Charger, step } from '../charger/charger.ts';
import { whenClockShows } from '../charger/clock.ts';
import { beginUpdate } from '../charger/firmware.ts';
import { type FirmwareOrder, isUpdating } from '../charger/firmware-update.ts';
import { securityEvent } from '../charger/security-events.ts';
import { type Answered, type RequestHandler, resultOf } from './request.ts';

export const updateFirmware: RequestHandler<'update-firmware'> = {
  kind: 'update-firmware',
  answer(charger, { order }, atMs) {
    if (isUpdating(charger.firmware)) return { ...step(charger), answer: { status: 'Rejected' } };
    if (order.signing === null) return begin(charger, order, atMs);
    const after = {
      kind: 'check-chain',
      id: errandId(charger, 'signing certificate'),
      chain: order.signing.certificate,
      key: null,
      // A charger that knows none of its maker's authorities takes the certificate at its word.
      roots: charger.security.makerRoots,
      atMs: atMs + charger.clockOffsetMs,
    } as const;
    return { ...step(charger), after };
  },
  answerAfter(charger, { order }, result, atMs) {
    const { problem } = resultOf('check-chain', result);
    if (problem !== null) {
      const told = securityEvent(charger, 'InvalidFirmwareSigningCertificate', atMs, problem);
      return { ...told, answer: { status: 'InvalidCertificate' } };
    }
    if (isUpdating(charger.firmware)) return { ...step(charger), answer: { status: 'Rejected' } };
    return begin(charger, order, atMs);
  },
};

function begin(charger: Charger, order: FirmwareOrder, atMs: number): Answered<'update-firmware'> {
  const isFirst = charger.firmware === null || charger.firmware.phase === 'over';
  const installAtMs = order.installAtMs === null ? null : whenClockShows(charger, order.installAtMs);
  const timed = { ...order, retrieveAtMs: whenClockShows(charger, order.retrieveAtMs), installAtMs };
  return { ...beginUpdate(charger, timed, atMs), answer: { status: isFirst ? 'Accepted' : 'AcceptedCanceled' } };
}
