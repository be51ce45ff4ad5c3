// What the recorder remembers, waits for and complains about.
import { describe, expect, it } from 'vitest';
import type { CsmsFrame } from './connection.ts';
import { Recorder } from './recorder.ts';

function frame(direction: 'in' | 'out', parts: unknown, extra: Partial<CsmsFrame> = {}): CsmsFrame {
  return {
    org: 'acme',
    identity: 'CP-1',
    version: '1.6',
    connection: 1,
    direction,
    text: typeof parts === 'string' ? parts : JSON.stringify(parts),
    atMs: 0,
    valid: true,
    problem: null,
    ...extra,
  };
}

/** A call and its answer. */
function exchange(recorder: Recorder, id: string, action: string, payload: unknown, extra: Partial<CsmsFrame> = {}) {
  recorder.onFrame(frame('in', [2, id, action, payload], extra));
  recorder.onFrame(frame('out', [3, id, {}], extra));
}

const problems = (recorder: Recorder) => recorder.violations().map(({ problem }) => problem);

describe('the recorder', () => {
  it('lists frames and calls of one charger in their order', () => {
    const recorder = new Recorder();
    exchange(recorder, 'a', 'BootNotification', { x: 1 });
    exchange(recorder, 'b', 'Heartbeat', {}, { identity: 'CP-2', connection: 2 });
    exchange(recorder, 'c', 'Heartbeat', {}, { atMs: 7 });
    expect(recorder.frames('CP-1').map(({ order, direction }) => [order, direction])).toEqual([
      [0, 'in'],
      [1, 'out'],
      [4, 'in'],
      [5, 'out'],
    ]);
    expect(recorder.calls('CP-1').map(({ action }) => action)).toEqual(['BootNotification', 'Heartbeat']);
    expect(recorder.calls('CP-1', 'Heartbeat')).toEqual([
      { action: 'Heartbeat', payload: {}, id: 'c', atMs: 7, order: 4, connection: 1 },
    ]);
    expect(recorder.calls('CP-3')).toEqual([]);
    recorder.clear();
    expect([recorder.cursor(), recorder.calls('CP-1')]).toEqual([0, []]);
  });

  it('finds a call that came before it was waited for', async () => {
    const recorder = new Recorder();
    exchange(recorder, 'a', 'Heartbeat', {});
    expect(await recorder.waitFor('CP-1', 'Heartbeat')).toMatchObject({ id: 'a' });
  });

  it('waits for a call that fits, of that charger, from the cursor on', async () => {
    const recorder = new Recorder();
    exchange(recorder, 'a', 'MeterValues', { connectorId: 2 });
    const waiting = recorder.waitFor(
      'CP-1',
      'MeterValues',
      ({ connectorId }) => connectorId === 2,
      1000,
      recorder.cursor(),
    );
    exchange(recorder, 'b', 'MeterValues', { connectorId: 1 });
    exchange(recorder, 'c', 'MeterValues', { connectorId: 2 }, { identity: 'CP-2', connection: 2 });
    exchange(recorder, 'd', 'StatusNotification', { connectorId: 2 });
    exchange(recorder, 'e', 'MeterValues', { connectorId: 2 });
    exchange(recorder, 'f', 'MeterValues', { connectorId: 2 });
    expect(await waiting).toMatchObject({ id: 'e' });
  });

  it('says what did arrive when a call does not', async () => {
    const recorder = new Recorder();
    exchange(recorder, 'a', 'Heartbeat', {});
    exchange(recorder, 'b', 'StatusNotification', { connectorId: 1 });
    await expect(recorder.waitFor('CP-1', 'StartTransaction', undefined, 1)).rejects.toThrow(
      'no such StartTransaction of CP-1 within 1 ms; it sent:\n  #0 Heartbeat {}\n  #2 StatusNotification {"connectorId":1}',
    );
    await expect(recorder.waitFor('CP-9', 'Heartbeat', undefined, 1)).rejects.toThrow(
      'no such Heartbeat of CP-9 within 1 ms; it sent nothing; there were calls of CP-1',
    );
  });

  it('reports every frame that was not valid', () => {
    const recorder = new Recorder();
    recorder.onFrame(frame('in', '{broken', { valid: false, problem: 'not JSON' }));
    recorder.onFrame(frame('out', [3, 'a', {}], { valid: false, problem: 'currentTime is missing' }));
    expect(recorder.violations()).toEqual([
      { identity: 'CP-1', direction: 'in', order: 0, problem: 'not JSON', text: '{broken' },
      { identity: 'CP-1', direction: 'out', order: 1, problem: 'currentTime is missing', text: '[3,"a",{}]' },
    ]);
  });
});

describe('a charger breaks a rule when it', () => {
  it('calls again before it was answered', () => {
    const recorder = new Recorder();
    recorder.onFrame(frame('in', [2, 'a', 'Heartbeat', {}]));
    recorder.onFrame(frame('in', [2, 'b', 'Heartbeat', {}]));
    recorder.onFrame(frame('out', [3, 'a', {}]));
    recorder.onFrame(frame('out', [4, 'b', 'GenericError', '', {}]));
    exchange(recorder, 'c', 'Heartbeat', {});
    expect(problems(recorder)).toEqual(['a second call while a is unanswered']);
  });

  it('uses a message id again on the same connection', () => {
    const recorder = new Recorder();
    exchange(recorder, 'a', 'Heartbeat', {});
    exchange(recorder, 'a', 'Heartbeat', {}, { connection: 2 });
    exchange(recorder, 'a', 'Heartbeat', {}, { connection: 2 });
    expect(problems(recorder)).toEqual(['the message id a was used before on this connection']);
  });

  it('sends null', () => {
    const recorder = new Recorder();
    exchange(recorder, 'a', 'StatusNotification', { info: null, list: [{ deep: null }] });
    expect(new Set(problems(recorder))).toEqual(new Set(['info is null', 'deep is null']));
  });

  it.each(['2026-01-31T12:00:05+01:00', '2026-01-31T12:00:05', '2026-01-31T12:00:05.123456Z'])(
    'sends the time %s',
    (timestamp) => {
      const recorder = new Recorder();
      exchange(recorder, 'a', 'MeterValues', { meterValue: [{ timestamp }] });
      expect(problems(recorder)).toEqual([
        `timestamp is no UTC timestamp that ends with Z, with 3 decimals at most: ${timestamp}`,
      ]);
    },
  );

  it('answers with half an error', () => {
    const recorder = new Recorder();
    recorder.onFrame(frame('in', [4, 'a', 'GenericError', '']));
    expect(problems(recorder)).toEqual(['a CALLERROR is [4, id, code, description of at most 255, {details}]']);
  });

  it('does not boot first, where that is expected', () => {
    const recorder = new Recorder({ expectBootFirst: true });
    exchange(recorder, 'a', 'StatusNotification', {});
    exchange(recorder, 'b', 'BootNotification', {});
    exchange(recorder, 'a', 'BootNotification', {}, { identity: 'CP-2', connection: 2 });
    exchange(recorder, 'a', 'Heartbeat', {}, { identity: 'CP-2', connection: 3 });
    recorder.expectBootFirst('CP-2');
    exchange(recorder, 'b', 'Heartbeat', {}, { identity: 'CP-2', connection: 3 });
    exchange(recorder, 'a', 'Heartbeat', {}, { identity: 'CP-2', connection: 4 });
    expect(recorder.violations()).toMatchObject([
      { identity: 'CP-1', order: 0, problem: 'the first call is StatusNotification, not BootNotification' },
      { identity: 'CP-2', order: 10, problem: 'the first call is Heartbeat, not BootNotification' },
    ]);
  });
});

describe('a charger breaks no rule when it', () => {
  it('gives up a call that was not answered in time', () => {
    const recorder = new Recorder({ messageTimeoutMs: 1000 });
    recorder.onFrame(frame('in', [2, 'a', 'Heartbeat', {}]));
    recorder.onFrame(frame('in', [2, 'b', 'Heartbeat', {}], { atMs: 1000 }));
    expect(problems(recorder)).toEqual([]);
  });

  it('answers while it waits for an answer', () => {
    const recorder = new Recorder();
    recorder.onFrame(frame('in', [2, 'a', 'Heartbeat', {}]));
    recorder.onFrame(frame('out', [2, 'x', 'ClearCache', {}]));
    recorder.onFrame(frame('in', [3, 'x', { status: 'Accepted' }]));
    recorder.onFrame(frame('out', [3, 'a', {}]));
    expect(problems(recorder)).toEqual([]);
  });

  it('sends good times, and whatever a vendor likes', () => {
    const recorder = new Recorder();
    exchange(recorder, 'a', 'MeterValues', { timestamp: '2026-01-31T12:00:05.123Z' });
    exchange(recorder, 'b', 'DataTransfer', { vendorId: 'x', data: { at: '2026-01-31T12:00', none: null } });
    exchange(recorder, 'c', 'Heartbeat', { customData: { vendorId: 'x', none: null } });
    expect(problems(recorder)).toEqual([]);
  });
});
