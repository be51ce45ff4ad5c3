// How OCPP 1.6 asks for files, firmware and certificates: the firmware profile, and the security extension.

import type { CertificateUse } from '../../charger/certificates.ts';
import type { CertificateName } from '../../charger/errand.ts';
import type { AnyRequestRow, RequestRow } from '../dialect.ts';
import type { Payload } from '../frame.ts';
import { momentOf, tries } from '../wording.ts';

const getDiagnostics: RequestRow<'send-log'> = {
  kind: 'send-log',
  decode: (payload) => ({
    kind: 'send-log',
    order: {
      asked: 'diagnostics',
      requestId: null,
      log: 'diagnostics',
      location: payload['location'] as string,
      sinceMs: momentOf(payload['startTime']),
      untilMs: momentOf(payload['stopTime']),
      ...tries(payload),
    },
  }),
  encode: ({ fileName }) => ({ fileName }),
};

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
  decode: (payload) => ({
    kind: 'update-firmware',
    order: {
      requestId: null,
      location: payload['location'] as string,
      retrieveAtMs: Date.parse(payload['retrieveDate'] as string),
      installAtMs: null,
      signing: null,
      ...tries(payload),
    },
  }),
  encode: () => ({}),
};

const signedUpdateFirmware: RequestRow<'update-firmware'> = {
  kind: 'update-firmware',
  decode(payload) {
    const firmware = payload['firmware'] as Payload;
    return {
      kind: 'update-firmware',
      order: {
        requestId: payload['requestId'] as number,
        location: firmware['location'] as string,
        retrieveAtMs: Date.parse(firmware['retrieveDateTime'] as string),
        installAtMs: momentOf(firmware['installDateTime']),
        signing: {
          certificate: firmware['signingCertificate'] as string,
          signature: firmware['signature'] as string,
        },
        ...tries(payload),
      },
    };
  },
  encode: ({ status }) => ({ status }),
};

const uses: Readonly<Record<string, CertificateUse>> = {
  CentralSystemRootCertificate: 'csms',
  ManufacturerRootCertificate: 'maker',
};
const useOf = (payload: Payload): CertificateUse => uses[payload['certificateType'] as string] ?? 'csms';

const installCertificate: RequestRow<'install-certificate'> = {
  kind: 'install-certificate',
  decode: (payload) => ({
    kind: 'install-certificate',
    use: useOf(payload),
    certificate: payload['certificate'] as string,
  }),
  encode: ({ status }) => ({ status }),
};

const deleteCertificate: RequestRow<'delete-certificate'> = {
  kind: 'delete-certificate',
  decode: (payload) => ({ kind: 'delete-certificate', name: payload['certificateHashData'] as CertificateName }),
  encode: ({ status }) => ({ status }),
};

const getInstalledCertificateIds: RequestRow<'list-certificates'> = {
  kind: 'list-certificates',
  decode: (payload) => ({ kind: 'list-certificates', uses: [useOf(payload)] }),
  encode: ({ status, certificates }) =>
    certificates.length === 0 ? { status } : { status, certificateHashData: certificates.map(({ name }) => name) },
};

const certificateSigned: RequestRow<'certificate-signed'> = {
  kind: 'certificate-signed',
  decode: (payload) => ({ kind: 'certificate-signed', chain: payload['certificateChain'] as string }),
  encode: ({ status }) => ({ status }),
};

export const serviceRequests16: Readonly<Record<string, AnyRequestRow>> = {
  GetDiagnostics: getDiagnostics,
  GetLog: getLog,
  UpdateFirmware: updateFirmware,
  SignedUpdateFirmware: signedUpdateFirmware,
  InstallCertificate: installCertificate,
  DeleteCertificate: deleteCertificate,
  GetInstalledCertificateIds: getInstalledCertificateIds,
  CertificateSigned: certificateSigned,
};
