// What must hold of a story with crashes, each as a list of sentences about where it does not.

import { type CrashStory, markOf } from './crash-story.ts';
import { heardOf, type Word } from './transaction-words.ts';

/** A killed process may have been at work for so long after the test looked at the clock. */
const dyingMs = 10;

/** Every command that was accepted has ended, once and for all, in its turn. */
export function commandProblems({ accepted, commands, seenEnded, kills }: CrashStory): string[] {
  const problems: string[] = [];
  const byId = new Map([...commands.values()].flat().map((command) => [command.id as string, command]));
  for (const { commandId, identity, number } of accepted) {
    if (byId.get(commandId)?.identity !== identity)
      problems.push(`${identity}: ${commandId} of request ${number} is not on record`);
  }
  for (const [id, seen] of seenEnded) {
    if (JSON.stringify(byId.get(id)) !== JSON.stringify(seen)) problems.push(`${id} has ended more than once`);
  }
  for (const { identity, id, event_type, status, error_code, started_at, finished_at } of byId.values()) {
    const name = `${identity}: ${event_type} ${id}`;
    if (status !== 'succeeded' && status !== 'failed') problems.push(`${name} is ${status}`);
    if ((status === 'failed') !== (error_code !== null)) problems.push(`${name} is ${status} with ${error_code}`);
    const isBetween = ({ atMs }: { readonly atMs: number }) =>
      Date.parse(started_at) <= atMs + dyingMs && atMs <= Date.parse(finished_at);
    if (error_code === 'interrupted' && !kills.some(isBetween))
      problems.push(`${name} was interrupted by nothing: ${started_at} to ${finished_at}`);
  }
  const numbers = new Map(accepted.map(({ commandId, number }) => [commandId, number]));
  for (const [identity, own] of commands) {
    const requests = own.flatMap(({ id }) => numbers.get(id) ?? []);
    problems.push(...notRising(requests).map((request) => `${identity}: request ${request} is on record too late`));
    let latest = '';
    for (const { id, event_type, started_at } of own) {
      if (started_at === null) continue;
      if (started_at < latest) problems.push(`${identity}: ${event_type} ${id} began before an earlier one`);
      latest = started_at;
    }
  }
  return problems;
}

/** No command has done anything twice, or before one that was accepted earlier. */
export function repetitionProblems({ recorder, commands, logged }: CrashStory): string[] {
  const problems: string[] = [];
  for (const [identity, own] of commands) {
    const marks = recorder.calls(identity).flatMap(({ action, payload }) => markOf(action, payload) ?? []);
    problems.push(...notRising(marks).map((mark) => `${identity}: message ${mark} came too late or twice`));
    const heard = new Set(marks);
    for (const { id, event_type, payload, status, error_code } of own) {
      if (event_type !== 'proxy_message') continue;
      const wasHeard = heard.delete(Number(payload.payload.data));
      if (status === 'succeeded' && !wasHeard) problems.push(`${identity}: ${id} succeeded, but nobody heard it`);
      if (wasHeard && (error_code === 'not_connected' || error_code === 'not_accepted'))
        problems.push(`${identity}: ${id} is ${error_code}, but the CSMS heard it`);
    }
    problems.push(...[...heard].map((mark) => `${identity}: nobody has ordered message ${mark}`));

    const places = new Map(own.map(({ id }, place) => [id as string, place]));
    const begun = (logged.get(identity) ?? []).map((id) => places.get(id) ?? Number.NaN);
    problems.push(...notRising(begun).map((place) => `${identity}: its log has command ${place} too late or twice`));

    const { words } = heardOf(recorder, identity);
    const starts = Map.groupBy(
      words.filter(({ phase }) => phase === 'start'),
      ({ tag }) => tag,
    );
    for (const { id, event_type, payload, status } of own) {
      if (payload.id_tag === undefined) continue;
      const count = starts.get(payload.id_tag)?.length ?? 0;
      if (count > 1 || (count === 0 && event_type === 'start_session' && status === 'succeeded'))
        problems.push(`${identity}: ${event_type} ${id} is ${status} and has started ${count} transactions`);
    }
  }
  return problems;
}

/** The CSMS has heard every transaction from its start to its end, in order. */
export function transactionProblems({ recorder, identities }: CrashStory): string[] {
  return identities.flatMap((identity) => {
    const { words, transactions, strays, unanswered } = heardOf(recorder, identity);
    const texts = new Set<string>();
    const again = words.filter(({ text }) => texts.size === texts.add(text).size);
    return [
      ...strays,
      ...unanswered.map((text) => `${identity}: not said again, though it was not answered: ${text}`),
      ...again.map(({ text }) => `${identity}: said again, though it was not under way: ${text}`),
      ...[...transactions.values()].flatMap((own) => {
        const problem = problemOf(own);
        return problem === null ? [] : [`${identity}: ${problem}: ${own.map(inShort).join(', ')}`];
      }),
    ];
  });
}

function problemOf(words: readonly Word[]): string | null {
  const phases = words.map(({ phase }) => phase).join(' ');
  if (!/^start( update)* end$/.test(phases)) return 'not from one start to one end';
  if (words.some(({ seqNo }, index) => seqNo !== null && seqNo !== index)) return 'not counted from 0 without gaps';
  return words.every(({ atMs }, index) => atMs >= (words[index - 1]?.atMs ?? 0)) ? null : 'back in time';
}

/** What was running at a kill has ended there. */
export function powerLossProblems({ recorder, identities, kills }: CrashStory): string[] {
  return identities.flatMap((identity) =>
    [...heardOf(recorder, identity).transactions.values()].flatMap((words) => {
      const [startMs, endMs] = [words[0]?.atMs ?? 0, words.at(-1)?.atMs ?? 0];
      const survived = kills.find(({ atMs }) => startMs < atMs && atMs + dyingMs < endMs);
      if (survived === undefined) return [];
      const at = new Date(survived.atMs).toISOString();
      return [`${identity}: a transaction has survived a kill at ${at}: ${words.map(inShort).join(', ')}`];
    }),
  );
}

/** Meters only count up: in what the CSMS hears, and in what people see who look. A look is nothing that a crash would keep. */
export function meterProblems({ recorder, identities, looks }: CrashStory): string[] {
  const problems: string[] = [];
  for (const identity of identities) {
    for (const [evseId, words] of Map.groupBy(heardOf(recorder, identity).words, (word) => word.evseId)) {
      const place = `${identity}/${evseId}`;
      let highestWh = 0;
      const shown = words.flatMap(({ registers, text }) => registers.map((register) => ({ ...register, text })));
      for (const { wh, text } of shown.sort((one, other) => one.atMs - other.atMs)) {
        if (wh < highestWh) problems.push(`${place}: ${wh} Wh after ${highestWh} Wh: ${text}`);
        highestWh = Math.max(highestWh, wh);
      }
      const own = looks.filter((look) => look.identity === identity && look.evseId === evseId);
      for (const [index, { cursor, energyWh, life }] of own.entries()) {
        const heard = words
          .filter(({ order }) => order < cursor)
          .flatMap(({ registers }) => registers.map(({ wh }) => wh));
        const before = own[index - 1];
        const leastWh = Math.max(0, ...heard, before?.life === life ? before.energyWh : 0);
        if (energyWh < leastWh) problems.push(`${place}: the live state shows ${energyWh} Wh after ${leastWh} Wh`);
      }
    }
  }
  return problems;
}

/** How much there was to be proven. */
export function summary({ kills, commands, recorder, identities }: CrashStory) {
  const all = [...commands.values()].flat();
  const heard = identities.map((identity) => heardOf(recorder, identity));
  const ends = heard.flatMap(({ words }) => words.filter(({ phase }) => phase === 'end'));
  return {
    kills: kills.length,
    ofGateway: kills.filter(({ what }) => what === 'gateway').length,
    commands: all.length,
    succeeded: all.filter(({ status }) => status === 'succeeded').length,
    interrupted: all.filter(({ error_code }) => error_code === 'interrupted').length,
    transactions: ends.length,
    powerLosses: ends.filter(({ reason }) => reason === 'PowerLoss').length,
    repeated: heard.reduce((sum, { repeated }) => sum + repeated, 0),
  };
}

const inShort = ({ phase, seqNo, atMs, reason }: Word): string =>
  `${phase} ${seqNo ?? ''} ${new Date(atMs).toISOString()} ${reason ?? ''}`;

/** Those that are not larger than the one before. */
const notRising = (numbers: readonly number[]): number[] =>
  numbers.filter((number, index) => index > 0 && !(number > (numbers[index - 1] as number)));
