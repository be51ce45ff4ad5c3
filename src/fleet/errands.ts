// Runs the errands of chargers: files over the network, keys and certificates. What does this is loaded when a charger first needs it.

import type { Errand, ErrandKind, ErrandOf, ErrandResult, ResultOf, TransferTrouble } from '../charger/errand.ts';
import { isFailure } from '../errors.ts';
import type { ErrandAct } from '../ocpp/errand-turns.ts';
import type { Clock } from '../ports/clock.ts';
import type { Files } from '../ports/files.ts';
import type { JournalWriter } from '../ports/journal.ts';
import type { Keys } from '../ports/keys.ts';
import { logText } from './log-text.ts';

export interface ErrandPorts {
  readonly files: () => Promise<Files>;
  readonly keys: () => Promise<Keys>;
}

/** For whom errands are run. */
export interface ErrandOwner {
  readonly record: { readonly id: string };
  errandDone(act: ErrandAct, result: ErrandResult): void;
}

type CallOff = { readonly kind: 'call_off'; readonly errandId: string };

export class Errands {
  readonly #ports: ErrandPorts;
  readonly #journal: JournalWriter;
  readonly #clock: Clock;
  readonly #underWay = new Map<ErrandOwner, Map<string, AbortController>>();

  constructor(ports: ErrandPorts, journal: JournalWriter, clock: Clock) {
    this.#ports = ports;
    this.#journal = journal;
    this.#clock = clock;
  }

  perform(owner: ErrandOwner, act: ErrandAct | CallOff): void {
    if (act.kind === 'errand') void this.#run(owner, act);
    else this.#underWay.get(owner)?.get(act.errandId)?.abort();
  }

  /** Nobody is left to bring anything to. */
  forget(owner: ErrandOwner): void {
    for (const stop of this.#underWay.get(owner)?.values() ?? []) stop.abort();
    this.#underWay.delete(owner);
  }

  async #run(owner: ErrandOwner, act: ErrandAct): Promise<void> {
    const stop = new AbortController();
    const own = this.#underWay.get(owner) ?? new Map<string, AbortController>();
    this.#underWay.set(owner, own.set(act.errand.id, stop));
    const result = await this.#resultOf(owner.record.id, act.errand, stop.signal).catch(() => failed(act.errand));
    if (own.get(act.errand.id) === stop) own.delete(act.errand.id);
    if (own.size === 0 && this.#underWay.get(owner) === own) this.#underWay.delete(owner);
    if (!stop.signal.aborted) owner.errandDone(act, result);
  }

  async #resultOf(chargerId: string, errand: Errand, signal: AbortSignal): Promise<ErrandResult> {
    switch (errand.kind) {
      case 'send-log':
        return came(errand, await this.#sendLog(chargerId, errand, signal));
      case 'fetch-firmware':
        return came(errand, await this.#fetchFirmware(chargerId, errand, signal));
      case 'make-key':
        return came(errand, await this.#makeKey(errand));
      case 'read-certificate':
        return came(errand, await this.#readCertificate(errand));
      case 'name-certificates':
        return came(errand, await this.#nameCertificates(errand));
      case 'check-chain': {
        const { chain, key, roots, atMs } = errand;
        const keys = await this.#ports.keys();
        return came(errand, { problem: keys.check({ chain, roots, atMs, ...(key === null ? {} : { key }) }) });
      }
    }
  }

  async #sendLog(chargerId: string, errand: ErrandOf<'send-log'>, signal: AbortSignal) {
    const { location, fileName, roots } = errand;
    return this.#transfer(chargerId, location, async () => {
      const content = await logText(this.#journal, chargerId, errand);
      await (await this.#ports.files()).upload(location, fileName, content, { signal, roots });
    });
  }

  async #fetchFirmware(chargerId: string, errand: ErrandOf<'fetch-firmware'>, signal: AbortSignal) {
    const { location, signing, roots } = errand;
    let isSigned: boolean | null = null;
    const { trouble } = await this.#transfer(chargerId, location, async () => {
      const check = signing === null ? null : (await this.#ports.keys()).signatureCheck(signing.certificate);
      const files = await this.#ports.files();
      await files.download(location, (piece) => check?.take(piece), { signal, roots });
      if (check !== null && signing !== null) isSigned = check.isRight(signing.signature);
    });
    return { trouble, isSigned };
  }

  /** What goes wrong is in the log for people to read. */
  async #transfer(chargerId: string, location: string, run: () => Promise<void>) {
    try {
      await run();
      return { trouble: null };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const raw = JSON.stringify({ location: shown(location), error: reason });
      const entry = { direction: 'internal', kind: 'lifecycle', action: 'transfer_failed', raw } as const;
      const atMs = this.#clock.nowMs();
      this.#journal.append(chargerId, { atMs, messageId: null, latencyMs: null, commandId: null, ...entry });
      return { trouble: troubleOf(error) };
    }
  }

  async #makeKey({ commonName, organization, algorithm }: ErrandOf<'make-key'>) {
    return (await this.#ports.keys()).request({ commonName, organization }, algorithm);
  }

  async #readCertificate({ certificate, others, atMs }: ErrandOf<'read-certificate'>) {
    const { validToMs, isSignedByOther } = (await this.#ports.keys()).read(certificate, others);
    return { problem: atMs > validToMs ? 'it has expired' : null, isSignedByOther };
  }

  async #nameCertificates({ certificates, algorithm }: ErrandOf<'name-certificates'>) {
    const keys = await this.#ports.keys();
    const names = certificates.map((certificate) => {
      try {
        return keys.identify(certificate, algorithm, certificates);
      } catch {
        return null;
      }
    });
    return { names };
  }
}

function came<Kind extends ErrandKind>(
  { kind }: { readonly kind: Kind },
  result: ResultOf<Kind>['result'],
): ErrandResult {
  // One cast, here: TypeScript cannot see that an errand and its result have the same kind.
  return { kind, result } as unknown as ErrandResult;
}

/** Whatever went wrong: it could not be done. */
const failed = ({ kind }: Errand): ErrandResult => ({ kind, result: failures[kind] }) as ErrandResult;

const failures: { readonly [Kind in ErrandKind]: ResultOf<Kind>['result'] } = {
  'send-log': { trouble: 'failed' },
  'fetch-firmware': { trouble: 'failed', isSigned: null },
  'make-key': null,
  'read-certificate': { problem: 'it cannot be read as a certificate', isSignedByOther: false },
  'name-certificates': { names: [] },
  'check-chain': { problem: 'it cannot be read as a certificate' },
};

const troubleOf = (error: unknown): TransferTrouble => {
  if (isFailure(error, 'file_unsupported')) return 'unsupported';
  return isFailure(error, 'file_denied') ? 'denied' : 'failed';
};

/** A location without name and password. */
function shown(location: string): string {
  if (!URL.canParse(location)) return location.slice(0, 200);
  const { protocol, host, pathname } = new URL(location);
  return `${protocol}//${host}${pathname}`;
}
