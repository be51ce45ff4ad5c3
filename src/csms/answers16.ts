// What the CSMS answers to each thing that an OCPP 1.6 charger may send.

import { type AnswerTable, accepted, bootAccepted, nothing, tagStatus, time } from './answer.ts';

const tagInfo = (tag: unknown) => ({ status: tagStatus(tag) });

export const answers16: AnswerTable = {
  Authorize: (request) => ({ idTagInfo: tagInfo(request['idTag']) }),
  BootNotification: bootAccepted,
  // It takes every vendor's data and does nothing with it.
  DataTransfer: accepted,
  DiagnosticsStatusNotification: nothing,
  FirmwareStatusNotification: nothing,
  Heartbeat: time,
  LogStatusNotification: nothing,
  MeterValues: nothing,
  SecurityEventNotification: nothing,
  SignCertificate: accepted,
  SignedFirmwareStatusNotification: nothing,
  // A refused tag gets a number too: the transaction has happened, and its stop must name it.
  StartTransaction: (request, desk) => {
    const idTagInfo = tagInfo(request['idTag']);
    const taken = desk.takeTransactionId();
    if (typeof taken === 'number') return { transactionId: taken, idTagInfo };
    return taken.then((transactionId) => ({ transactionId, idTagInfo }));
  },
  StatusNotification: nothing,
  StopTransaction: (request) => (request['idTag'] === undefined ? {} : { idTagInfo: tagInfo(request['idTag']) }),
};
