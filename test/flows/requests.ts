// Sends drafted requests to a gateway and holds every answer to the description.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type Draft, drafts, freshKey, reference } from './draft.ts';
import type { Client, Json } from './gateway.ts';
import { written } from './generator.ts';
import { type Answer, type DescribedOperation, type Description, type Sent, send } from './interface.ts';
import { Stock } from './stock.ts';

export interface Driven {
  readonly description: Description;
  /** Of the tenant that everything is done in. */
  readonly client: Client;
  readonly bearer: string;
  /** The addresses of CSMSs that chargers may be sent to. */
  readonly csmsUrls: readonly string[];
}

export interface Effort {
  readonly seed: number;
  readonly requests: number;
  /** How many are under way at the same time. */
  readonly lanes: number;
}

const rounds = 4;

/** Contradictions that a good request may run into. */
const contradictions =
  /already in use|does not exist|no location called|several locations|still has locations|must not differ|is called|gives at most|strongest connector|wss|is stopped|not running|did not answer|as many as it may/;

export class Requests {
  readonly #given: Driven;
  readonly #stock: Stock;
  /** By operation: how many were sent, and how many good ones were done. */
  readonly sent = new Map<string, number>();
  readonly done = new Map<string, number>();
  /** Chargers that were told to send something unchecked. */
  readonly unchecked = new Set<string>();

  constructor(given: Driven) {
    this.#given = given;
    this.#stock = new Stock(given.client, given.csmsUrls);
  }

  /** Fails with the seed, the smallest request that shows it, and the answer. */
  async drive({ seed, requests, lanes }: Effort): Promise<void> {
    await this.#stock.count();
    const { operations } = this.#given.description;
    const runs = Math.ceil(requests / (operations.length * rounds));
    const turns = Array.from({ length: rounds }, (_, round) =>
      operations.map((operation, index) => ({ operation, seed: seed + round * 1_000 + index })),
    ).flat();
    const lane = async (): Promise<void> => {
      for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
        const { operation } = turn;
        const property = fc.asyncProperty(drafts(this.#given.description, operation), (draft) =>
          this.#try(operation, draft),
        );
        await fc.assert(property, { seed: turn.seed, numRuns: runs, interruptAfterTimeLimit: 60_000 });
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  async #try(operation: DescribedOperation, draft: Draft): Promise<void> {
    if (this.#stock.isShort) await this.#stock.count();
    const wasStale = this.#stock.isStale;
    const { request, isUnknown } = this.#filledIn(operation, draft);
    const answer = await this.#sent(operation, request);
    const complaints = [
      ...this.#given.description.complaints(operation, answer),
      ...this.#judged(operation, draft, request, answer, isUnknown || wasStale || this.#stock.isStale),
    ];
    if (draft.kind === 'good' && answer.status < 300) {
      this.done.set(operation.id, (this.done.get(operation.id) ?? 0) + 1);
      if (draft.key !== null && draft.twice) complaints.push(...(await this.#sentAgain(request, answer)));
    }
    if (answer.status < 300) this.#stock.remember(answer.body);
    if (request.text?.includes('"validate":false')) {
      for (const { identity } of answer.body.results ?? []) this.unchecked.add(identity);
    }
    const isChange = operation.method !== 'GET' && /Charger|Cpo|Location|Webhook/.test(operation.id);
    if (isChange && answer.status < 300) await this.#stock.count();
    if (complaints.length === 0) return;
    throw new Error(`${complaints.join('; ')}\n  sent: ${shown(request)}\n  answered: ${told(answer)}`);
  }

  async #sent({ id, method }: DescribedOperation, request: Sent): Promise<Answer> {
    this.sent.set(id, (this.sent.get(id) ?? 0) + 1);
    const { url } = this.#given.client;
    return method === 'DELETE' ? this.#stock.removal(() => send(url, request)) : send(url, request);
  }

  async #sentAgain(request: Sent, first: Answer): Promise<string[]> {
    const again = await send(this.#given.client.url, request);
    const isSame = again.status === first.status && again.text === first.text;
    return isSame ? [] : [`sent again with the same key it was answered ${told(again)}`];
  }

  #judged(
    operation: DescribedOperation,
    { kind, params, query, contentType }: Draft,
    { text, headers }: Sent,
    { status, body }: Answer,
    mayBeGone: boolean,
  ): string[] {
    if (kind === 'good') {
      // A stream that is narrowed to something must find it; a list is just empty.
      const isNarrowed =
        operation.path === '/ocpp/events' && typeof query !== 'string' && Object.keys(query).length > 0;
      if (status < 300 || (status === 404 && (mayBeGone || isNarrowed))) return [];
      if (status === 400 && contradictions.test(body.detail)) return [];
      return [`a good request was answered ${status}`];
    }
    if (kind === 'unknown') {
      // Somebody may really be called so.
      const exists = Object.values(params).some((name) => this.#stock.named('identity').includes(name));
      return status === 404 || exists ? [] : [`what does not exist was answered ${status}`];
    }
    const isRefused = status >= 400 && status < 500;
    if (kind === 'wrong') return isRefused ? [] : [`a wrong request was answered ${status}`];
    const isJson = headers?.['content-type'] === contentType && contentType !== null;
    if (operation.body === null || typeof query === 'string' || !isJson) return [];
    return takes(this.#given.description, operation, text ?? '') || status === 422
      ? []
      : [`a body that the schema refuses was answered ${status}`];
  }

  #filledIn(operation: DescribedOperation, draft: Draft): { request: Sent; isUnknown: boolean } {
    let isUnknown = false;
    const fill = (text: string): string => {
      const [, what = '', pick = '0'] = reference.exec(text) ?? [];
      if (what === '') {
        if (text === 'nobody' || text.startsWith('019a8b1e-0000')) isUnknown = true;
        return text;
      }
      const choices = this.#stock.named(what);
      if (choices.length === 0) isUnknown = true;
      return choices[Number(pick) % choices.length] ?? 'nobody';
    };
    const params = this.#inPairs(draft.params, fill);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
    const query =
      typeof draft.query === 'string'
        ? draft.query
        : new URLSearchParams(Object.entries(draft.query).map(([name, value]) => [name, fill(value)])).toString();
    const body = draft.body === undefined ? undefined : JSON.stringify(filled(draft.body, fill));
    const text = (draft.text === undefined ? body : written(draft.text)) ?? (operation.body === null ? undefined : '');
    const request: Sent = {
      method: operation.method,
      path: query === '' ? path : `${path}?${query}`,
      headers: {
        ...(operation.scope === null ? {} : { authorization: `Bearer ${this.#given.bearer}` }),
        ...(draft.key === null ? {} : { 'idempotency-key': draft.key === freshKey ? randomUUID() : draft.key }),
        ...(draft.contentType === null || text === undefined ? {} : { 'content-type': draft.contentType }),
      },
      text,
    };
    return { request, isUnknown };
  }

  /** With owners that go with what they own, where both are to exist. */
  #inPairs(params: Readonly<Record<string, string>>, fill: (text: string) => string): Readonly<Record<string, string>> {
    const named = Object.entries(params).map(
      ([name, value]) => [name, reference.test(value) ? fill(value) : null] as const,
    );
    const values = Object.fromEntries(named.filter((each): each is [string, string] => each[1] !== null));
    const owners = Object.entries(this.#stock.ownersOf(values)).filter(([name]) => name in values);
    const all = { ...values, ...Object.fromEntries(owners) };
    const encoded = Object.entries(all).map(([name, value]) => [name, encodeURIComponent(value)]);
    return { ...params, ...Object.fromEntries(encoded) };
  }
}

function filled(value: Json, fill: (text: string) => string): Json {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((each) => filled(each, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, fill)]));
}

/** Whether the text is a body that the schema takes; false for all that is no JSON. A byte order mark may be overlooked. */
function takes(description: Description, operation: DescribedOperation, text: string): boolean {
  try {
    return description.takesBody(operation, JSON.parse(text.replace(/^\ufeff/, '')));
  } catch {
    return false;
  }
}

const cut = (text: string): string => (text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text);
const told = ({ status, text }: Answer): string => `${status} ${cut(text)}`;
const shown = ({ method, path, headers = {}, text }: Sent): string => {
  const { authorization: _, ...rest } = headers;
  return `${method} ${cut(path)} ${JSON.stringify(rest)} ${text === undefined ? '' : cut(text)}`;
};
