// How OCPP 1.6 tells of files, firmware, certificates and security: the firmware profile, and the security extension.

import type { FirmwareStatusReport } from '../../charger/report.ts';
import type { SecurityEventType } from '../../charger/security.ts';
import type { ReportTable } from '../dialect.ts';
import { certificateAnswer, cut, noted, timestamp } from '../wording.ts';

/** What an update without a signature has words for. */
const plainStatuses: Readonly<Record<string, string>> = {
  Downloaded: 'Downloaded',
  DownloadFailed: 'DownloadFailed',
  Downloading: 'Downloading',
  Idle: 'Idle',
  InstallationFailed: 'InstallationFailed',
  InstallVerificationFailed: 'InstallationFailed',
  Installing: 'Installing',
  Installed: 'Installed',
};

/** What comes nearest, where the CSMS wants to know. */
const nearestStatuses: Readonly<Record<string, string>> = {
  DownloadScheduled: 'Idle',
  InstallScheduled: 'Downloaded',
  InstallRebooting: 'Installing',
};

const diagnosticsStatuses: Readonly<Record<string, string>> = {
  UploadFailure: 'UploadFailed',
  PermissionDenied: 'UploadFailed',
  NotSupportedOperation: 'UploadFailed',
};

/** What 1.6 calls by another name. */
const eventTypes: Partial<Readonly<Record<SecurityEventType, string>>> = {
  FailedToAuthenticateAtCsms: 'FailedToAuthenticateAtCentralSystem',
  InvalidCsmsCertificate: 'InvalidCentralSystemCertificate',
  InvalidChargingStationCertificate: 'InvalidChargePointCertificate',
};

export const serviceReports16: Pick<
  ReportTable,
  'upload-status' | 'firmware-status' | 'security-event' | 'certificate-request'
> = {
  'upload-status': {
    encode: ({ asked, status, requestId }) =>
      asked === 'diagnostics'
        ? {
            action: 'DiagnosticsStatusNotification',
            payload: { status: diagnosticsStatuses[status] ?? status },
          }
        : {
            action: 'LogStatusNotification',
            payload: { status, ...(requestId === null ? {} : { requestId }) },
          },
    decode: noted,
  },

  'firmware-status': {
    encode: (report) => (isSigned(report) ? signedStatus(report) : plainStatus(report)),
    decode: noted,
  },

  'security-event': {
    encode: ({ type, atMs, info }) => ({
      action: 'SecurityEventNotification',
      payload: {
        type: eventTypes[type] ?? type,
        timestamp: timestamp(atMs),
        ...(info === null ? {} : { techInfo: cut(info, 255) }),
      },
    }),
    decode: noted,
  },

  'certificate-request': {
    encode: ({ csr }) => ({ action: 'SignCertificate', payload: { csr } }),
    decode: certificateAnswer,
  },
};

const isSigned = ({ requestId, wording }: FirmwareStatusReport): boolean => requestId !== null || wording === 'signed';

const signedStatus = ({ status, requestId }: FirmwareStatusReport) => ({
  action: 'SignedFirmwareStatusNotification',
  payload: { status, ...(requestId === null ? {} : { requestId }) },
});

function plainStatus({ status, wording }: FirmwareStatusReport) {
  const said = plainStatuses[status] ?? (wording === undefined ? null : nearestStatuses[status]);
  return said == null ? null : { action: 'FirmwareStatusNotification', payload: { status: said } };
}
