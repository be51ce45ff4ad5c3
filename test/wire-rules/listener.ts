// What somebody who listens to the line between a charger and its CSMS can know: every word, and what follows from all before.

// biome-ignore lint/suspicious/noExplicitAny: the payloads of three versions, looked into by rules
export type Json = any;
export type Side = 'charger' | 'csms';

export interface Call {
  readonly id: string;
  readonly from: Side;
  readonly action: string;
  readonly payload: Json;
  readonly atMs: number;
  readonly connection: number;
  /** Nobody answers it. */
  readonly isUnconfirmed: boolean;
}

/** One thing that happens on the line. */
export type Word =
  /** `life`: which of the charger's lives it is; null where nobody can tell. */
  | { readonly kind: 'opened'; readonly atMs: number; readonly life: number | null }
  | { readonly kind: 'closed'; readonly atMs: number; readonly by: Side | null }
  /** Nothing was said until now. */
  | { readonly kind: 'time'; readonly atMs: number }
  | ({ readonly kind: 'call' } & Call)
  /** `call` null: nobody has asked for it on this connection. */
  | {
      readonly kind: 'result';
      readonly from: Side;
      readonly id: string;
      readonly call: Call | null;
      readonly payload: Json;
      readonly atMs: number;
    }
  | {
      readonly kind: 'error';
      readonly from: Side;
      readonly id: string;
      readonly call: Call | null;
      readonly code: string;
      readonly atMs: number;
    }
  /** No frame at all, or a broken one. */
  | { readonly kind: 'noise'; readonly from: Side; readonly why: string; readonly atMs: number };

/** A transaction of 1.6, by the words of its start. */
export interface Transaction16 {
  readonly start: Json;
  readonly text: string;
  readonly connectorId: number;
  readonly startedMs: number;
  /** The numbers that the CSMS has given it: one for each time that it has heard of the start. */
  readonly ids: Set<number>;
  /** The CSMS has refused the tag in its answer; by the charger's clock. */
  refusedMs: number | null;
  stop: Json | null;
}

export interface ShownStatus {
  readonly status: string;
  readonly errorCode: string;
  readonly text: string;
}

/** How the listener differs from what it hears. */
export interface ListenerOptions {
  readonly version: string;
  /** Nothing crosses on the line: what is said after something was heard is said knowing it. */
  readonly instant: boolean;
}

export type Known = ReturnType<typeof newListener>;

export const usualTimeoutMs = 30_000;
/** What was asked for may have to wait for other calls. */
const triggerWindowMs = 120_000;
/** What was waiting when the waiting was abolished. */
const delayWindowMs = 600_000;

export function newListener({ version, instant }: ListenerOptions) {
  return {
    version,
    is16: version === '1.6',
    instant,
    connection: 0,
    isOpen: false,
    openedAtMs: 0,
    life: null as number | null,
    /** The charger has begun a new life since, or for all that one can tell. */
    mayBoot: true,
    accepted: false,
    acceptedAtMs: 0,
    /** Its last boot was not accepted. */
    isTurnedAway: false,
    /** From the boot, or as configured since. */
    heartbeatS: null as number | null,
    heartbeatSetMs: 0,
    /** Until when a status may be told that has waited, or one left out that did not last. */
    delayUntilMs: Number.NEGATIVE_INFINITY,
    messageTimeoutMs: usualTimeoutMs,
    lastCallMs: null as number | null,
    /** Unanswered calls, each side's. */
    open: { charger: new Map<string, Call>(), csms: new Map<string, Call>() },
    /** Until when a message may be one that the CSMS has asked for. */
    triggered: new Map<string, number>(),
    config: new Map<string, string>(),
    /** Of the local list; null where it is not known. */
    listVersion: null as number | null,
    /** By how much the charger's clock may be ahead of the listener's. */
    clockOffsetMs: 0,
    isClockSet: false,
    /** The last transaction message has failed: those behind it wait. */
    heldBack: false,
    transactions: [] as Transaction16[],
    /** Of 2.x: where each transaction runs. */
    evses: new Map<string, number>(),
    /** Of 1.6: those that were ever told of; 0 is the station. */
    connectors: new Set<number>(),
    /** What each connector was last said to be, on this connection. */
    shown: new Map<number, ShownStatus>(),
  };
}

/** One that speaks of a transaction: kept, in order, and tried again. */
export const isTransactional = ({ action, payload }: Pick<Call, 'action' | 'payload'>): boolean =>
  action === 'StartTransaction' ||
  action === 'StopTransaction' ||
  action === 'TransactionEvent' ||
  (action === 'MeterValues' && payload?.transactionId !== undefined);

export const textOf = ({ action, payload }: Pick<Call, 'action' | 'payload'>): string =>
  JSON.stringify([action, payload]);

/** The one that runs at a connector, for all that was said. */
export const openAt = (known: Known, connectorId: number): Transaction16 | undefined =>
  known.transactions.findLast((transaction) => transaction.connectorId === connectorId && transaction.stop === null);

export const numbered = (known: Known, id: number): Transaction16 | undefined =>
  known.transactions.findLast(({ ids }) => ids.has(id));

export const isTriggered = (known: Known, action: string, atMs: number): boolean =>
  (known.triggered.get(action) ?? Number.NEGATIVE_INFINITY) >= atMs;

/** A transaction message has failed, or is about to: those behind it wait. */
export const isHeldBack = (known: Known): boolean =>
  known.heldBack || [...known.open.charger.values()].some(isTransactional);

/** The charger has said all that it had to say, and nothing can have crossed: what it knows, the listener knows. */
export const isUpToDate = (known: Known): boolean =>
  known.instant && known.accepted && !known.heldBack && known.open.charger.size === 0;

export const isOn = (known: Known, key: string, usual: boolean): boolean =>
  (known.config.get(key) ?? String(usual)).toLowerCase() === 'true';

/** What is heard becomes known; to be called when the rules have been asked. */
export function learn(known: Known, word: Word): void {
  switch (word.kind) {
    case 'opened':
      learnOpening(known, word);
      return;
    case 'closed':
      known.isOpen = false;
      known.heldBack = isHeldBack(known);
      return;
    case 'call':
      if (!word.isUnconfirmed) known.open[word.from].set(word.id, word);
      if (word.from === 'charger') learnCall(known, word);
      return;
    case 'result':
    case 'error': {
      const { call } = word;
      if (call === null) return;
      known.open[call.from].delete(call.id);
      if (call.from === 'csms') learnAnswer(known, call, word);
      else learnReply(known, call, word);
    }
  }
}

function learnOpening(known: Known, { atMs, life }: Extract<Word, { kind: 'opened' }>): void {
  known.heldBack = isHeldBack(known);
  known.mayBoot = life === null || life !== known.life;
  if (life !== null && life !== known.life) known.accepted = false;
  known.life = life;
  known.connection++;
  known.isOpen = true;
  known.openedAtMs = atMs;
  known.lastCallMs = null;
  known.open.charger.clear();
  known.open.csms.clear();
  known.triggered.clear();
  known.shown.clear();
}

function learnCall(known: Known, call: Call): void {
  const { action, payload, atMs } = call;
  known.lastCallMs = atMs;
  if (action === 'BootNotification') {
    if (known.mayBoot && known.life === null) known.accepted = false;
    known.mayBoot = false;
  }
  for (const [id, other] of known.open.charger) {
    if (id === call.id) continue;
    // Given up after the time-out: it does not come twice.
    known.open.charger.delete(id);
    known.heldBack ||= isTransactional(other);
  }
  if (action === 'TransactionEvent' && payload.evse !== undefined) {
    known.evses.set(payload.transactionInfo.transactionId, payload.evse.id);
  }
  if (!known.is16) return;
  if (action === 'StatusNotification') {
    const { connectorId, status, errorCode, info, vendorErrorCode } = payload;
    const text = JSON.stringify([status, errorCode, info, vendorErrorCode]);
    known.shown.set(connectorId, { status, errorCode, text });
    known.connectors.add(connectorId);
  }
  if (action === 'StartTransaction') learnStart(known, call);
  if (action === 'StopTransaction') {
    const transaction = numbered(known, payload.transactionId);
    if (transaction !== undefined) transaction.stop ??= payload;
  }
}

function learnStart(known: Known, call: Call): void {
  const { connectorId, timestamp } = call.payload;
  const text = textOf(call);
  if (known.transactions.some((other) => other.text === text && other.stop === null)) return;
  known.transactions.push({
    start: call.payload,
    text,
    connectorId,
    startedMs: Date.parse(timestamp),
    ids: new Set(),
    refusedMs: null,
    stop: null,
  });
  // The past is forgotten in time.
  if (known.transactions.length > 200) known.transactions.splice(0, 100);
}

function learnReply(known: Known, call: Call, answer: Extract<Word, { kind: 'result' | 'error' }>): void {
  if (isTransactional(call)) known.heldBack = answer.kind === 'error';
  if (answer.kind === 'error') return;
  const { payload, atMs } = answer;
  if (call.action === 'BootNotification') {
    const isNew = !known.accepted;
    known.accepted = payload?.status === 'Accepted';
    known.isTurnedAway = !known.accepted;
    if (known.accepted && isNew) {
      known.acceptedAtMs = atMs;
      known.shown.clear();
    }
    if (known.accepted && payload.interval > 0) known.heartbeatS = payload.interval;
  }
  if (call.action === 'BootNotification' || call.action === 'Heartbeat') learnTime(known, payload?.currentTime, atMs);
  if (call.action === 'StartTransaction') {
    const text = textOf(call);
    const transaction = known.transactions.findLast((other) => other.text === text);
    if (transaction === undefined || !Number.isInteger(payload?.transactionId)) return;
    transaction.ids.add(payload.transactionId);
    const status = payload.idTagInfo?.status;
    if (status !== undefined && status !== 'Accepted') transaction.refusedMs = atMs + known.clockOffsetMs;
  }
}

function learnTime(known: Known, currentTime: unknown, atMs: number): void {
  const offsetMs = Date.parse(String(currentTime)) - atMs;
  if (Number.isNaN(offsetMs) || Math.abs(offsetMs - known.clockOffsetMs) < 1_000) return;
  known.clockOffsetMs = offsetMs;
  known.isClockSet = true;
}

function learnAnswer(
  known: Known,
  { action, payload }: Call,
  answer: Extract<Word, { kind: 'result' | 'error' }>,
): void {
  if (answer.kind === 'error') return;
  const said = answer.payload;
  switch (action) {
    case 'TriggerMessage':
    case 'ExtendedTriggerMessage': {
      if (said?.status !== 'Accepted') return;
      const asked = payload.requestedMessage as string;
      const isSigned = action === 'ExtendedTriggerMessage' && asked === 'FirmwareStatusNotification';
      const awaited = isSigned ? 'SignedFirmwareStatusNotification' : asked;
      known.triggered.set(awaited, answer.atMs + triggerWindowMs);
      return;
    }
    case 'SendLocalList':
      if (said?.status === 'Accepted') known.listVersion = listVersionAfter(payload);
      return;
    case 'GetLocalListVersion':
      known.listVersion = said?.listVersion >= 0 ? said.listVersion : null;
      return;
    case 'ChangeConfiguration':
      if (said?.status === 'Accepted') configure(known, payload.key, payload.value, answer.atMs);
      return;
    case 'SetVariables':
      (said?.setVariableResult as Json[] | undefined)?.forEach((result, index) => {
        const { component, variable, attributeValue } = payload.setVariableData[index] ?? {};
        if (result.attributeStatus === 'Accepted') {
          configure(known, `${component.name}.${variable.name}`, attributeValue, answer.atMs);
        }
      });
  }
}

/** An empty list has version 0; whether one is empty after entries were taken out of it, nobody can tell. */
function listVersionAfter({ updateType, listVersion, localAuthorizationList = [] }: Json): number | null {
  if (updateType === 'Full') return localAuthorizationList.length === 0 ? 0 : listVersion;
  return (localAuthorizationList as Json[]).every(({ idTagInfo }) => idTagInfo !== undefined) ? listVersion : null;
}

/** By the CSMS, or unheard by somebody at the charger. */
export function configure(known: Known, key: string, value: string | null, atMs: number): void {
  if (value === null) known.config.delete(key);
  else known.config.set(key, value);
  if (/(?:^|\.)HeartbeatInterval$/.test(key)) {
    known.heartbeatS = value === null ? null : Number(value);
    known.heartbeatSetMs = atMs;
  }
  if (key === 'MinimumStatusDuration') {
    known.delayUntilMs = Number(value ?? 0) > 0 ? Number.POSITIVE_INFINITY : atMs + delayWindowMs;
  }
  if (key.endsWith('MessageTimeout')) known.messageTimeoutMs = value === null ? usualTimeoutMs : Number(value) * 1000;
}
