// Every command on every version: the frames that it causes, and what it refuses. A command without a row fails the suite.

import { describe, expect, it } from 'vitest';
import { type Payload, Talk, type Version, versions } from '../../test/talk.ts';
import { commands } from './index.ts';

const start = { id_tag: 'DEADBEEF' };

interface Row {
  readonly before?: (talk: Talk) => void;
  readonly event?: Payload;
  readonly eventOf?: (version: Version) => Payload;
  /** `of21` where 2.1 has more to say than 2.0.1. */
  readonly frames: {
    readonly of16: readonly string[];
    readonly of2: readonly string[];
    readonly of21?: readonly string[];
  };
  readonly result?: unknown;
  /** Codes of refusals, each with what leads to it; null where a version does not refuse. */
  readonly refusals: Readonly<
    Record<
      string,
      { before?: (talk: Talk) => void; event?: Payload; eventOf?: (version: Version) => Payload; only?: Version[] }
    >
  >;
  /** What the same command does a second time: nothing more to say, a refusal, or the same again. */
  readonly again: 'silent' | 'refused' | 'repeats';
}

const plug = (talk: Talk) => void talk.command('plug-connector');
const charge = (talk: Talk) => void talk.command('start-session', start);
const unplugged = {};
const ground = { error_code: 'GroundFailure' };

const rows: Readonly<Record<string, Row>> = {
  'plug-connector': {
    frames: { of16: ['StatusNotification 1 Preparing'], of2: ['StatusNotification 1 Occupied'] },
    refusals: { already_plugged: { before: plug } },
    again: 'refused',
  },
  'unplug-connector': {
    before: charge,
    frames: {
      of16: ['StopTransaction EVDisconnected', 'StatusNotification 1 Available'],
      of2: ['TransactionEvent Ended EVCommunicationLost Idle EVDisconnected', 'StatusNotification 1 Available'],
    },
    refusals: { not_plugged: unplugged },
    again: 'refused',
  },
  'unlock-connector': {
    before: plug,
    frames: { of16: [], of2: [] },
    refusals: { transaction_active: { before: charge, only: ['2.0.1', '2.1'] } },
    again: 'silent',
  },
  'ev-requests-energy': {
    before: (talk) => {
      charge(talk);
      talk.command('ev-stops-energy');
    },
    frames: {
      of16: ['StatusNotification 1 Charging'],
      of2: ['TransactionEvent Updated ChargingStateChanged Charging'],
    },
    refusals: { not_plugged: unplugged },
    again: 'silent',
  },
  'ev-stops-energy': {
    before: charge,
    frames: {
      of16: ['StatusNotification 1 SuspendedEV'],
      of2: ['TransactionEvent Updated ChargingStateChanged SuspendedEV'],
    },
    refusals: {},
    again: 'silent',
  },
  'power-update': {
    before: charge,
    event: { power_w: 7_000 },
    frames: { of16: ['MeterValues'], of2: ['TransactionEvent Updated ChargingRateChanged Charging'] },
    result: { requested_w: 7_000, offered_w: 7_000, drawn_w: 7_000, limited_by: 'power_update' },
    refusals: {},
    again: 'repeats',
  },
  'start-transaction': {
    before: plug,
    event: start,
    frames: {
      of16: ['Authorize', 'StartTransaction', 'StatusNotification 1 Charging'],
      of2: [
        'Authorize',
        'TransactionEvent Started Authorized EVConnected',
        'TransactionEvent Updated ChargingStateChanged Charging',
      ],
    },
    refusals: {
      not_plugged: { event: start },
      transaction_active: { before: charge, event: start },
      faulted: {
        before: (talk) => {
          plug(talk);
          talk.command('inject-fault', ground);
        },
        event: start,
      },
    },
    again: 'refused',
  },
  'stop-transaction': {
    before: charge,
    event: { reason: 'Local' },
    frames: {
      of16: ['StopTransaction Local', 'StatusNotification 1 Finishing'],
      of2: ['TransactionEvent Ended StopAuthorized EVConnected Local'],
    },
    refusals: {
      no_transaction: { before: plug, event: { reason: 'Local' } },
      unknown_reason: { before: charge, event: { reason: 'Timeout' }, only: ['1.6'] },
    },
    again: 'refused',
  },
  'transaction-limit': {
    before: charge,
    event: { max_energy_wh: 5_000 },
    frames: { of16: [], of2: [], of21: ['TransactionEvent Updated LimitSet Charging'] },
    refusals: {
      no_transaction: { before: plug, event: { max_energy_wh: 5_000 } },
      no_limit: { before: charge, event: { max_energy_wh: null } },
      cost_unknown: { before: charge, event: { max_time_s: 60, max_cost: 5 }, only: ['1.6', '2.0.1'] },
    },
    again: 'silent',
  },
  'start-session': {
    event: start,
    frames: {
      of16: ['StatusNotification 1 Preparing', 'Authorize', 'StartTransaction', 'StatusNotification 1 Charging'],
      of2: [
        'StatusNotification 1 Occupied',
        'Authorize',
        'TransactionEvent Started Authorized EVConnected',
        'TransactionEvent Updated ChargingStateChanged Charging',
      ],
    },
    refusals: { transaction_active: { before: charge, event: start } },
    again: 'refused',
  },
  'stop-session': {
    before: charge,
    frames: {
      of16: ['StopTransaction Local', 'StatusNotification 1 Finishing', 'StatusNotification 1 Available'],
      of2: ['TransactionEvent Ended StopAuthorized EVConnected Local', 'StatusNotification 1 Available'],
    },
    refusals: { no_session: {} },
    again: 'refused',
  },
  authorize: {
    before: plug,
    event: { id_tag: 'DEADBEEF', id_token_type: 'ISO14443' },
    frames: {
      of16: ['Authorize', 'StartTransaction', 'StatusNotification 1 Charging'],
      of2: [
        'Authorize',
        'TransactionEvent Started Authorized EVConnected',
        'TransactionEvent Updated ChargingStateChanged Charging',
      ],
    },
    result: { status: 'Accepted', source: 'csms' },
    refusals: {
      id_tag_too_long: { event: { id_tag: 'x'.repeat(256), id_token_type: 'ISO14443' } },
    },
    again: 'repeats',
  },
  'inject-fault': {
    before: charge,
    event: ground,
    frames: {
      of16: ['StatusNotification 1 Faulted GroundFailure', 'StopTransaction Other'],
      of2: [
        'StatusNotification 1 Faulted',
        'NotifyEvent RCD.Tripped true',
        'TransactionEvent Ended AbnormalCondition EVConnected GroundFault',
      ],
    },
    refusals: {},
    again: 'silent',
  },
  'clear-fault': {
    before: (talk) => {
      charge(talk);
      talk.command('inject-fault', ground);
    },
    event: ground,
    frames: {
      of16: ['StatusNotification 1 Finishing'],
      of2: ['StatusNotification 1 Occupied', 'NotifyEvent RCD.Tripped false'],
    },
    refusals: { no_fault: {} },
    again: 'refused',
  },
  'local-auth-list': {
    event: { list_version: 1, entries: [{ id_tag: 'A', status: 'Accepted' }], update_type: 'Full' },
    frames: { of16: [], of2: [] },
    result: { status: 'Accepted', list_version: 1, entries_received: 1, entries_deleted: 0, msg: 'list replaced' },
    refusals: {},
    again: 'silent',
  },
  'clear-local-auth-list': {
    before: (talk) =>
      void talk.command('local-auth-list', {
        list_version: 7,
        entries: [{ id_tag: 'A', status: 'Accepted' }],
        update_type: 'Full',
      }),
    frames: { of16: [], of2: [] },
    result: { status: 'Accepted', list_version: 0, entries_received: 0, entries_deleted: 1, msg: 'list cleared' },
    refusals: {},
    again: 'silent',
  },
  'reset-auth-cache': {
    before: charge,
    frames: { of16: [], of2: [] },
    result: { entries_deleted: 1 },
    refusals: {},
    again: 'silent',
  },
  'seed-auth-cache': {
    event: { entries: [{ id_tag: 'A', status: 'Accepted' }] },
    frames: { of16: [], of2: [] },
    result: { entries: 1 },
    refusals: {},
    again: 'silent',
  },
  'set-configuration': {
    frames: { of16: [], of2: [] },
    eventOf: (version) =>
      version === '1.6'
        ? { key: 'meterValueSampleInterval', value: '10' }
        : { component: 'SampledDataCtrlr', variable: 'TxUpdatedInterval', value: '10' },
    refusals: {
      bad_name: { event: { value: '1' } },
      bad_value: {
        eventOf: (version) =>
          version === '1.6'
            ? { key: 'HeartbeatInterval', value: 'soon' }
            : { component: 'OCPPCommCtrlr', variable: 'HeartbeatInterval', value: 'soon' },
      },
      not_removable: {
        eventOf: (version) =>
          version === '1.6'
            ? { key: 'HeartbeatInterval', value: null }
            : { component: 'OCPPCommCtrlr', variable: 'HeartbeatInterval', value: null },
      },
      unknown_setting: {
        eventOf: (version) =>
          version === '1.6' ? { key: 'Mine', value: null } : { component: 'Mine', variable: 'Own', value: null },
      },
    },
    again: 'silent',
  },
  'proxy-message': {
    event: { action: 'Heartbeat', payload: {}, validate: true },
    frames: { of16: ['Heartbeat'], of2: ['Heartbeat'] },
    refusals: {
      invalid_message: { event: { action: 'Heartbeat', payload: { odd: 1 }, validate: true } },
      not_connected: {
        before: (talk) => void talk.cut(),
        event: { action: 'Heartbeat', payload: {}, validate: true },
      },
    },
    again: 'repeats',
  },
  'set-condition': {
    before: charge,
    event: { condition: 'external_limit', value: 7_000 },
    frames: { of16: [], of2: ['NotifyChargingLimit', 'TransactionEvent Updated ChargingRateChanged Charging'] },
    refusals: {
      bad_value: { event: { condition: 'external_limit', value: true } },
      not_supported: { event: { condition: 'battery_swap', value: true } },
    },
    again: 'silent',
  },
  'set-connectivity': {
    before: charge,
    event: { online: false, mode: 'close' },
    frames: { of16: [], of2: [] },
    refusals: {},
    again: 'silent',
  },
  'power-cycle': {
    before: charge,
    event: { off_s: 5 },
    frames: { of16: [], of2: [] },
    refusals: {},
    again: 'silent',
  },
};

describe('the table', () => {
  it('has a row for every command, and no row for anything else', () => {
    expect(Object.keys(rows).toSorted()).toEqual(commands.map((each) => each.name).toSorted());
  });
});

for (const version of versions) {
  const family = version === '1.6' ? 'of16' : 'of2';
  const booted = async (before?: (talk: Talk) => void): Promise<Talk> => {
    const talk = await Talk.with(version);
    talk.connect();
    before?.(talk);
    talk.said();
    return talk;
  };

  describe(`OCPP ${version}`, () => {
    for (const [name, row] of Object.entries(rows)) {
      it(`${name} says what it should`, async () => {
        const talk = await booted(row.before);
        const outcome = talk.command(name, row.eventOf?.(version) ?? row.event);
        expect(outcome?.failure).toBeNull();
        const { of21, [family]: frames } = row.frames;
        expect(talk.saidInShort()).toEqual(version === '2.1' ? (of21 ?? frames) : frames);
        if (row.result !== undefined) expect(outcome?.result).toEqual(row.result);
      });

      it(`${name} a second time: ${row.again}`, async () => {
        const talk = await booted(row.before);
        talk.command(name, row.eventOf?.(version) ?? row.event);
        talk.said();
        const outcome = talk.command(name, row.eventOf?.(version) ?? row.event);
        expect(outcome?.failure === null).toBe(row.again !== 'refused');
        expect(talk.said().length > 0).toBe(row.again === 'repeats');
      });

      for (const [refused, { before, event, eventOf, only }] of Object.entries(row.refusals)) {
        if (only !== undefined && !only.includes(version)) continue;
        it(`${name} is refused as ${refused}, changes nothing and says nothing`, async () => {
          const talk = await booted(before);
          const { charger } = talk.conversation;
          expect(talk.command(name, eventOf?.(version) ?? event)?.failure).toMatchObject({
            refused,
            sentence: expect.any(String),
          });
          expect(talk.said()).toEqual([]);
          expect(talk.conversation.charger).toEqual(charger);
        });
      }
    }
  });
}
