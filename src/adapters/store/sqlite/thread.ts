// The writing thread: the second connection, for batches too long for the gateway's thread, full sync, and the checkpoints of the log.

import { parentPort, workerData } from 'node:worker_threads';
import { connect, type SqliteLocation } from './connection.ts';
import type { ThreadReply, ThreadRequest } from './thread-messages.ts';
import { Transaction } from './transaction.ts';

const database = connect(workerData as SqliteLocation);
const transaction = new Transaction(database);
let batchFailure: string | null = null;

parentPort?.on('message', (request: ThreadRequest) => {
  const reply = handle(request);
  if (reply !== null) parentPort?.postMessage(reply);
  if (request.kind === 'close') parentPort?.close();
});

function handle(request: ThreadRequest): ThreadReply | null {
  try {
    if (request.kind === 'batch') return batch(request);
    if (request.kind === 'abandon') transaction.rollback();
    if (request.kind === 'checkpoint') checkpoint(request.mode);
    if (request.kind === 'close') close();
    return { kind: 'done' };
  } catch (error) {
    return { kind: 'failed', message: messageOf(error) };
  }
}

function batch(request: Extract<ThreadRequest, { readonly kind: 'batch' }>): ThreadReply | null {
  try {
    if (request.first) {
      batchFailure = null;
      transaction.begin();
    }
    if (batchFailure === null) {
      for (const fragment of request.fragments) transaction.run(fragment);
      if (request.last) return { kind: 'answers', answers: transaction.commit() };
    }
  } catch (error) {
    batchFailure = messageOf(error);
    transaction.rollback();
  }
  return request.last ? { kind: 'failed', message: batchFailure ?? '' } : null;
}

function checkpoint(mode: 'passive' | 'restart'): void {
  if (mode === 'passive') {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return;
  }
  database.exec('PRAGMA wal_checkpoint(RESTART)');
  // The first write into a log begun anew waits for the disk: better here than on the gateway's thread.
  database.exec("INSERT INTO counters VALUES ('store.checkpoints', 1) ON CONFLICT DO UPDATE SET next = next + 1");
}

function close(): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
