// How the 2.x family tells of files, firmware, certificates and security.

import type { ReportTable } from '../dialect.ts';
import { certificateAnswer, cut, noted, timestamp } from '../wording.ts';

export const serviceReports2: Pick<
  ReportTable,
  'upload-status' | 'firmware-status' | 'security-event' | 'certificate-request'
> = {
  'upload-status': {
    encode: ({ status, requestId }) => ({
      action: 'LogStatusNotification',
      payload: { status, ...(requestId === null ? {} : { requestId }) },
    }),
    decode: noted,
  },

  'firmware-status': {
    encode: ({ status, requestId }) => ({
      action: 'FirmwareStatusNotification',
      payload: { status, ...(requestId === null ? {} : { requestId }) },
    }),
    decode: noted,
  },

  'security-event': {
    encode: ({ type, atMs, info }) => ({
      action: 'SecurityEventNotification',
      payload: { type, timestamp: timestamp(atMs), ...(info === null ? {} : { techInfo: cut(info, 255) }) },
    }),
    decode: noted,
  },

  'certificate-request': {
    encode: ({ csr }) => ({
      action: 'SignCertificate',
      payload: { csr, certificateType: 'ChargingStationCertificate' },
    }),
    decode: certificateAnswer,
  },
};
