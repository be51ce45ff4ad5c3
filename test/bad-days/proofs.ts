// What must hold of a bad day, each as a list of sentences about where it does not.

import type { Recorder } from '../../src/csms/recorder.ts';
import type { Json } from '../flows/gateway.ts';
import type { CommandStream } from './command-stream.ts';

/** With these a command may end that met the bad day, and nothing else may have become of it. */
const fates = new Set(['interrupted', 'not_connected', 'not_accepted', 'connection_lost']);

/** Every command that was accepted is on record once, and has ended. */
export function lossProblems(
  { accepted }: Pick<CommandStream, 'accepted'>,
  commands: ReadonlyMap<string, readonly Json[]>,
): string[] {
  return [...accepted].flatMap(([identity, numbers]) => {
    const own = commands.get(identity) ?? [];
    const byNumber = Map.groupBy(own, numberOf);
    const lost = numbers.filter((number) => byNumber.get(number)?.length !== 1);
    const records = own.map(numberOf);
    return [
      ...lost.map((number) => `${identity}: ${number} is on record ${byNumber.get(number)?.length ?? 0} times`),
      ...notRising(records).map((number) => `${identity}: ${number} is on record too late`),
      ...own.flatMap(({ status, error_code, payload }) => {
        if (status === 'succeeded' || (status === 'failed' && fates.has(error_code))) return [];
        return [`${identity}: ${payload.payload.data} is ${status} with ${error_code}`];
      }),
    ];
  });
}

/** No command has reached the CSMS twice, before an earlier one, or without its record saying so. */
export function repetitionProblems(recorder: Recorder, commands: ReadonlyMap<string, readonly Json[]>): string[] {
  return [...commands].flatMap(([identity, own]) => {
    const marks = recorder.calls(identity, 'DataTransfer').map(({ payload }) => Number(payload['data']));
    const heard = new Set(marks);
    const records = own.flatMap((command) => {
      const number = numberOf(command);
      const wasHeard = heard.delete(number);
      const { status, error_code } = command;
      if (status === 'succeeded' && !wasHeard) return [`${identity}: ${number} succeeded, but nobody heard it`];
      const isDenied = error_code === 'not_connected' || error_code === 'not_accepted';
      return isDenied && wasHeard ? [`${identity}: ${number} is ${error_code}, but the CSMS heard it`] : [];
    });
    return [
      ...notRising(marks).map((number) => `${identity}: ${number} came too late or twice`),
      ...records,
      ...[...heard].map((number) => `${identity}: nobody has ordered ${number}`),
    ];
  });
}

export function fatesOf(commands: ReadonlyMap<string, readonly Json[]>): Record<string, number> {
  const all = [...commands.values()].flat();
  const grouped = Map.groupBy(all, ({ status, error_code }) => String(error_code ?? status));
  return Object.fromEntries([...grouped].map(([fate, own]) => [fate, own.length]));
}

/** How often callers heard what other than that it is accepted. */
export function refusalsOf({ answers }: Pick<CommandStream, 'answers'>): Record<string, number> {
  const refused = answers.filter(({ status }) => status !== 202);
  const grouped = Map.groupBy(refused, ({ status, detail }) => `${status} ${detail}`);
  return Object.fromEntries([...grouped].map(([sentence, own]) => [sentence, own.length]));
}

const numberOf = ({ payload }: Json): number => Number(payload.payload?.data ?? Number.NaN);

const notRising = (numbers: readonly number[]): number[] =>
  numbers.filter((number, index) => index > 0 && !(number > (numbers[index - 1] as number)));
