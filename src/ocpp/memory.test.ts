// What a charger keeps while it charges: at a sample only what has moved, and yet it wakes as if all had been kept.

import { describe, expect, it } from 'vitest';
import { charging, type Talk, versions } from '../../test/talk.ts';
import { memoryText, resume } from './memory.ts';

const wokenFrom = ({ dialect, conversation, nowMs }: Talk, text: string | null) =>
  resume(dialect, conversation.charger.station, text, nowMs).woken;
const isMotion = ({ memory }: Talk): boolean => memory?.includes('\n') === true;

for (const version of versions) {
  describe(`OCPP ${version}: the memory of a charger that charges`, () => {
    it('is kept at a sample as what has moved, and wakes it as the whole would', async () => {
      const talk = await charging(version);
      talk.pass(1_234);
      expect(isMotion(talk)).toBe(true);
      expect(talk.memory?.split('\n')[1]?.length).toBeLessThan(100);
      expect(wokenFrom(talk, talk.memory)).toEqual(wokenFrom(talk, memoryText(talk.conversation)));
    });

    it('never falls back behind what the CSMS has heard', async () => {
      const talk = await charging(version);
      talk.pass(600);
      const heardWh = talk.conversation.charger.connectors[0]?.session?.sampledWh ?? Number.NaN;
      expect(heardWh).toBeGreaterThan(0);
      talk.pass(30).powerCut();
      expect(talk.conversation.charger.connectors[0]?.meterWh).toBeGreaterThanOrEqual(heardWh);
    });

    it('is kept whole when anything else has changed', async () => {
      const talk = await charging(version);
      talk.pass(600);
      expect(isMotion(talk)).toBe(true);
      talk.command('power-update', { power_w: 5_000 });
      expect(isMotion(talk)).toBe(false);
      talk.pass(600);
      expect(isMotion(talk)).toBe(true);
      talk.command('inject-fault', { error_code: 'GroundFailure' });
      expect(isMotion(talk)).toBe(false);
    });
  });
}
