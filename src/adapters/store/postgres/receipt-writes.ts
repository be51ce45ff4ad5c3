// What the calls about receipts write, and how a receipt goes with what another call writes.

import { Failure } from '../../../errors.ts';
import type { Receipt } from '../../../ports/store.ts';
import type { Statement } from '../../postgres/named-query.ts';
import type { Session } from '../../postgres/session.ts';
import { alone } from './works.ts';

const insertReceipt: Statement = {
  name: 'insertReceipt',
  text: `INSERT INTO receipts (org, key, fingerprint, status, headers, body, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (org, key) DO NOTHING RETURNING 1`,
};

/** To be written first: a request that comes a second time must hear of its receipt, not that its identity is taken. */
export async function keepReceipt(session: Session, receipt: Receipt | undefined): Promise<void> {
  if (receipt === undefined) return;
  const { org, key, fingerprint, status, headers, body, atMs } = receipt;
  const values = [org, key, fingerprint, status, JSON.stringify(headers), body, atMs];
  const kept = await session.run(insertReceipt, values);
  if (kept.length === 0) throw new Failure('receipt_taken');
}

export const receiptKeeping = alone<Receipt, null>(async (session, receipt) => {
  await keepReceipt(session, receipt);
  return null;
});
