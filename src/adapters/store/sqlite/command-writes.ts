// What the queue writes, and what chargers leave behind as they run.

import type { SQLInputValue } from 'node:sqlite';
import type { QueuedCommand } from '../../../ports/queue.ts';
import type { ChargerRecord, CommandOutcome, Commit, Receipt } from '../../../ports/store.ts';
import { receiptStatements, workOfReceipt } from './receipt-writes.ts';
import { idLists, type Statement, type Write, workOfText } from './write.ts';

export function acceptance(commands: readonly QueuedCommand[], receipt?: Receipt): Write {
  return {
    size: workOfReceipt(receipt) + commands.length,
    refusable: receipt !== undefined,
    statements() {
      // One alone needs no piece by piece.
      return commands.length === 1 && receipt === undefined ? commands.map(insertCommand) : all();
    },
  };

  function* all(): Iterable<Statement> {
    yield* receiptStatements(receipt);
    for (const command of commands) yield insertCommand(command);
  }
}

export function keeping(commits: readonly Commit[]): Write {
  return {
    size: commits.reduce((size, commit) => size + workOfCommit(commit), 0),
    refusable: false,
    statements() {
      return commits.length === 1 ? [...all()] : all();
    },
  };

  function* all(): Iterable<Statement> {
    let addenda: string[] = [];
    for (const commit of commits) {
      const { chargerId, memory, addendum } = commit;
      if (addenda.length === addendaPerStatement || (memory !== undefined && addenda.length > 0)) {
        yield keepAddenda(addenda);
        addenda = [];
      }
      yield* commitStatements(commit);
      if (addendum !== undefined) addenda.push(`${JSON.stringify(chargerId)}:${JSON.stringify(addendum)}`);
    }
    if (addenda.length > 0) yield keepAddenda(addenda);
  }
}

/** Samples come by the hundred: one statement keeps many. */
const addendaPerStatement = 500;
const keepAddenda = (members: readonly string[]): Statement => ['keepAddenda', [`{${members.join(',')}}`]];

/** All but the addendum. */
function commitStatements({ chargerId, memory, provisioning, applied, outcomes }: Commit): Statement[] {
  const statements: Statement[] = [];
  if (memory !== undefined) {
    statements.push(['keepMemory', [chargerId, memory]], ['dropAddendum', [chargerId]]);
  }
  if (provisioning !== undefined) {
    statements.push(['keepProvisioning', [chargerId, ...provisioningValues(provisioning)]]);
  }
  if (applied !== undefined) {
    for (const { commandId, startedAtMs } of applied) statements.push(['applyCommand', [commandId, startedAtMs]]);
  }
  if (outcomes !== undefined) for (const outcome of outcomes) statements.push(endCommand(outcome));
  return statements;
}

export function interruption(chargerIds: readonly string[], atMs: number): Write {
  return {
    size: chargerIds.length,
    refusable: false,
    *statements() {
      for (const ids of idLists(chargerIds)) yield ['interruptCommands', [ids, atMs]];
    },
  };
}

/** So many are forgotten by one write. */
export const commandsPerWrite = 1_000;
/** So many of each kind expire by one write: few enough for the gateway's thread, because mostly there are none. */
const expiredPerWrite = 500;

/** Those that wait for a charger which is stopped or gone. */
export function expiry(beforeMs: number, atMs: number): Write {
  return {
    size: 2,
    refusable: false,
    statements: () => [
      ['expireCommands', [beforeMs, atMs, expiredPerWrite]],
      ['failOrphans', [atMs, expiredPerWrite]],
    ],
  };
}

/** Answered by how many there were. */
export function commandForgetting(beforeMs: number): Write {
  return {
    size: commandsPerWrite,
    refusable: false,
    statements: () => [['forgetCommands', [beforeMs, commandsPerWrite]]],
  };
}

export function reservation(name: string, count: number): Write {
  return { size: 1, refusable: false, statements: () => [['reserveNumbers', [name, count]]] };
}

/** In the order of its columns. */
export function provisioningValues(provisioning: ChargerRecord['provisioning']): readonly SQLInputValue[] {
  const { status, step, attempts, error, startedAtMs, finishedAtMs } = provisioning;
  return [status, step, attempts, error, startedAtMs, finishedAtMs];
}

function workOfCommit({ memory, addendum, provisioning, applied, outcomes }: Commit): number {
  // A provisioning moves index entries and totals along.
  const kept =
    (memory === undefined ? 0 : 2 + workOfText(memory)) +
    (addendum === undefined ? 0 : 1) +
    (provisioning === undefined ? 0 : 2);
  return kept + (applied?.length ?? 0) + (outcomes?.length ?? 0);
}

function insertCommand(command: QueuedCommand): Statement {
  const { id, org, chargerId, identity, ocppVersion, eventType, payload, acceptedAtMs } = command;
  return [
    'insertCommand',
    [id, org, chargerId, identity, ocppVersion, eventType, JSON.stringify(payload), acceptedAtMs],
  ];
}

function endCommand(outcome: CommandOutcome): Statement {
  const { commandId, status, errorCode, error, startedAtMs, finishedAtMs, exchanges } = outcome;
  // JSON has no word for undefined; null says the same here.
  const result = outcome.result === undefined || outcome.result === null ? null : JSON.stringify(outcome.result);
  const messages = exchanges.length === 0 ? null : JSON.stringify(exchanges);
  return ['endCommand', [commandId, status, errorCode, error, result, messages, startedAtMs, finishedAtMs]];
}
