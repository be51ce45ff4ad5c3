// What a charger says in a session, message by message, in each version, and what it refuses.

import { describe, expect, it } from 'vitest';
import { booted, charging, type Payload, told, versions } from '../../test/talk.ts';

const start = { id_tag: 'DEADBEEF' };

for (const version of versions) {
  describe(`OCPP ${version}: a session`, () => {
    it('plug, authorise, start: tells each step in order', async () => {
      const talk = await booted(version);
      expect(talk.command('start-session', start)?.failure).toBeNull();
      expect(talk.saidInShort()).toEqual(
        told(
          version,
          ['StatusNotification 1 Preparing', 'Authorize', 'StartTransaction', 'StatusNotification 1 Charging'],
          [
            'StatusNotification 1 Occupied',
            'Authorize',
            'TransactionEvent Started Authorized EVConnected',
            'TransactionEvent Updated ChargingStateChanged Charging',
          ],
        ),
      );
    });

    it('EV stops energy goes to SuspendedEV and leaves the transaction open', async () => {
      const talk = await charging(version);
      talk.command('ev-stops-energy');
      expect(talk.saidInShort()).toEqual(
        told(
          version,
          ['StatusNotification 1 SuspendedEV'],
          ['TransactionEvent Updated ChargingStateChanged SuspendedEV'],
        ),
      );
      talk.command('ev-stops-energy');
      expect(talk.saidInShort()).toEqual([]);
      talk.command('ev-requests-energy');
      expect(talk.saidInShort()).toEqual(
        told(version, ['StatusNotification 1 Charging'], ['TransactionEvent Updated ChargingStateChanged Charging']),
      );
    });

    it('EV stops energy on an idle connector implies a car that wants nothing', async () => {
      const talk = await booted(version);
      expect(talk.command('ev-stops-energy')?.failure).toBeNull();
      expect(talk.saidInShort()).toEqual(
        told(version, ['StatusNotification 1 SuspendedEV'], ['StatusNotification 1 Occupied']),
      );
      expect(talk.conversation.charger.connectors[0]?.shown.status).toBe('SuspendedEV');
      talk.command('start-session', start);
      expect(talk.saidInShort().at(-1)).toBe(
        told(version, ['StatusNotification 1 Charging'], ['TransactionEvent Updated ChargingStateChanged Charging'])[0],
      );
    });

    it('power 0 suspends by the EVSE, more than 0 goes on, each with a sample at once', async () => {
      const talk = await charging(version);
      expect(talk.command('power-update', { power_w: 0 })?.result).toMatchObject({ offered_w: 0, drawn_w: 0 });
      expect(talk.saidInShort()).toEqual(
        told(
          version,
          ['StatusNotification 1 SuspendedEVSE', 'MeterValues'],
          [
            'TransactionEvent Updated ChargingStateChanged SuspendedEVSE',
            'TransactionEvent Updated ChargingRateChanged SuspendedEVSE',
          ],
        ),
      );
      expect(talk.command('power-update', { power_w: 7_000 })?.result).toMatchObject({
        offered_w: 7_000,
        drawn_w: 7_000,
      });
      expect(talk.saidInShort()).toEqual(
        told(
          version,
          ['StatusNotification 1 Charging', 'MeterValues'],
          [
            'TransactionEvent Updated ChargingStateChanged Charging',
            'TransactionEvent Updated ChargingRateChanged Charging',
          ],
        ),
      );
      expect(talk.command('power-update', { power_w: 99_000 })?.result).toMatchObject({
        offered_w: 22_000,
        limited_by: 'rating',
      });
    });

    it('a car that stopped by itself outranks a pause by the EVSE', async () => {
      const talk = await charging(version);
      talk.command('power-update', { power_w: 0 });
      talk.command('ev-stops-energy');
      expect(talk.conversation.charger.connectors[0]?.shown.status).toBe('SuspendedEV');
    });

    it('stop ends with the starter’s tag, then the cable goes', async () => {
      const talk = await charging(version);
      talk.command('stop-session');
      expect(talk.saidInShort()).toEqual(
        told(
          version,
          ['StopTransaction Local', 'StatusNotification 1 Finishing', 'StatusNotification 1 Available'],
          ['TransactionEvent Ended StopAuthorized EVConnected Local', 'StatusNotification 1 Available'],
        ),
      );
    });

    it('unplugging ends the transaction', async () => {
      const talk = await charging(version);
      talk.command('unplug-connector');
      expect(talk.saidInShort()).toEqual(
        told(
          version,
          ['StopTransaction EVDisconnected', 'StatusNotification 1 Available'],
          ['TransactionEvent Ended EVCommunicationLost Idle EVDisconnected', 'StatusNotification 1 Available'],
        ),
      );
    });

    it('ends by itself after the energy or the time that was planned', async () => {
      for (const plan of [{ energy_wh: 5_500 }, { duration_s: 900 }]) {
        const talk = await booted(version);
        talk.command('start-session', { ...start, ...plan });
        talk.said();
        talk.pass(899);
        expect(talk.saidInShort().filter((call) => !isSample(call))).toEqual([]);
        const ended = talk
          .pass(1)
          .said()
          .find(({ payload }) => payload['meterStop'] ?? payload['eventType'] === 'Ended');
        expect(ended?.payload['meterStop'] ?? ended?.payload['meterValue'].at(-1).sampledValue[0].value).toBe(5_500);
      }
    });

    it('suspends by the EV when the battery is full', async () => {
      const talk = await booted(version);
      talk.command('start-session', { ...start, ev: { battery_kwh: 10, soc_percent: 95 } });
      talk.said();
      expect(talk.pass(3_600).saidInShort()).toContain(
        told(
          version,
          ['StatusNotification 1 SuspendedEV'],
          ['TransactionEvent Updated ChargingStateChanged SuspendedEV'],
        )[0],
      );
    });

    it('a refused tag fails the command, leaves the car, and starts nothing', async () => {
      const Authorize = () =>
        version === '1.6' ? { idTagInfo: { status: 'Blocked' } } : { idTokenInfo: { status: 'Blocked' } };
      const talk = await booted(version, { answers: { Authorize } });
      expect(talk.command('start-session', start)?.failure).toMatchObject({ refused: 'token_refused' });
      expect(talk.saidInShort().at(-1)).toBe('Authorize');
      expect(talk.conversation.charger.connectors[0]?.ev).not.toBeNull();
    });

    it('ends a transaction whose tag the CSMS refuses after the start', async () => {
      const refused = version === '1.6' ? { idTagInfo: { status: 'Invalid' } } : { idTokenInfo: { status: 'Invalid' } };
      const talk = await booted(version, {
        answers: {
          StartTransaction: () => ({ transactionId: 7, ...refused }),
          TransactionEvent: (sent: Payload) => (sent['eventType'] === 'Started' ? refused : {}),
        },
      });
      expect(talk.command('start-session', start)?.failure).toMatchObject({ refused: 'token_refused' });
      expect(talk.saidInShort()).toContain(
        told(
          version,
          ['StopTransaction DeAuthorized'],
          ['TransactionEvent Ended Deauthorized EVConnected DeAuthorized'],
        )[0],
      );
    });

    it('numbers the words about a transaction without gaps, and names outlet and tag at the start', async () => {
      const talk = await charging(version);
      talk.pass(300).command('stop-session');
      const events = talk.texts
        .map((text) => JSON.parse(text) as [number, string, string, Payload])
        .filter(([, , action]) => action === 'TransactionEvent');
      if (version === '1.6') return;
      expect(events.map(([, , , payload]) => payload['seqNo'])).toEqual(events.map((_, index) => index));
      expect(events[0]?.[3]).toMatchObject({
        evse: { id: 1, connectorId: 1 },
        idToken: { idToken: 'DEADBEEF', type: 'ISO14443' },
      });
    });
  });

  describe(`OCPP ${version}: refusals are values`, () => {
    it.each([
      ['plug-connector', 'already_plugged', ['plug-connector']],
      ['unplug-connector', 'not_plugged', []],
      ['ev-requests-energy', 'not_plugged', []],
      ['stop-session', 'no_session', []],
      ['start-session', 'transaction_active', ['start-session']],
    ] as const)('%s is refused as %s', async (name, refused, before) => {
      const talk = await booted(version);
      for (const first of before) talk.command(first, first === 'start-session' ? start : {});
      talk.said();
      expect(talk.command(name, name === 'start-session' ? start : {})?.failure).toMatchObject({ refused });
      expect(talk.said()).toEqual([]);
    });

    it('an id tag that this version cannot carry is refused', async () => {
      const talk = await booted(version);
      const longest = { '1.6': 20, '2.0.1': 36, '2.1': 255 }[version];
      expect(talk.command('start-session', { id_tag: 'x'.repeat(longest + 1) })?.failure).toMatchObject({
        refused: 'id_tag_too_long',
      });
      expect(talk.command('start-session', { id_tag: 'x'.repeat(longest) })?.failure).toBeNull();
    });
  });
}

const isSample = (call: string): boolean => call === 'MeterValues' || call.includes('MeterValuePeriodic');
