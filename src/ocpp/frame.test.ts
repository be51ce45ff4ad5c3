// The framing: whatever a socket carries is read without a throw.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callText, errorText, readFrame, resultText } from './frame.ts';

describe('a frame', () => {
  it('is read as it was written', () => {
    expect(readFrame(callText('1', 'Heartbeat', {}))).toEqual({
      kind: 'call',
      id: '1',
      action: 'Heartbeat',
      payload: {},
    });
    expect(readFrame(resultText('1', { a: 1 }))).toEqual({ kind: 'result', id: '1', payload: { a: 1 } });
    expect(readFrame(errorText('1', 'GenericError', 'why'))).toEqual({
      kind: 'error',
      id: '1',
      code: 'GenericError',
      description: 'why',
    });
  });

  it('never carries a description longer than OCPP allows', () => {
    expect((JSON.parse(errorText('1', 'GenericError', 'x'.repeat(1_000))) as string[])[3]).toHaveLength(255);
  });

  it.each([
    ['no json', '-1', true],
    ['{}', '-1', true],
    ['[]', '-1', true],
    ['[2]', '-1', true],
    ['[2,1,"Heartbeat",{}]', '-1', true],
    [`[2,"${'x'.repeat(37)}","Heartbeat",{}]`, '-1', true],
    ['[2,"1","Heartbeat"]', '1', true],
    ['[2,"1",7,{}]', '1', true],
    ['["2","1","Heartbeat",{}]', '1', true],
    ['[3,"1"]', '1', false],
    ['[4,"1"]', '1', false],
  ])('%s is malformed', (text, id, answerable) => {
    expect(readFrame(text)).toMatchObject({ kind: 'malformed', id, answerable });
  });

  it('of any text at all is something', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.array(fc.anything()).map((value) => JSON.stringify(value) ?? ''),
        ),
        (text) => {
          expect(readFrame(text).kind).toMatch(/^(call|result|error|unknown|malformed)$/);
        },
      ),
    );
  });

  it('nested a hundred thousand deep is survived', () => {
    expect(readFrame(`[2,"1","DataTransfer",${'['.repeat(100_000)}${']'.repeat(100_000)}]`).kind).toBe('call');
  });
});
