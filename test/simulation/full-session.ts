// However a charger has been treated: put in order, each of its connectors takes a full session.

import { liveCharger } from '../../src/charger/live.ts';
import type { SimulatedCharger } from './simulated-charger.ts';

const at = (connectorId: number) => ({ evse_id: connectorId, connector_id: 1 });

/** Throws where one does not. */
export function takeFullSessions(charger: SimulatedCharger): void {
  putInOrder(charger);
  for (let connectorId = 1; connectorId <= charger.connectorCount; connectorId++) takeFullSession(charger, connectorId);
}

function putInOrder(charger: SimulatedCharger): void {
  const { talk, book } = charger;
  const is16 = talk.dialect.version === '1.6';
  const wait = (seconds: number): void => charger.passUntil(talk.nowMs + seconds * 1000);
  book.trouble = 0;
  charger.command('set-connectivity', { online: true, mode: 'close' });
  // Longer than any back-off, restart, and retry.
  for (let tries = 0; tries < 40 && !isReady(charger); tries++) wait(300);
  if (!isReady(charger)) throw new Error('it does not come back');
  for (let connectorId = 0; connectorId <= charger.connectorCount; connectorId++) {
    const place = connectorId === 0 ? { evse_id: 0, connector_id: 0 } : at(connectorId);
    charger.command('clear-fault', place);
    if (connectorId === 0) continue;
    charger.command('set-condition', { ...place, condition: 'lock_failure', value: false });
    charger.command('set-condition', { ...place, condition: 'external_limit', value: null });
    charger.command('stop-session', place);
    // A set point holds until the next car has gone.
    charger.command('power-update', { ...place, power_w: 1_000_000 });
    charger.command('unlock-connector', place);
  }
  if (is16) {
    charger.ask('ChangeAvailability', { connectorId: 0, type: 'Operative' });
    charger.ask('ClearChargingProfile', {});
    book.hasProfiles = false;
    for (let reservationId = 1; reservationId <= 5; reservationId++)
      charger.ask('CancelReservation', { reservationId });
    for (const [key, value] of usual) charger.ask('ChangeConfiguration', { key, value });
  } else {
    charger.ask('ChangeAvailability', { operationalStatus: 'Operative' });
    for (let reservationId = 1; reservationId <= 5; reservationId++)
      charger.ask('CancelReservation', { reservationId });
    for (let id = 1; id <= charger.connectorCount; id++) {
      charger.ask('ChangeAvailability', { operationalStatus: 'Operative', evse: { id } });
    }
  }
  for (let tries = 0; tries < 10 && (tries < 1 || talk.conversation.charger.firmware !== null); tries++) wait(900);
}

const usual = [
  ['MinimumStatusDuration', '0'],
  ['MeterValueSampleInterval', '60'],
  ['MeterValuesSampledData', 'Energy.Active.Import.Register,Power.Active.Import'],
] as const;

function isReady({ talk }: SimulatedCharger): boolean {
  const { line, charger, outbox, dueMs } = talk.conversation;
  const isQuiet = outbox.queue.length === 0 && outbox.inFlight === null && dueMs >= talk.nowMs;
  return line.state === 'connected' && line.restart === null && charger.boot.status === 'Accepted' && isQuiet;
}

function takeFullSession(charger: SimulatedCharger, connectorId: number): void {
  const { talk, book } = charger;
  const live = () => liveCharger(talk.conversation.charger, talk.nowMs).connectors[connectorId - 1];
  const expectStatus = (status: string): void => {
    const shown = live()?.status;
    if (shown !== status)
      throw new Error(`connector ${connectorId} is ${shown}, not ${status}: ${JSON.stringify(live())}`);
  };
  const tag = { id_tag: 'GOOD-FINAL', id_token_type: 'ISO14443', ...at(connectorId) };
  const endedBefore = book.ended;
  expectStatus('Available');
  charger.command('plug-connector', at(connectorId));
  expectStatus('Preparing');
  charger.command('authorize', tag);
  expectStatus('Charging');
  charger.passUntil(talk.nowMs + 600_000);
  const takenWh = live()?.transaction?.energyWh ?? 0;
  if (takenWh < 100) throw new Error(`connector ${connectorId} gave ${takenWh} Wh in ten minutes`);
  charger.command('authorize', tag);
  expectStatus('Finishing');
  charger.command('unplug-connector', at(connectorId));
  expectStatus('Available');
  charger.passUntil(talk.nowMs + 60_000);
  if (book.ended !== endedBefore + 1) throw new Error(`the CSMS has not heard of the end at connector ${connectorId}`);
}
