// A stream of commands to every charger, numbered: sent one after the other, and again with the same key until each is accepted.

import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../flows/gateway.ts';

export interface StreamCharger {
  readonly id: string;
  readonly identity: string;
}

/** What came of a request. */
export interface Answer {
  readonly identity: string;
  readonly number: number;
  /** 0: the process at the other end was not there, or went away. */
  readonly status: number;
  readonly detail: string;
  readonly tookMs: number;
}

export interface CommandStreamParts {
  readonly chargers: readonly StreamCharger[];
  /** The addresses of the processes that answer, as they are at the moment. */
  readonly urls: () => readonly string[];
  readonly bearer: string;
  readonly everyMs: number;
  readonly next: () => number;
}

/** Longer than anything may take: who waits for so long waits for ever. */
const hangMs = 40_000;
const retryMs = 200;
const patienceMs = 90_000;

export const marker = (number: number): Json => ({
  action: 'DataTransfer',
  payload: { vendorId: 'test', data: String(number) },
});

export class CommandStream {
  readonly answers: Answer[] = [];
  /** The numbers that were accepted, by charger. */
  readonly accepted = new Map<string, number[]>();
  readonly problems: string[] = [];
  readonly #parts: CommandStreamParts;
  readonly #numbers = new Map<string, number>();
  readonly #running: Promise<void>[];
  #isStopping = false;
  #turn = 0;

  constructor(parts: CommandStreamParts) {
    this.#parts = parts;
    this.#running = parts.chargers.map((charger) => this.#run(charger));
  }

  /** Begins no more; resolves when what was begun is accepted. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#running);
  }

  /** One more command for this charger; the id of what was accepted. */
  async send({ id, identity }: StreamCharger): Promise<string> {
    const number = (this.#numbers.get(identity) ?? 0) + 1;
    this.#numbers.set(identity, number);
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      const { urls } = this.#parts;
      const url = urls()[this.#turn++ % urls().length];
      const { status, body } = await this.#post(`${url}/ocpp/commands/proxy-message`, id, identity, number);
      if (status === 202) {
        this.accepted.set(identity, [...(this.accepted.get(identity) ?? []), number]);
        return body.results[0].command.id;
      }
      if (performance.now() > untilMs) {
        this.problems.push(`${identity}: ${number} was never accepted`);
        throw new Error('never accepted');
      }
      await pause(retryMs);
    }
  }

  async #run(charger: StreamCharger): Promise<void> {
    const { everyMs, next } = this.#parts;
    await pause(next() * everyMs);
    while (!this.#isStopping) {
      const [spentMs] = [performance.now()];
      await this.send(charger).catch(() => {});
      await pause(Math.max(0, everyMs * (0.5 + next()) - (performance.now() - spentMs)));
    }
  }

  async #post(url: string, id: string, identity: string, number: number): Promise<{ status: number; body: Json }> {
    const atMs = performance.now();
    const told = (status: number, detail: string): void => {
      const tookMs = Math.round(performance.now() - atMs);
      this.answers.push({ identity, number, status, detail, tookMs });
      const isPassing = status === 503 || status === 409;
      if (status !== 202 && status !== 0 && !(isPassing && detail.length > 10)) {
        this.problems.push(`${identity}: ${number} was answered with ${status} "${detail}"`);
      }
    };
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#parts.bearer}`,
          'content-type': 'application/json',
          'idempotency-key': `${identity}-${number}`,
        },
        body: JSON.stringify({ target: { charger_id: id }, event: marker(number) }),
        signal: AbortSignal.timeout(hangMs),
      });
      const body = (await answer.json()) as Json;
      told(answer.status, answer.status === 202 ? '' : String(body.detail));
      if (answer.status === 202 && body.results?.[0]?.command === undefined) {
        this.problems.push(`${identity}: ${number} was not queued: ${JSON.stringify(body)}`);
      }
      return { status: answer.status, body };
    } catch (error) {
      if (error instanceof DOMException) this.problems.push(`${identity}: ${number} was not answered at all`);
      told(0, error instanceof Error ? error.message : String(error));
      return { status: 0, body: null };
    }
  }
}
