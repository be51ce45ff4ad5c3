// Diagnostics and logs: asked for, sent away, and told about, also when something goes wrong.

import { describe, expect, it } from 'vitest';
import { ErrandRunner } from '../../test/errand-runner.ts';
import { booted, type Payload, type Talk } from '../../test/talk.ts';

const location = 'ftp://files.test/diagnostics';

const statuses = (talk: Talk): string[] =>
  talk.said().map(({ action, payload }) => `${action} ${payload['status']} ${payload['requestId'] ?? ''}`.trim());

const resultOf = (reply: unknown[] | undefined): Payload => reply?.[2] as Payload;

const getLog = (requestId: number, more: Payload = {}): Payload => ({
  logType: 'DiagnosticsLog',
  requestId,
  log: { remoteLocation: location },
  ...more,
});

describe('GetDiagnostics', () => {
  it('is answered with the name of the file, which is then sent', async () => {
    const talk = await booted('1.6');
    const { fileName } = resultOf(talk.request('GetDiagnostics', { location }));
    expect(fileName).toBe('CP-1-diagnostics-20260131T120000Z.log');
    expect(statuses(talk)).toEqual(['DiagnosticsStatusNotification Uploading']);
    expect(talk.errands).toMatchObject([{ errand: { kind: 'send-log', location, fileName, log: 'diagnostics' } }]);
    talk.bring({ trouble: null });
    expect(statuses(talk)).toEqual(['DiagnosticsStatusNotification Uploaded']);
  });

  it('that cannot be sent is tried as often as the CSMS says, at its interval, and then fails', async () => {
    const talk = await booted('1.6');
    talk.request('GetDiagnostics', { location, retries: 3, retryInterval: 20 });
    talk.bring({ trouble: 'failed' }).pass(19);
    expect(talk.errands).toEqual([]);
    talk.pass(1).bring({ trouble: 'denied' }).pass(20).bring({ trouble: 'failed' });
    expect(statuses(talk)).toEqual([
      'DiagnosticsStatusNotification Uploading',
      'DiagnosticsStatusNotification UploadFailed',
    ]);
    talk.pass(60);
    expect(talk.errands).toEqual([]);
  });

  it('asked for again calls off the first', async () => {
    const talk = await booted('1.6');
    talk.request('GetDiagnostics', { location });
    const [first] = talk.errands;
    talk.request('GetDiagnostics', { location });
    expect(talk.calledOff).toEqual([first?.errand.id]);
    talk.said();
    talk.bring({ trouble: null });
    expect(statuses(talk)).toEqual([]);
    talk.bring({ trouble: null });
    expect(statuses(talk)).toEqual(['DiagnosticsStatusNotification Uploaded']);
  });

  it('is told about when the CSMS wants to hear of it', async () => {
    const talk = await booted('1.6');
    const ask = () => talk.request('TriggerMessage', { requestedMessage: 'DiagnosticsStatusNotification' });
    expect(resultOf(ask())).toEqual({ status: 'Accepted' });
    talk.request('GetDiagnostics', { location });
    ask();
    expect(statuses(talk)).toEqual([
      'DiagnosticsStatusNotification Idle',
      'DiagnosticsStatusNotification Uploading',
      'DiagnosticsStatusNotification Uploading',
    ]);
  });
});

describe.each(['1.6', '2.0.1', '2.1'] as const)('GetLog in OCPP %s', (version) => {
  it('is accepted, sent, and told about with its number', async () => {
    const talk = await booted(version);
    expect(resultOf(talk.request('GetLog', getLog(7)))).toMatchObject({ status: 'Accepted' });
    talk.bring({ trouble: null });
    expect(statuses(talk)).toEqual(['LogStatusNotification Uploading 7', 'LogStatusNotification Uploaded 7']);
  });

  it('asked for again while the first is under way cancels that', async () => {
    const talk = await booted(version);
    talk.request('GetLog', getLog(7));
    expect(resultOf(talk.request('GetLog', getLog(8)))).toMatchObject({ status: 'AcceptedCanceled' });
    expect(talk.calledOff).toHaveLength(1);
  });

  it.each([
    ['unsupported', 'NotSupportedOperation'],
    ['denied', 'PermissionDenied'],
    ['failed', 'UploadFailure'],
  ] as const)('that is %s says %s', async (trouble, status) => {
    const talk = await booted(version);
    talk.request('GetLog', getLog(7));
    talk.bring({ trouble });
    expect(statuses(talk).at(-1)).toBe(`LogStatusNotification ${status} 7`);
  });

  it('begins anew after a power cut, and has been answered before', async () => {
    const talk = await booted(version);
    talk.request('GetLog', getLog(7));
    talk.pass(2).powerCut();
    expect(talk.calledOff).toHaveLength(1);
    talk.said();
    talk.bring({ trouble: null }, talk.errands[1]);
    expect(statuses(talk)).toEqual(['LogStatusNotification Uploaded 7']);
  });

  it('that ended without a line is told about when the line is back', async () => {
    const talk = await booted(version);
    talk.request('GetLog', getLog(7));
    talk.cut().bring({ trouble: null });
    talk.said();
    talk.reconnect();
    expect(statuses(talk).filter((said) => said.startsWith('Log'))).toEqual(['LogStatusNotification Uploaded 7']);
    talk.cut().reconnect();
    expect(statuses(talk).filter((said) => said.startsWith('Log'))).toEqual([]);
  });
});

describe('the file', () => {
  it('of the security log has the events of the time asked for', async () => {
    const talk = await booted('1.6', { station: { credentials: secured } });
    const runner = new ErrandRunner();
    talk.pass(10);
    await runner.ask(talk, 'GetLog', { ...getLog(1), logType: 'SecurityLog' });
    const [file] = runner.files.received;
    expect(file?.fileName).toMatch(/^CP-1-security-/);
    expect(String(Buffer.from(file?.content ?? []))).toBe('2026-01-31T12:00:00.000Z StartupOfTheDevice\n');
    const later = { remoteLocation: location, oldestTimestamp: '2026-01-31T12:00:01Z' };
    await runner.ask(talk, 'GetLog', { ...getLog(2), logType: 'SecurityLog', log: later });
    expect(runner.files.received[1]?.content).toHaveLength(0);
  });
});

const secured = { profile: 1, password: 'a secret of 20 bytes', roots: [], certificate: null, key: null };
