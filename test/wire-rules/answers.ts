// Rules of OCPP 1.6 for how a charger answers its CSMS, and for what it does afterwards.

import { isHeldBack, isTriggered, isUpToDate, type Json, numbered, openAt } from './listener.ts';
import { ofAnswers, type Rule } from './rule.ts';

/** What 1.6 has words for, the security extension included. */
const actions16: ReadonlySet<string> = new Set([
  'CancelReservation',
  'CertificateSigned',
  'ChangeAvailability',
  'ChangeConfiguration',
  'ClearCache',
  'ClearChargingProfile',
  'DataTransfer',
  'DeleteCertificate',
  'ExtendedTriggerMessage',
  'GetCompositeSchedule',
  'GetConfiguration',
  'GetDiagnostics',
  'GetInstalledCertificateIds',
  'GetLocalListVersion',
  'GetLog',
  'InstallCertificate',
  'RemoteStartTransaction',
  'RemoteStopTransaction',
  'ReserveNow',
  'Reset',
  'SendLocalList',
  'SetChargingProfile',
  'SignedUpdateFirmware',
  'TriggerMessage',
  'UnlockConnector',
  'UpdateFirmware',
  // Of these a charger speaks, and a CSMS has no business to.
  'Authorize',
  'BootNotification',
  'DiagnosticsStatusNotification',
  'FirmwareStatusNotification',
  'Heartbeat',
  'LogStatusNotification',
  'MeterValues',
  'SecurityEventNotification',
  'SignCertificate',
  'SignedFirmwareStatusNotification',
  'StartTransaction',
  'StatusNotification',
  'StopTransaction',
]);

export const answerRules: readonly Rule[] = [
  {
    name: 'NotImplemented answers what is no action, and nothing else',
    versions: '1.6',
    watch: () => (word) => {
      if ((word.kind !== 'result' && word.kind !== 'error') || word.from !== 'charger' || word.call === null)
        return null;
      const isComplaint = word.kind === 'error' && word.code === 'NotImplemented';
      const isAction = actions16.has(word.call.action);
      return isComplaint === isAction
        ? `${word.call.action} is answered ${isComplaint ? 'NotImplemented' : 'without NotImplemented'}`
        : null;
    },
  },
  {
    name: 'a transaction that is not known cannot be stopped, one that runs can',
    versions: '1.6',
    watch: ofAnswers(['RemoteStopTransaction'], ({ transactionId }, answer, known, word) => {
      if (!known.accepted || (word.kind === 'error' && /Violation$|^ProtocolError$/.test(word.code))) return null;
      const transaction = numbered(known, transactionId);
      if (transaction === undefined)
        return answer?.status === 'Rejected' ? null : `it is ${answer?.status ?? 'an error'}`;
      if (!isUpToDate(known)) return null;
      const wanted = transaction.stop === null ? 'Accepted' : 'Rejected';
      return answer?.status === wanted ? null : `it is ${answer?.status ?? 'an error'}, not ${wanted}`;
    }),
  },
  {
    name: 'every key that is asked for is found or unknown',
    versions: '1.6',
    watch: ofAnswers(['GetConfiguration'], ({ key }, answer) => {
      if (answer === null) return null;
      const found = ((answer.configurationKey ?? []) as Json[]).map((each) => each.key as string);
      if (key === undefined || key.length === 0) return found.length > 20 ? null : `${found.length} keys were all`;
      const known = new Set([...found, ...((answer.unknownKey ?? []) as string[])].map((each) => each.toLowerCase()));
      const lost = (key as string[]).find((each) => !known.has(each.toLowerCase()));
      return lost === undefined ? null : `${lost} is neither`;
    }),
  },
  {
    name: 'a key that does not exist is not supported, one that is read-only is not changed',
    versions: '1.6',
    watch: (known) => {
      const kinds = new Map<string, 'unknown' | 'read-only' | 'writable'>();
      return ofAnswers(['GetConfiguration', 'ChangeConfiguration'], (asked, answer) => {
        if (answer === null || !known.accepted) return null;
        for (const key of answer.unknownKey ?? []) kinds.set(key.toLowerCase(), 'unknown');
        for (const { key, readonly } of answer.configurationKey ?? [])
          kinds.set(key.toLowerCase(), readonly ? 'read-only' : 'writable');
        if (asked.value === undefined) return null;
        const kind = kinds.get(asked.key.toLowerCase());
        const { status } = answer;
        if (kind === 'unknown' && status !== 'NotSupported') return `the unknown ${asked.key} is ${status}`;
        if (kind === 'read-only' && status !== 'Rejected') return `the read-only ${asked.key} is ${status}`;
        return kind === 'writable' && status === 'NotSupported' ? `${asked.key} is ${status}` : null;
      })(known);
    },
  },
  {
    name: 'a list is brought up to date from an older version only',
    versions: '1.6',
    watch: ofAnswers(['SendLocalList', 'GetLocalListVersion'], (asked, answer, known) => {
      if (answer === null) return null;
      const version = known.listVersion;
      const { updateType, listVersion } = asked;
      if (updateType === undefined) {
        if (version === null || answer.listVersion < 0) return null;
        return answer.listVersion === version ? null : `the version is ${answer.listVersion}, not ${version}`;
      }
      const isDifference = updateType === 'Differential' && version !== null;
      if (!isDifference || answer.status === 'Failed' || answer.status === 'NotSupported') return null;
      const isOld = listVersion <= version;
      return isOld === (answer.status === 'VersionMismatch')
        ? null
        : `${listVersion} after ${version} is ${answer.status}`;
    }),
  },
  {
    name: 'a profile is taken where it belongs only',
    versions: '1.6',
    watch: ofAnswers(['SetChargingProfile'], ({ connectorId, csChargingProfiles }, answer, known) => {
      if (answer === null || answer.status !== 'Accepted') return null;
      const purpose = csChargingProfiles.chargingProfilePurpose;
      if (purpose === 'ChargePointMaxProfile' && connectorId !== 0) return `a maximum for connector ${connectorId}`;
      if (purpose !== 'TxProfile') return null;
      if (connectorId === 0) return 'a TxProfile for the whole station';
      return isUpToDate(known) && openAt(known, connectorId) === undefined ? 'a TxProfile without a transaction' : null;
    }),
  },
  {
    name: 'a composite schedule begins at 0 and says how long it is',
    versions: '1.6',
    watch: ofAnswers(['GetCompositeSchedule'], (asked, answer) => {
      if (answer?.status !== 'Accepted') return null;
      const { duration, chargingSchedulePeriod } = answer.chargingSchedule ?? {};
      if (duration !== asked.duration) return `it lasts ${duration} s, not ${asked.duration} s`;
      if (chargingSchedulePeriod?.[0]?.startPeriod !== 0) return 'its first period does not start at 0';
      const odd = (chargingSchedulePeriod as Json[]).find(
        ({ limit }) => Math.abs(limit * 10 - Math.round(limit * 10)) > 1e-6,
      );
      return odd === undefined ? null : `a limit of ${odd.limit} has more than one decimal`;
    }),
  },
  {
    name: 'what charges is switched off when it is done, and stays off until it is switched on',
    versions: '1.6',
    watch: (known) => {
      /** Since when, by the listener's clock; 0 is the station. */
      const off = new Map<number, number>();
      const isOff = (connectorId: number): number | null => off.get(connectorId) ?? off.get(0) ?? null;
      return (word) => {
        if (word.kind === 'result' && word.from === 'charger' && word.call?.action === 'ChangeAvailability') {
          const { connectorId, type } = word.call.payload;
          const { status } = word.payload ?? {};
          if (status === 'Rejected') return null;
          const running = known.transactions.some(
            (each) =>
              each.stop === null && each.ids.size > 0 && (connectorId === 0 || each.connectorId === connectorId),
          );
          if (connectorId === 0) off.clear();
          else off.delete(connectorId);
          if (type === 'Operative') return null;
          off.set(connectorId, word.atMs);
          return isUpToDate(known) && running && status !== 'Scheduled' ? `it is ${status} in a transaction` : null;
        }
        if (word.kind !== 'call' || word.from !== 'charger') return null;
        const { action, payload, atMs } = word;
        const sinceMs = isOff(payload?.connectorId);
        if (sinceMs === null || payload.connectorId === 0 || known.isClockSet) return null;
        if (action === 'StartTransaction') {
          return Date.parse(payload.timestamp) > sinceMs ? `a transaction at connector ${payload.connectorId}` : null;
        }
        if (action !== 'StatusNotification' || isHeldBack(known) || atMs <= sinceMs) return null;
        if (openAt(known, payload.connectorId) !== undefined) return null;
        // What was said before may have waited; what comes first on a connection is how it is.
        const isNow = !known.shown.has(payload.connectorId) || Date.parse(payload.timestamp) > sinceMs;
        const isMeant = ['Unavailable', 'Faulted', 'SuspendedEV'].includes(payload.status);
        return isNow && !isMeant && !isCharging(payload.status)
          ? `connector ${payload.connectorId} is ${payload.status}`
          : null;
      };
    },
  },
  {
    name: 'an update of the firmware is told step by step, each once',
    versions: 'every',
    watch: (known) => {
      let before: { status: string; connection: number } | null = null;
      return (word) => {
        if (word.kind === 'result' && word.from === 'charger' && /UpdateFirmware$/.test(word.call?.action ?? ''))
          before = null;
        if (word.kind !== 'call' || !/^(?:Signed)?FirmwareStatusNotification$/.test(word.action)) return null;
        const { action, payload, atMs } = word;
        if (isTriggered(known, action, atMs)) return null;
        const last = before;
        before = { status: payload.status, connection: known.connection };
        // Without a line nothing is told but how it stands in the end.
        if (last === null || last.connection !== known.connection) return null;
        return firmwareSteps[last.status]?.includes(payload.status) ? null : `${payload.status} after ${last.status}`;
      };
    },
  },
];

const isCharging = (status: string): boolean => status === 'Charging' || status === 'SuspendedEVSE';

const firmwareSteps: Readonly<Record<string, readonly string[]>> = {
  DownloadScheduled: ['Downloading', 'DownloadFailed'],
  Downloading: ['Downloaded', 'DownloadFailed'],
  Downloaded: ['SignatureVerified', 'InvalidSignature', 'InstallScheduled', 'Installing'],
  SignatureVerified: ['InstallScheduled', 'Installing'],
  InstallScheduled: ['Installing'],
  Installing: ['Installed', 'InstallRebooting', 'InstallationFailed', 'InstallVerificationFailed'],
  InstallRebooting: ['Installed'],
};
