// The list of what a CSMS can ask.

import { cancelReservation } from './cancel-reservation.ts';
import { certificateSigned } from './certificate-signed.ts';
import { changeAvailability } from './change-availability.ts';
import { clearCache } from './clear-cache.ts';
import { clearChargingProfile } from './clear-charging-profile.ts';
import { dataTransfer } from './data-transfer.ts';
import { deleteCertificate } from './delete-certificate.ts';
import { getCompositeSchedule } from './get-composite-schedule.ts';
import { getListVersion } from './get-list-version.ts';
import { getSettings } from './get-settings.ts';
import { installCertificate } from './install-certificate.ts';
import { listCertificates } from './list-certificates.ts';
import { remoteStart } from './remote-start.ts';
import { remoteStop } from './remote-stop.ts';
import type { RequestHandler, Requests } from './request.ts';
import { reserve } from './reserve.ts';
import { reset } from './reset.ts';
import { sendList } from './send-list.ts';
import { sendLog } from './send-log.ts';
import { setChargingProfile } from './set-charging-profile.ts';
import { setSetting } from './set-setting.ts';
import { trigger } from './trigger.ts';
import { unlock } from './unlock.ts';
import { updateFirmware } from './update-firmware.ts';

export const requestHandlers: { readonly [Kind in keyof Requests]: RequestHandler<Kind> } = {
  'remote-start': remoteStart,
  'remote-stop': remoteStop,
  'data-transfer': dataTransfer,
  'change-availability': changeAvailability,
  'set-setting': setSetting,
  'get-settings': getSettings,
  'clear-cache': clearCache,
  reset,
  unlock,
  trigger,
  'get-list-version': getListVersion,
  'send-list': sendList,
  reserve,
  'cancel-reservation': cancelReservation,
  'set-charging-profile': setChargingProfile,
  'clear-charging-profile': clearChargingProfile,
  'get-composite-schedule': getCompositeSchedule,
  'send-log': sendLog,
  'update-firmware': updateFirmware,
  'install-certificate': installCertificate,
  'delete-certificate': deleteCertificate,
  'list-certificates': listCertificates,
  'certificate-signed': certificateSigned,
};
