// What the ask port promises, whoever runs the chargers and wherever.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ask } from '../../src/ports/ask.ts';

export interface OpenedAsk {
  readonly ask: Ask;
  /** Makes a charger that connects and boots, and gives its deployment id. */
  addCharger(): Promise<string>;
  stopCharger(id: string): Promise<void>;
  /** Kills the process that runs the chargers; null where there is none to kill. */
  readonly killRunner: (() => void) | null;
  close(): Promise<void>;
}

const nobody = 'no-such-charger';
const upload = (version: number) =>
  ({
    kind: 'run',
    eventType: 'local_auth_list',
    payload: { list_version: version, entries: [], update_type: 'Full' },
    withinMs: 5_000,
  }) as const;

export function describeAsk(name: string, open: () => Promise<OpenedAsk>): void {
  describe(`asking (${name})`, () => {
    let opened: OpenedAsk;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    it('reaches a charger as soon as it is created', async () => {
      const id = await opened.addCharger();
      const live = await opened.ask.ask(id, { kind: 'live' });
      expect(live.runtime.desired).toBe('running');
      expect(live.charger.connectors).toHaveLength(1);
    });

    it('fails as not_running where nobody runs the charger', async () => {
      await expect(opened.ask.ask(nobody, { kind: 'live' })).rejects.toMatchObject({ code: 'not_running' });
      await expect(opened.ask.ask(nobody, upload(1))).rejects.toMatchObject({ code: 'not_running' });
    });

    it('fails as no_answer when the answer does not come in time', async () => {
      const id = await opened.addCharger();
      // It is answered when the charger has stopped, and nobody stops it.
      await expect(opened.ask.ask(id, { kind: 'stopped' }, 100)).rejects.toMatchObject({ code: 'no_answer' });
    });

    it('answers `stopped` when the charger has stopped, and at once for one that does not run', async () => {
      const id = await opened.addCharger();
      const stopped = opened.ask.ask(id, { kind: 'stopped' }, 20_000);
      await opened.stopCharger(id);
      expect(await stopped).toBe(true);
      expect(await opened.ask.ask(nobody, { kind: 'stopped' })).toBe(true);
    });

    it('runs a command and brings the charger’s own words back, refusals too', async () => {
      const id = await opened.addCharger();
      expect(await opened.ask.ask(id, upload(3), 20_000)).toMatchObject({
        result: { status: 'Accepted', list_version: 3 },
      });
      expect(await opened.ask.ask(id, upload(3), 20_000)).toMatchObject({ result: { status: 'VersionMismatch' } });
      const unknown = { ...upload(4), eventType: 'make_coffee' };
      expect(await opened.ask.ask(id, unknown, 20_000)).toMatchObject({ refused: 'unknown_command' });
    });

    it('reads the log of a charger, running or not', async () => {
      const id = await opened.addCharger();
      const actions = async () =>
        (await opened.ask.ask(id, { kind: 'logs', query: { limit: 100 } })).entries.map((entry) => entry.action);
      await expect.poll(actions, { timeout: 10_000 }).toContain('BootNotification');
      await opened.stopCharger(id);
      await opened.ask.ask(id, { kind: 'stopped' }, 20_000);
      expect(await actions()).toContain('BootNotification');
    });

    it('tells the statuses of those that are connected, and leaves the others out', async () => {
      const id = await opened.addCharger();
      const statuses = async () => Object.fromEntries(await opened.ask.statuses([id, nobody]));
      await expect.poll(statuses, { timeout: 10_000 }).toEqual({ [id]: ['Available'] });
    });

    it('counts what runs', async () => {
      const before = (await opened.ask.census()).running;
      await opened.addCharger();
      await expect.poll(async () => (await opened.ask.census()).running, { timeout: 10_000 }).toBe(before + 1);
      expect((await opened.ask.census()).processes).toEqual({ alive: 1, expected: 1 });
    });

    it('waits for a process that is being restarted', async () => {
      if (opened.killRunner === null) return;
      const id = await opened.addCharger();
      await opened.ask.ask(id, { kind: 'live' });
      opened.killRunner();
      const live = await opened.ask.ask(id, { kind: 'live' }, 20_000);
      expect(live.charger.connectors).toHaveLength(1);
    });
  });
}
