// Takes what is too large for one message apart, and puts it together again at the other end.

import { randomUUID } from 'node:crypto';
import { headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { Failure } from '../../errors.ts';

const parcelHeader = 'Parcel';
const leftHeader = 'Parts-Left';
/** For the subjects and the headers of a message. */
const envelopeBytes = 4_096;
/** A page of a log, or an uploaded list: nothing that is asked or answered comes near it. */
const mostBytes = 64 * 1024 ** 2;
const mostUnfinished = 64;

/** Whoever gets it must get all of it, so it is for all that subscribe to the subject, not for groups of them. */
export function sendParcel(connection: NatsConnection, subject: string, content: unknown, reply?: string): void {
  const bytes = Buffer.from(JSON.stringify(content));
  if (bytes.length > mostBytes)
    throw new Failure('limit_reached', 'what was asked or answered is too large to be sent');
  const options = reply === undefined ? {} : { reply };
  const partBytes = (connection.info?.max_payload ?? 1024 ** 2) - envelopeBytes;
  if (bytes.length <= partBytes) {
    connection.publish(subject, bytes, options);
    return;
  }
  const parcel = randomUUID();
  for (let at = 0; at < bytes.length; at += partBytes) {
    const named = headers();
    named.set(parcelHeader, parcel);
    named.set(leftHeader, String(Math.ceil((bytes.length - at) / partBytes) - 1));
    connection.publish(subject, bytes.subarray(at, at + partBytes), { ...options, headers: named });
  }
}

/** The parts of one parcel come in order, those of several mixed. */
export class Parcels {
  readonly #unfinished = new Map<string, { readonly parts: Uint8Array[]; bytes: number }>();

  /** What has come, when this was all or the last part of it. */
  add(message: Msg): unknown {
    const id = message.headers?.get(parcelHeader) ?? '';
    if (id === '') return contentOf(message.data);
    const parcel = this.#unfinished.get(id) ?? { parts: [], bytes: 0 };
    this.#unfinished.delete(id);
    parcel.parts.push(message.data);
    parcel.bytes += message.data.length;
    if (message.headers?.get(leftHeader) === '0') return contentOf(Buffer.concat(parcel.parts));
    if (parcel.bytes > mostBytes) return undefined;
    this.#unfinished.set(id, parcel);
    // One whose rest never came is the one that has waited for longest.
    const [oldest] = this.#unfinished.keys();
    if (this.#unfinished.size > mostUnfinished && oldest !== undefined) this.#unfinished.delete(oldest);
    return undefined;
  }
}

/** Undefined for what nobody of ours has said. */
function contentOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
