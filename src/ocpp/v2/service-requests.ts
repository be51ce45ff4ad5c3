// How the 2.x family asks for files, firmware and certificates.

import type { CertificateUse } from '../../charger/certificates.ts';
import type { CertificateName } from '../../charger/errand.ts';
import type { AnyRequestRow, RequestRow } from '../dialect.ts';
import type { Payload } from '../frame.ts';
import { momentOf, tries } from '../wording.ts';
import { withReason } from './station-requests.ts';

const getLog: RequestRow<'send-log'> = {
  kind: 'send-log',
  decode(payload) {
    const log = payload['log'] as Payload;
    return {
      kind: 'send-log',
      order: {
        asked: 'log',
        requestId: payload['requestId'] as number,
        log: payload['logType'] === 'SecurityLog' ? 'security' : 'diagnostics',
        location: log['remoteLocation'] as string,
        sinceMs: momentOf(log['oldestTimestamp']),
        untilMs: momentOf(log['latestTimestamp']),
        ...tries(payload),
      },
    };
  },
  encode: ({ status, fileName }) => ({ status, filename: fileName }),
};

const updateFirmware: RequestRow<'update-firmware'> = {
  kind: 'update-firmware',
  decode(payload) {
    const firmware = payload['firmware'] as Payload;
    const certificate = firmware['signingCertificate'] as string | undefined;
    const signature = firmware['signature'] as string | undefined;
    return {
      kind: 'update-firmware',
      order: {
        requestId: payload['requestId'] as number,
        location: firmware['location'] as string,
        retrieveAtMs: Date.parse(firmware['retrieveDateTime'] as string),
        installAtMs: momentOf(firmware['installDateTime']),
        signing: certificate === undefined || signature === undefined ? null : { certificate, signature },
        ...tries(payload),
      },
    };
  },
  encode: ({ status }) => ({ status }),
};

const installCertificate: RequestRow<'install-certificate'> = {
  kind: 'install-certificate',
  decode: (payload) => ({
    kind: 'install-certificate',
    use: payload['certificateType'] === 'ManufacturerRootCertificate' ? 'maker' : 'csms',
    certificate: payload['certificate'] as string,
  }),
  encode: withReason,
};

const deleteCertificate: RequestRow<'delete-certificate'> = {
  kind: 'delete-certificate',
  decode: (payload) => ({ kind: 'delete-certificate', name: payload['certificateHashData'] as CertificateName }),
  encode: ({ status }) => ({ status }),
};

const types: Readonly<Record<CertificateUse, string>> = {
  csms: 'CSMSRootCertificate',
  maker: 'ManufacturerRootCertificate',
};

const getInstalledCertificateIds: RequestRow<'list-certificates'> = {
  kind: 'list-certificates',
  decode(payload) {
    const asked = payload['certificateType'] as readonly string[] | undefined;
    const uses = (['csms', 'maker'] as const).filter((use) => asked === undefined || asked.includes(types[use]));
    return { kind: 'list-certificates', uses };
  },
  encode: ({ status, certificates }) =>
    certificates.length === 0
      ? { status }
      : {
          status,
          certificateHashDataChain: certificates.map(({ use, name }) => ({
            certificateType: types[use],
            certificateHashData: name,
          })),
        },
};

const certificateSigned: RequestRow<'certificate-signed'> = {
  kind: 'certificate-signed',
  decode: (payload) => ({ kind: 'certificate-signed', chain: payload['certificateChain'] as string }),
  encode: withReason,
};

export const serviceRequests2: Readonly<Record<string, AnyRequestRow>> = {
  GetLog: getLog,
  UpdateFirmware: updateFirmware,
  InstallCertificate: installCertificate,
  DeleteCertificate: deleteCertificate,
  GetInstalledCertificateIds: getInstalledCertificateIds,
  CertificateSigned: certificateSigned,
};
