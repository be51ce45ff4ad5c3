// What reaches the log of messages that carry secrets.

import { describe, expect, it } from 'vitest';
import { masked } from './masking.ts';

describe('a secret', () => {
  it.each([
    ['1.6', '[2,"1","ChangeConfiguration",{"key":"AuthorizationKey","value":"s3cret"}]'],
    ['1.6, value first', '[2,"1","ChangeConfiguration",{"value":"s3cret","key":"AuthorizationKey"}]'],
    [
      '2.x',
      '[2,"1","SetVariables",{"setVariableData":[{"attributeValue":"s3cret","component":{"name":"SecurityCtrlr"},"variable":{"name":"BasicAuthPassword"}}]}]',
    ],
    ['any case', '[2,"1","ChangeConfiguration",{"key":"authorizationkey","value":"s3cret"}]'],
    ['a command', '{"component":"SecurityCtrlr","variable":"BasicAuthPassword","value":"s3cret"}'],
    ['with blanks', '[2, "1", "ChangeConfiguration", { "key": "AuthorizationKey", "value": "s3cret" }]'],
  ])('is masked in %s, and nothing else of the text changes', (_, text) => {
    expect(masked(text)).toBe(text.replace('s3cret', '***'));
  });

  it('is masked however it is escaped', () => {
    const text = '[2,"1","ChangeConfiguration",{"key":"AuthorizationKey","value":"s\\u0033cret"}]';
    expect(masked(text)).not.toMatch(/cret/);
    expect(JSON.parse(masked(text))[3]).toEqual({ key: 'AuthorizationKey', value: '***' });
  });

  it('does not slip through a message that cannot be read', () => {
    expect(masked('[2,"1",{"key":"AuthorizationKey","value":"s3cret"')).not.toContain('s3cret');
    const deep = `${'['.repeat(100_000)}{"key":"AuthorizationKey","value":"s3cret"}${']'.repeat(100_000)}`;
    expect(masked(deep)).not.toContain('s3cret');
  });

  it('leaves other settings alone', () => {
    const text = '[2,"1","ChangeConfiguration",{"key":"HeartbeatInterval","value":"60"}]';
    expect(masked(text)).toBe(text);
    const both =
      '[2,"1","SetVariables",{"a":[{"variable":{"name":"BasicAuthPassword"},"attributeValue":"s3cret"},{"variable":{"name":"Interval"},"attributeValue":"60"}]}]';
    expect(masked(both)).toBe(both.replace('s3cret', '***'));
  });

  it('is found in a large message of a hostile CSMS without being slow', () => {
    const text = JSON.stringify([
      2,
      '1',
      'AuthorizationKey',
      { list: Array.from({ length: 50_000 }, () => ({ value: 'x' })) },
    ]);
    expect(masked(text)).toBe(text);
  });
});
