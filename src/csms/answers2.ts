// What the CSMS answers to each thing that an OCPP 2.0.1 or 2.1 charger may send.

import type { Payload } from '../ocpp/frame.ts';
import { type Answer, type AnswerTable, accepted, bootAccepted, nothing, tagStatus, time, timeText } from './answer.ts';

const dayMs = 86_400_000;

const tokenInfo = (token: unknown) => ({ status: tagStatus((token as Payload)['idToken']) });

const authorize: Answer = (request) => {
  const idTokenInfo = tokenInfo(request['idToken']);
  const withCertificate = request['certificate'] !== undefined || request['iso15118CertificateHashData'] !== undefined;
  return withCertificate ? { idTokenInfo, certificateStatus: 'Accepted' } : { idTokenInfo };
};

export const answers201: AnswerTable = {
  Authorize: authorize,
  BootNotification: bootAccepted,
  ClearedChargingLimit: nothing,
  // It takes every vendor's data and does nothing with it.
  DataTransfer: accepted,
  FirmwareStatusNotification: nothing,
  // What the EV and its contract provider say to each other is opaque to a charger: the question serves as the answer.
  Get15118EVCertificate: (request) => ({ status: 'Accepted', exiResponse: request['exiRequest'] }),
  // A good answer would need a signed OCSP result, and nobody here can sign one.
  GetCertificateStatus: () => ({ status: 'Failed', statusInfo: { reasonCode: 'NotFound' } }),
  Heartbeat: time,
  LogStatusNotification: nothing,
  MeterValues: nothing,
  NotifyChargingLimit: nothing,
  NotifyCustomerInformation: nothing,
  NotifyDisplayMessages: nothing,
  // `Accepted` would promise a charging profile, and none will follow.
  NotifyEVChargingNeeds: () => ({ status: 'Rejected', statusInfo: { reasonCode: 'NotEnabled' } }),
  NotifyEVChargingSchedule: accepted,
  NotifyEvent: nothing,
  NotifyMonitoringReport: nothing,
  NotifyReport: nothing,
  PublishFirmwareStatusNotification: nothing,
  ReportChargingProfiles: nothing,
  ReservationStatusUpdate: nothing,
  SecurityEventNotification: nothing,
  SignCertificate: accepted,
  StatusNotification: nothing,
  TransactionEvent: (request) =>
    request['idToken'] === undefined ? {} : { idTokenInfo: tokenInfo(request['idToken']) },
};

const chainStatus: Answer = (request, desk) => ({
  certificateStatus: (request['certificateStatusRequests'] as readonly Payload[]).map((asked) => ({
    certificateHashData: asked['certificateHashData'],
    source: asked['source'],
    status: 'Good',
    nextUpdate: timeText(desk.nowMs() + dayMs),
  })),
});

const vatNumber: Answer = (request) => ({
  status: 'Accepted',
  vatNumber: request['vatNumber'],
  ...(request['evseId'] === undefined ? {} : { evseId: request['evseId'] }),
});

/** NotifyPeriodicEventStream is missing on purpose: it is sent, not asked, and gets no answer. */
export const answers21: AnswerTable = {
  ...answers201,
  BatterySwap: nothing,
  ClosePeriodicEventStream: nothing,
  GetCertificateChainStatus: chainStatus,
  NotifyDERAlarm: nothing,
  NotifyDERStartStop: nothing,
  NotifyEVChargingNeeds: () => ({ status: 'NoChargingProfile' }),
  NotifyPriorityCharging: nothing,
  NotifySettlement: nothing,
  OpenPeriodicEventStream: accepted,
  PullDynamicScheduleUpdate: accepted,
  ReportDERControl: nothing,
  VatNumberValidation: vatNumber,
};
