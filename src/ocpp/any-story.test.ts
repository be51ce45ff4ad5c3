// Whatever happens to a 1.6 charger, in whatever order: what it says stays right, and nothing is said twice or lost.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Payload, type SentCall, station, Talk } from '../../test/talk.ts';
import { faultKinds } from '../charger/faults.ts';

type Happening = (talk: Talk) => unknown;

const outlet = fc.constantFrom(1, 2);
const place = fc.constantFrom(0, 1, 2, 3);
const tag = fc.constantFrom('ANN', 'BOB', 'EVE');
const at = (evse_id: number) => ({ evse_id, connector_id: 1 });

const byHand: fc.Arbitrary<Happening> = fc.oneof(
  fc.tuple(fc.constantFrom('plug-connector', 'unplug-connector', 'ev-stops-energy', 'ev-requests-energy'), outlet).map(
    ([name, evse]): Happening =>
      (talk) =>
        talk.command(name, at(evse)),
  ),
  fc.tuple(tag, outlet).map(
    ([id_tag, evse]): Happening =>
      (talk) => {
        talk.command('start-session', { id_tag, ...at(evse) });
      },
  ),
  outlet.map(
    (evse): Happening =>
      (talk) =>
        talk.command('stop-session', at(evse)),
  ),
  tag.map(
    (id_tag): Happening =>
      (talk) =>
        talk.command('authorize', { id_tag, id_token_type: 'ISO14443' }),
  ),
  fc.tuple(fc.constantFrom(...Object.keys(faultKinds)), outlet).map(
    ([error_code, evse]): Happening =>
      (talk) => {
        talk.command('inject-fault', { error_code, ...at(evse) });
      },
  ),
  outlet.map(
    (evse): Happening =>
      (talk) =>
        talk.command('clear-fault', at(evse)),
  ),
  fc.tuple(outlet, fc.constantFrom(0, 5_000)).map(
    ([evse, power_w]): Happening =>
      (talk) =>
        talk.command('power-update', { power_w, ...at(evse) }),
  ),
  fc.tuple(outlet, fc.constantFrom({ max_energy_wh: 500 }, { max_time_s: 120 })).map(
    ([evse, limit]): Happening =>
      (talk) =>
        talk.command('transaction-limit', { ...limit, ...at(evse) }),
  ),
  fc.tuple(outlet, fc.constantFrom('lock_failure', 'tamper', 'parking_bay', 'firmware_failure'), fc.boolean()).map(
    ([evse, condition, value]): Happening =>
      (talk) =>
        talk.command('set-condition', { condition, value, ...at(evse) }),
  ),
  fc.tuple(outlet, fc.constantFrom(0, 7_000, null)).map(
    ([evse, value]): Happening =>
      (talk) =>
        talk.command('set-condition', { condition: 'external_limit', value, ...at(evse) }),
  ),
);

const byCsms: fc.Arbitrary<Happening> = fc
  .oneof(
    fc.tuple(
      fc.constant('ChangeAvailability'),
      fc.record({ connectorId: place, type: word('Operative', 'Inoperative') }),
    ),
    fc.tuple(fc.constant('Reset'), fc.record({ type: word('Soft', 'Hard') })),
    fc.tuple(fc.constant('UnlockConnector'), fc.record({ connectorId: outlet })),
    fc.tuple(fc.constant('RemoteStartTransaction'), fc.record({ idTag: tag, connectorId: outlet })),
    fc.tuple(fc.constant('RemoteStopTransaction'), fc.record({ transactionId: fc.integer({ min: 1, max: 5 }) })),
    fc.tuple(fc.constant('ReserveNow'), fc.record({ connectorId: place, idTag: tag, reservationId: outlet })),
    fc.tuple(fc.constant('CancelReservation'), fc.record({ reservationId: outlet })),
    fc.tuple(
      fc.constant('TriggerMessage'),
      fc.record({
        requestedMessage: word('StatusNotification', 'MeterValues', 'BootNotification'),
        connectorId: place,
      }),
    ),
    fc.tuple(
      fc.constant('ChangeConfiguration'),
      fc.constantFrom(
        { key: 'MinimumStatusDuration', value: '10' },
        { key: 'StopTransactionOnEVSideDisconnect', value: 'false' },
        { key: 'UnlockConnectorOnEVSideDisconnect', value: 'false' },
        { key: 'StopTransactionOnInvalidId', value: 'false' },
        { key: 'MaxEnergyOnInvalidId', value: '500' },
        { key: 'LocalPreAuthorize', value: 'true' },
        { key: 'AllowOfflineTxForUnknownId', value: 'true' },
      ),
    ),
  )
  .map(
    ([action, payload]): Happening =>
      (talk) => {
        if (talk.conversation.line.state !== 'connected') return;
        const expiryDate = new Date(talk.nowMs + 120_000).toISOString();
        talk.request(action, action === 'ReserveNow' ? { ...payload, expiryDate } : payload);
      },
  );

const byTheWorld: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 300 }).map(
      (seconds): Happening =>
        (talk) =>
          talk.pass(seconds),
    ),
  },
  fc.constant((talk: Talk) => (talk.conversation.line.state === 'connected' ? talk.cut() : talk)),
  fc.constant(comeBack),
  fc.constant((talk: Talk) => talk.powerCut()),
  // The CSMS has moods: it refuses a tag, or is broken for a while.
  fc.constantFrom('Accepted', 'Blocked').map(
    (status): Happening =>
      (talk) => {
        talk.answers = { Authorize: () => ({ idTagInfo: { status, parentIdTag: 'FAMILY' } }) };
      },
  ),
  fc.constant((talk: Talk) => {
    talk.answers = { StopTransaction: () => 'InternalError', MeterValues: () => 'InternalError' };
  }),
);

const story = fc.array(fc.oneof(byHand, byHand, byCsms, byTheWorld), { maxLength: 60 });

describe('OCPP 1.6: any story', () => {
  it('leads to words that fit together', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (happenings) => {
        const talk = await Talk.with('1.6', { station: station({ connectorCount: 2 }) });
        talk.connect();
        for (const happen of happenings) happen(talk);
        talk.answers = {};
        comeBack(talk);
        talk.pass(1_000);
        comeBack(talk);
        talk.pass(1_000);
        const { outbox, charger } = talk.conversation;
        expect([charger.boot.status, outbox.queue, outbox.inFlight]).toEqual(['Accepted', [], null]);
        expectRight(talk.said());
      }),
      { numRuns: 200, seed: 31, endOnFailure: true },
    );
  }, 60_000);
});

/** Dials until the line stands; a charger that restarts is off for a while. */
function comeBack(talk: Talk): void {
  for (let tries = 0; tries < 3 && talk.conversation.line.state !== 'connected'; tries++) {
    talk.pass(700);
    if (talk.conversation.line.state === 'connecting') talk.reconnect();
  }
}

function expectRight(calls: readonly SentCall[]): void {
  const open = new Map<number, number>();
  const ended = new Map<number, string>();
  const registers = new Map<number, number>();
  let number = 0;
  for (const { action, payload } of calls) {
    if (action === 'StartTransaction') {
      const { connectorId, meterStart } = payload;
      expect(meterStart).toBeGreaterThanOrEqual(registers.get(connectorId) ?? 0);
      registers.set(connectorId, meterStart);
      open.set(++number, meterStart);
    }
    if (action === 'StopTransaction') {
      const id = payload['transactionId'];
      expect(open.has(id) || ended.get(id) === JSON.stringify(payload)).toBe(true);
      expect(payload['meterStop']).toBeGreaterThanOrEqual(open.get(id) ?? 0);
      open.delete(id);
      // A CSMS that is broken hears it again, word for word.
      ended.set(id, JSON.stringify(payload));
    }
    if (action === 'MeterValues' && payload['transactionId'] !== undefined) {
      expect(open.has(payload['transactionId'])).toBe(true);
    }
    if (action === 'StatusNotification') expectRightStatus(payload);
  }
}

function expectRightStatus({ connectorId, status, errorCode }: Payload): void {
  if (connectorId === 0) expect(['Available', 'Unavailable', 'Faulted']).toContain(status);
  if (status === 'Faulted') expect(errorCode).not.toBe('NoError');
}

function word(...words: string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...words);
}
