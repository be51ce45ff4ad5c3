// What the calls about receipts write, and how a receipt goes with what another call writes.

import type { Receipt } from '../../../ports/store.ts';
import { type Statement, type Write, workOfText } from './write.ts';

/** So many are forgotten by one write; too many for the gateway's thread, because each may be long. */
export const receiptsPerWrite = 100;

export function receiptKeeping(receipt: Receipt): Write {
  return { size: workOfReceipt(receipt), refusable: true, statements: () => receiptStatements(receipt) };
}

/** Answered by how many there were. */
export function receiptForgetting(beforeMs: number): Write {
  return {
    size: receiptsPerWrite,
    refusable: false,
    statements: () => [['forgetReceipts', [beforeMs, receiptsPerWrite]]],
  };
}

/** To be written first: a request that comes a second time must hear of its receipt, not that its identity is taken. */
export function receiptStatements(receipt: Receipt | undefined): readonly Statement[] {
  if (receipt === undefined) return [];
  const { org, key, fingerprint, status, headers, body, atMs } = receipt;
  return [['insertReceipt', [org, key, fingerprint, status, JSON.stringify(headers), body, atMs]]];
}

export function workOfReceipt(receipt: Receipt | undefined): number {
  return receipt === undefined ? 0 : 1 + workOfText(receipt.body);
}
