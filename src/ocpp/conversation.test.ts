// The life of the line: boot, heartbeat, outages, power cuts, and what the CSMS asks.

import { describe, expect, it } from 'vitest';
import { booted, charging, type Payload, startMs, Talk, told, versions } from '../../test/talk.ts';

const start = { id_tag: 'DEADBEEF' };

for (const version of versions) {
  describe(`OCPP ${version}: coming up`, () => {
    it('boots first, then tells every status', async () => {
      const talk = await Talk.with(version);
      expect(talk.connect().saidInShort()).toEqual(
        told(
          version,
          ['BootNotification', 'StatusNotification 0 Available', 'StatusNotification 1 Available'],
          ['BootNotification', 'StatusNotification 1 Available'],
        ),
      );
    });

    it('sends nothing but another boot while the CSMS lets it wait', async () => {
      let status = 'Pending';
      const BootNotification = () => ({ status, currentTime: new Date(startMs).toISOString(), interval: 10 });
      const talk = await Talk.with(version, { answers: { BootNotification } });
      talk.connect().command('plug-connector');
      expect(talk.saidInShort()).toEqual(['BootNotification']);
      talk.pass(9);
      expect(talk.saidInShort()).toEqual([]);
      status = 'Accepted';
      expect(talk.pass(1).saidInShort().slice(0, 1)).toEqual(['BootNotification']);
    });

    it('does not boot in a loop when the CSMS names no interval', async () => {
      const BootNotification = () => ({
        status: 'Rejected',
        currentTime: new Date(startMs).toISOString(),
        interval: 0,
      });
      const talk = await Talk.with(version, { answers: { BootNotification } });
      talk.connect().said();
      expect(talk.pass(59).saidInShort()).toEqual([]);
      expect(talk.pass(1).saidInShort()).toEqual(['BootNotification']);
    });

    it('beats its heart at the interval that the CSMS named, counted from its last call', async () => {
      const talk = await booted(version);
      talk.pass(100).command('plug-connector');
      talk.said();
      expect(talk.pass(299).saidInShort()).toEqual([]);
      expect(talk.pass(1).saidInShort()).toEqual(['Heartbeat']);
      expect(talk.pass(600).saidInShort()).toEqual(['Heartbeat', 'Heartbeat']);
    });

    it('beats on while a transaction message waits for its retry', async () => {
      const talk = await charging(version);
      talk.answers = { StopTransaction: () => 'InternalError', TransactionEvent: () => 'InternalError' };
      talk.command(
        'set-configuration',
        version === '1.6'
          ? { key: 'TransactionMessageRetryInterval', value: '3000' }
          : { component: 'OCPPCommCtrlr', variable: 'MessageAttemptInterval', value: '3000' },
      );
      talk.command('stop-session');
      talk.said();
      expect(talk.pass(1_000).saidInShort()).toContain('Heartbeat');
    });

    it('tells a status with the time of its change, not of its telling', async () => {
      const talk = await booted(version);
      talk.pass(50).command('plug-connector');
      talk.pass(50).said();
      const status = talk.cut().pass(30).reconnect().said().at(-1);
      expect(status?.payload['timestamp']).toBe(new Date(startMs + 50_000).toISOString());
    });

    it('does not boot again after a mere cut of the line, but tells its statuses', async () => {
      const talk = await booted(version);
      talk.cut().pass(30).reconnect();
      expect(talk.saidInShort()).toEqual(
        told(
          version,
          ['StatusNotification 0 Available', 'StatusNotification 1 Available'],
          ['StatusNotification 1 Available'],
        ),
      );
    });

    it('dials again after a cut, each time later than before, up to a bound', async () => {
      const talk = await booted(version);
      const waits: number[] = [];
      for (let attempt = 0; attempt < 9; attempt++) {
        talk.cut();
        waits.push(((talk.conversation.line.retryAtMs ?? 0) - talk.nowMs) / 1000);
        talk.pass(waits.at(-1) ?? 0);
        expect(talk.conversation.line.state).toBe('connecting');
      }
      expect(waits[0]).toBeGreaterThanOrEqual(10);
      expect(waits[0]).toBeLessThan(20);
      for (let attempt = 1; attempt < 6; attempt++) {
        expect(waits[attempt]).toBeGreaterThanOrEqual((waits[attempt - 1] ?? 0) * 2);
      }
      expect(waits[7]).toBe(waits[6]);
      expect(waits[8]).toBe(waits[6]);
    });
  });

  describe(`OCPP ${version}: without a line`, () => {
    it('keeps the transaction’s messages and sends them in order when the line is back, statuses first', async () => {
      const talk = await charging(version);
      talk.cut();
      expect(talk.command('stop-session')?.failure).toBeNull();
      talk.pass(20).reconnect();
      expect(talk.saidInShort()).toEqual(
        told(
          version,
          ['StatusNotification 0 Available', 'StatusNotification 1 Available', 'StopTransaction Local'],
          ['StatusNotification 1 Available', 'TransactionEvent Ended StopAuthorized EVConnected Local'],
        ),
      );
    });

    it('tries a transaction message again after a refusal, later each time, then gives it up', async () => {
      let failures = 0;
      const fail = () => {
        failures++;
        return 'InternalError';
      };
      const talk = await charging(version);
      talk.answers = { StopTransaction: fail, TransactionEvent: fail };
      talk.command('stop-session');
      talk.pass(3_600);
      expect(failures).toBe(version === '1.6' ? 3 : 5);
      expect(talk.conversation.outbox.queue).toEqual([]);
    });

    it('forgets the number of a transaction whose end it could not tell', async () => {
      const talk = await charging(version);
      talk.answers = { StopTransaction: () => 'InternalError', TransactionEvent: () => 'InternalError' };
      talk.command('stop-session');
      talk.pass(3_600);
      expect(talk.conversation.slice.transactionIds).toEqual({});
    });

    it('does not repeat what was answered, however badly', async () => {
      const talk = await booted(version, { unchecked: true, answers: { StartTransaction: () => ({ odd: 1 }) } });
      talk.command('start-session', { id_tag: 'A' });
      talk.pass(3_600);
      expect(talk.calls.filter(({ action }) => action === 'StartTransaction').length).toBe(version === '1.6' ? 1 : 0);
    });

    it('gives up a call that is not answered in time and goes on', async () => {
      const talk = await booted(version, { answers: { Authorize: () => null } });
      expect(talk.command('start-session', start)).toBeUndefined();
      talk.pass(30);
      expect(talk.outcomes[0]?.failure).toMatchObject({ refused: 'token_unanswered' });
      expect(talk.outcomes[0]?.exchanges.at(-1)?.error).toContain('within 30 s');
    });

    it('ends a command whose answer is lost with the line', async () => {
      const talk = await booted(version, { answers: { Authorize: () => null } });
      talk.command('start-session', start);
      talk.cut();
      expect(talk.outcomes[0]?.failure).toMatchObject({ refused: 'token_unanswered' });
    });
  });

  describe(`OCPP ${version}: a power cut`, () => {
    it('ends the running transaction with PowerLoss at its last stored reading, and boots', async () => {
      const talk = await charging(version);
      talk.pass(150);
      const stored = talk.said().length;
      talk.nowMs += 3_600_000;
      talk.powerCut();
      const calls = talk.said();
      expect(stored).toBeGreaterThan(0);
      expect(calls[0]?.action).toBe('BootNotification');
      const ended = calls.find(
        ({ payload }) => payload['reason'] === 'PowerLoss' || payload['transactionInfo']?.stoppedReason === 'PowerLoss',
      );
      expect(ended?.payload['timestamp']).toBe(new Date(startMs + 120_000).toISOString());
      expect(ended?.payload['meterStop'] ?? ended?.payload['meterValue'].at(-1).sampledValue[0].value).toBe(
        Math.floor((22_000 * 120) / 3600),
      );
      expect(calls.map(({ payload }) => payload['status'] ?? payload['connectorStatus'])).toContain(
        version === '1.6' ? 'Finishing' : 'Occupied',
      );
    });

    it('never repeats an id of an earlier life', async () => {
      const talk = await charging(version);
      for (let life = 0; life < 5; life++) {
        talk.powerCut();
        talk.command('start-session', start);
        talk.command('stop-session');
      }
      const ids = talk.texts.map((text) => (JSON.parse(text) as [number, string])[1]);
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  describe(`OCPP ${version}: put to sleep in good order`, () => {
    it('goes on charging at its former power, without a boot, and without having metered the night', async () => {
      const talk = await charging(version);
      talk.pass(90);
      talk.said();
      talk.sleepAndWake(36_000);
      expect(talk.saidInShort()).not.toContain('BootNotification');
      talk.pass(3_600);
      expect(talk.conversation.charger.connectors[0]?.meterWh).toBeCloseTo((22_000 * (3_600 + 90)) / 3600, 3);
    });
  });

  describe(`OCPP ${version}: what the CSMS asks`, () => {
    it('answers an action that nobody knows with NotImplemented, and one that it lacks with NotSupported', async () => {
      const talk = await booted(version);
      expect(talk.request('MakeCoffee', {})?.slice(0, 3)).toEqual([4, expect.any(String), 'NotImplemented']);
      expect(talk.request('constructor', {})?.[2]).toBe('NotImplemented');
      // What only a charger says is known, and nothing that it can be asked.
      expect(talk.request('Heartbeat', {})?.[2]).toBe('NotSupported');
    });

    it('answers broken frames in the words of its version', async () => {
      const talk = await booted(version);
      talk.receive('no json');
      expect(talk.replies.at(-1)?.slice(0, 3)).toEqual([
        4,
        '-1',
        version === '1.6' ? 'FormationViolation' : 'RpcFrameworkError',
      ]);
      talk.receive('[9,"x",{}]');
      expect(talk.replies.at(-1)?.[2]).toBe(version === '1.6' ? 'GenericError' : 'MessageTypeNotSupported');
      const stop = version === '1.6' ? 'RemoteStopTransaction' : 'RequestStopTransaction';
      expect(talk.request(stop, {})?.[2]).toBe('ProtocolError');
      expect(talk.request(stop, { transactionId: {} })?.[2]).toBe('TypeConstraintViolation');
      const known = version === '1.6' ? 1 : 'a';
      expect(talk.request(stop, { transactionId: known, extra: 1 })?.[2]).toBe(
        version === '1.6' ? 'FormationViolation' : 'FormatViolation',
      );
    });

    it('never answers an answer: late, unknown and broken ones are only logged', async () => {
      const talk = await booted(version);
      for (const text of ['[3,"nobody",{}]', '[4,"nobody","GenericError","",{}]', '[3,"short"]', '[4]', '[4,"x"]']) {
        talk.receive(text);
      }
      expect(talk.replies.filter(([, id]) => id !== '-1')).toEqual([]);
    });

    it('starts and stops a transaction from afar, answering first', async () => {
      const talk = await booted(version);
      talk.command('plug-connector');
      talk.said();
      const [action, payload] =
        version === '1.6'
          ? ['RemoteStartTransaction', { idTag: 'REMOTE', connectorId: 1 }]
          : [
              'RequestStartTransaction',
              { idToken: { idToken: 'REMOTE', type: 'ISO14443' }, remoteStartId: 42, evseId: 1 },
            ];
      expect(talk.request(action as string, payload as Payload)?.[2]).toEqual({ status: 'Accepted' });
      const [first, ...rest] = talk.said();
      expect(first?.action).toBe(version === '1.6' ? 'StartTransaction' : 'Authorize');
      if (version !== '1.6')
        expect(rest[0]?.payload).toMatchObject({
          triggerReason: 'RemoteStart',
          transactionInfo: { remoteStartId: 42 },
        });
      const { session } = talk.conversation.charger.connectors[0] ?? {};
      const transactionId = talk.dialect.transactionId(talk.conversation.slice, session?.id ?? '');
      const [stop, id] =
        version === '1.6'
          ? ['RemoteStopTransaction', Number(transactionId)]
          : ['RequestStopTransaction', transactionId];
      expect(talk.request(stop as string, { transactionId: id })?.[2]).toEqual({ status: 'Accepted' });
      expect(talk.saidInShort()[0]).toBe(
        told(version, ['StopTransaction Remote'], ['TransactionEvent Ended RemoteStop EVConnected Remote'])[0],
      );
      expect(talk.request(stop as string, { transactionId: id })?.[2]).toMatchObject({ status: 'Rejected' });
    });

    it('waits for a car after a remote start, and gives up after the connection time-out', async () => {
      const talk = await booted(version);
      const [action, payload] =
        version === '1.6'
          ? ['RemoteStartTransaction', { idTag: 'REMOTE' }]
          : ['RequestStartTransaction', { idToken: { idToken: 'REMOTE', type: 'ISO14443' }, remoteStartId: 42 }];
      talk.request(action as string, payload as Payload);
      expect(talk.saidInShort()).toEqual(told(version, ['StatusNotification 1 Preparing'], ['Authorize']));
      talk.pass(version === '1.6' ? 60 : 120);
      expect(talk.saidInShort()).toEqual(told(version, ['StatusNotification 1 Available'], []));
    });
  });
}

describe('OCPP 1.6: before it is accepted', () => {
  const answering = (status: string) => ({
    BootNotification: () => ({ status, currentTime: new Date(startMs).toISOString(), interval: 600 }),
  });

  it('a charger that waits answers what concerns its setup, and starts and stops nothing', async () => {
    const talk = await Talk.with('1.6', { answers: answering('Pending') });
    talk.connect().said();
    expect(talk.ask('ChangeConfiguration', { key: 'HeartbeatInterval', value: '60' })).toEqual({ status: 'Accepted' });
    expect(talk.ask('GetConfiguration', { key: ['HeartbeatInterval'] })['configurationKey'][0].value).toBe('60');
    expect(talk.ask('RemoteStartTransaction', { idTag: 'A', connectorId: 1 })).toEqual({ status: 'Rejected' });
    expect(talk.ask('RemoteStopTransaction', { transactionId: 1 })).toEqual({ status: 'Rejected' });
    expect(talk.saidInShort()).toEqual([]);
  });

  it('a charger that is rejected hears nothing', async () => {
    const talk = await Talk.with('1.6', { answers: answering('Rejected') });
    talk.connect().said();
    expect(talk.request('GetConfiguration', {})?.[2]).toBe('SecurityError');
    expect(talk.pass(599).saidInShort()).toEqual([]);
    expect(talk.pass(1).saidInShort()).toEqual(['BootNotification']);
  });

  it('no new line makes it ask sooner than it was told', async () => {
    const talk = await Talk.with('1.6', { answers: answering('Rejected') });
    talk.connect().said();
    expect(talk.cut().pass(60).reconnect().saidInShort()).toEqual([]);
    expect(talk.pass(540).saidInShort()).toEqual(['BootNotification']);
  });

  it('no answer to the boot, or a bad one, makes it ask again after a while, with a new id', async () => {
    const talk = await Talk.with('1.6', { answers: { BootNotification: () => 'InternalError' } });
    talk.connect().said();
    expect(talk.pass(59).saidInShort()).toEqual([]);
    talk.answers = {};
    expect(talk.pass(1).saidInShort()[0]).toBe('BootNotification');
    const ids = talk.texts.map((text) => JSON.parse(text)[1]);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('OCPP 1.6: what is wrong with a request', () => {
  it.each([
    ['a field too many', { connectorId: 1, type: 'Operative', odd: 1 }, 'FormationViolation'],
    ['not an object', [], 'FormationViolation'],
    ['a field too few', { connectorId: 1 }, 'ProtocolError'],
    ['a number as text', { connectorId: '1', type: 'Operative' }, 'TypeConstraintViolation'],
    ['a word that is not in the list', { connectorId: 1, type: 'Sometimes' }, 'PropertyConstraintViolation'],
  ])('%s', async (_what, payload, code) => {
    const talk = await booted('1.6');
    expect(talk.request('ChangeAvailability', payload as Payload)?.slice(2)).toEqual([code, expect.any(String), {}]);
  });

  it('a text that is too long', async () => {
    const talk = await booted('1.6');
    const wrong = { key: 'k'.repeat(51), value: '1' };
    expect(talk.request('ChangeConfiguration', wrong)?.[2]).toBe('TypeConstraintViolation');
  });
});
