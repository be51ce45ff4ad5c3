// A charger and a CSMS in one test, without network or clock: time passes when the test says so, every frame is schema-checked.

import type { ErrandResult } from '../src/charger/errand.ts';
import { connectorKind, type Station } from '../src/charger/station.ts';
import { placeOf } from '../src/commands/addressing.ts';
import { commandsByEventType } from '../src/commands/index.ts';
import { type Act, type Conversation, follow, type Turn, takeTurn } from '../src/ocpp/conversation.ts';
import type { Dialect } from '../src/ocpp/dialect.ts';
import { loadDialect } from '../src/ocpp/dialects.ts';
import { type ErrandAct, errandDone } from '../src/ocpp/errand-turns.ts';
import { hear } from '../src/ocpp/incoming.ts';
import { dial, lineClosed, lineOpened, wake, wakeAtMs } from '../src/ocpp/line-turns.ts';
import { type Keeping, keepTurn, keepWhole, memoryText, resume } from '../src/ocpp/memory.ts';
import { runCommand } from '../src/ocpp/operator-turns.ts';
import type { Task } from '../src/ocpp/task.ts';
import { versionTools } from '../src/ocpp/version-tools.ts';
import type { Distrust } from '../src/ports/link.ts';
import type { Side } from './wire-rules/listener.ts';
import { WireWatch } from './wire-rules.ts';

export const versions = ['1.6', '2.0.1', '2.1'] as const;
export type Version = (typeof versions)[number];

// biome-ignore lint/suspicious/noExplicitAny: the payloads of three versions, looked into by tests
export type Payload = Record<string, any>;

export interface SentCall {
  readonly action: string;
  readonly payload: Payload;
  readonly atMs: number;
}

/** How the CSMS answers; null stays silent, a string is the code of a CALLERROR. */
export type Answers = Readonly<Record<string, (payload: Payload) => Payload | string | null>>;

export const startMs = Date.UTC(2026, 0, 31, 12, 0, 0);

export interface TalkOptions {
  readonly station?: Partial<Station>;
  readonly answers?: Answers;
  readonly seed?: number;
  /** Frames may be wrong: the test wants them so. */
  readonly unchecked?: boolean;
  /** The rules of the line that the test makes the charger break, by their names; see `wire-rules.ts`. */
  readonly breaks?: readonly string[];
  /** What the test spoils: the tables that the charger speaks by, and its state after every turn. */
  readonly spoil?: { dialect?(dialect: Dialect): Dialect; state?(conversation: Conversation): Conversation };
}

export function station(options: Partial<Station> & { connectorCount?: number } = {}): Station {
  const { connectorCount = 1, ...rest } = options;
  const maxPowerW = rest.maxPowerW ?? 22_000;
  return {
    identity: 'CP-1',
    vendorName: 'SimCo',
    model: 'AC22',
    serialNumber: 'SIM-0001',
    firmwareVersion: '1.0.0',
    connectors: Array.from({ length: connectorCount }, (_, index) => ({
      evseId: index + 1,
      connectorId: 1,
      type: 'Type2',
      ...connectorKind('Type2', maxPowerW),
      hasLock: true,
      maxPowerW,
    })),
    maxPowerW,
    seed: 1,
    ...rest,
  };
}

/** One journey, told per version family. */
export const told = (version: Version, of16: string[], of2: string[]): string[] => (version === '1.6' ? of16 : of2);

/** A charger that has booted; what it said on the way is forgotten. */
export async function booted(version: Version, options: TalkOptions = {}): Promise<Talk> {
  const talk = await Talk.with(version, options);
  talk.connect().said();
  return talk;
}

/** One that charges, too. */
export async function charging(version: Version, options: TalkOptions = {}): Promise<Talk> {
  const talk = await booted(version, options);
  talk.command('start-session', { id_tag: 'DEADBEEF' });
  talk.said();
  return talk;
}

/** A charger that wants to be woken this often at one moment wants it forever. */
const mostWakings = 1_000;

export class Talk {
  readonly dialect: Dialect;
  readonly calls: SentCall[] = [];
  readonly texts: string[] = [];
  /** CALLRESULTs and CALLERRORs that the charger sent. */
  readonly replies: unknown[][] = [];
  readonly outcomes: Task[] = [];
  readonly events: { type: string; data: Payload }[] = [];
  /** What the charger wants done elsewhere and has not been brought. */
  readonly errands: ErrandAct[] = [];
  readonly calledOff: string[] = [];
  conversation: Conversation;
  nowMs = startMs;
  /** It has dialled and waits for the line. */
  dialled = false;
  answers: Answers;
  /** What is kept at this moment, as after a crash. */
  memory: string | null = null;
  #online = false;
  #unheard: string[] = [];
  #transactionId = 0;
  #commandId = 0;
  /** One that has not kept anything yet does not know that it has lived before. */
  #powerCuts = 0;
  readonly #unchecked: boolean;
  readonly #spoilState: (conversation: Conversation) => Conversation;
  /** Null where the test spoils the charger: it is for the test to notice. */
  readonly #watch: WireWatch | null;

  static async with(version: Version, options: TalkOptions = {}): Promise<Talk> {
    const dialect = await loadDialect(version);
    return new Talk(options.spoil?.dialect?.(dialect) ?? dialect, options);
  }

  private constructor(dialect: Dialect, options: TalkOptions) {
    this.dialect = dialect;
    this.answers = options.answers ?? {};
    this.#unchecked = options.unchecked ?? false;
    this.#spoilState = options.spoil?.state ?? ((conversation) => conversation);
    const { version } = dialect;
    this.#watch =
      options.spoil === undefined ? new WireWatch({ version, instant: true, breaks: options.breaks ?? [] }) : null;
    const plate = station({ seed: options.seed ?? 1, ...options.station });
    this.conversation = resume(dialect, plate, null, this.nowMs).conversation;
  }

  /** Connects and boots, unless somebody holds the line. */
  connect(): this {
    this.#take(dial);
    return this.dialled ? this.reconnect() : this;
  }

  cut(code = 1006, reason = 'the line broke', distrust?: Distrust, by: Side | null = null): this {
    this.#lose(by);
    this.#take((turn) => lineClosed(turn, code, reason, distrust));
    return this;
  }

  /** The line comes back by itself when the charger dials again. */
  reconnect(): this {
    this.#online = true;
    this.dialled = false;
    this.#expectRight(this.#watch?.opened(this.nowMs, this.conversation.charger.lives + this.#powerCuts));
    this.#take(lineOpened);
    return this;
  }

  /** Runs a command and gives its outcome; undefined while it is still under way. */
  command(name: string, event: Payload = {}): Task | undefined {
    const queued = { id: `command-${++this.#commandId}`, eventType: name.replaceAll('-', '_'), payload: event };
    const definition = commandsByEventType.get(queued.eventType);
    if (definition === undefined) throw new Error(`no command ${name}`);
    if (name === 'proxy-message') this.#watch?.proxied(event['action'], this.nowMs);
    this.#take((turn) =>
      runCommand(turn, queued, (charger) =>
        definition.apply(
          charger,
          event,
          placeOf(definition.addresses, charger.station.connectors, this.dialect.version, event) ?? null,
          turn.atMs,
          versionTools(this.dialect),
        ),
      ),
    );
    const outcome = this.outcomes.find((task) => task.commandId === queued.id);
    if (outcome?.failure === null) this.#noteHands(name, event);
    return outcome;
  }

  /** The CSMS sends something. */
  receive(text: string): this {
    if (this.#online) this.#expectRight(this.#watch?.heard('csms', text, this.nowMs));
    this.#take((turn) => hear(turn, text), 'glance');
    return this;
  }

  request(action: string, payload: Payload): unknown[] | undefined {
    this.receive(JSON.stringify([2, `csms-${this.texts.length}`, action, payload]));
    return this.replies.at(-1);
  }

  /** Brings what came of the oldest errand, or of the one given. */
  bring(result: ErrandResult['result'], act = this.errands.shift()): this {
    if (act === undefined) throw new Error('there is no errand');
    this.#take((turn) => errandDone(turn, act, { kind: act.errand.kind, result } as ErrandResult));
    return this;
  }

  /** As `request`, where the answer is what counts: its payload. */
  ask(action: string, payload: Payload = {}): Payload {
    const [type, , result] = this.request(action, payload) ?? [];
    if (type !== 3) throw new Error(`${action} was not answered: ${JSON.stringify(this.replies.at(-1))}`);
    return result as Payload;
  }

  /** Time passes; the charger wakes whenever it wants to. */
  pass(seconds: number): this {
    const untilMs = this.nowMs + seconds * 1000;
    let wakings = 0;
    for (;;) {
      const dueMs = wakeAtMs(this.conversation);
      if (dueMs > untilMs) break;
      wakings = dueMs > this.nowMs ? 0 : wakings + 1;
      if (wakings > mostWakings)
        throw new Error(`the charger does not come to rest: ${JSON.stringify(this.conversation.line)}`);
      this.nowMs = Math.max(this.nowMs, dueMs);
      this.#take(wake, 'glance');
    }
    this.nowMs = untilMs;
    this.#expectRight(this.#watch?.passed(untilMs));
    return this;
  }

  /** The power is cut and comes back: the charger wakes up with what it had kept. */
  powerCut(): this {
    this.#powerCuts++;
    const { conversation, woken } = resume(this.dialect, this.conversation.charger.station, this.memory, this.nowMs);
    this.conversation = conversation;
    this.#lose('charger');
    this.#take((turn) => follow(turn, woken, null));
    return this.connect();
  }

  /** Put to sleep in good order and woken again. */
  sleepAndWake(seconds: number): this {
    this.#take(() => {});
    const memory = memoryText(this.conversation, { asleep: true });
    this.nowMs += seconds * 1000;
    const { conversation, woken } = resume(this.dialect, this.conversation.charger.station, memory, this.nowMs);
    this.conversation = conversation;
    this.#lose('charger');
    this.#take((turn) => follow(turn, woken, null));
    return this.connect();
  }

  /** The calls since the last time this was asked. */
  said(): SentCall[] {
    return this.calls.splice(0);
  }

  /** The same in short: `StatusNotification Preparing`, `TransactionEvent Started Authorized EVConnected`. */
  saidInShort(): string[] {
    return this.said().map(inShort);
  }

  #take(move: (turn: Turn) => void, glance?: 'glance'): void {
    const turn = takeTurn(this.conversation, this.nowMs, move, glance);
    const before = this.conversation;
    this.conversation = this.#spoilState(turn.conversation);
    if (turn.keep !== null)
      this.#keep(turn.keep === 'now' ? keepTurn(before, this.conversation) : keepWhole(this.conversation));
    for (const act of turn.acts) this.#perform(act);
    const text = this.#unheard.shift();
    if (text !== undefined) this.receive(text);
  }

  #keep({ conversation, text }: Keeping): void {
    this.conversation = conversation;
    this.memory = 'memory' in text ? text.memory : `${this.memory?.split('\n')[0]}\n${text.addendum}`;
  }

  #perform(act: Act): void {
    switch (act.kind) {
      case 'send':
        this.#hear(act.text);
        break;
      case 'drop':
      case 'close':
        this.cut(act.kind === 'drop' ? 1006 : act.code, 'the line broke', undefined, 'charger');
        break;
      case 'open':
        this.dialled = true;
        break;
      case 'outcome':
        this.outcomes.push(act.task);
        break;
      case 'errand':
        this.errands.push(act);
        break;
      case 'call_off':
        this.calledOff.push(act.errandId);
        break;
      case 'event':
        this.events.push({ type: act.type, data: act.data });
        break;
    }
  }

  #hear(text: string): void {
    if (!this.#online) return;
    this.texts.push(text);
    this.#expectRight(this.#watch?.heard('charger', text, this.nowMs));
    const [type, id, action, payload] = JSON.parse(text) as [number, string, string, Payload];
    if (type === 6) {
      this.#check('requests', action, payload);
      this.calls.push({ action, payload, atMs: this.nowMs });
      return;
    }
    if (type !== 2) {
      this.replies.push(JSON.parse(text) as unknown[]);
      return;
    }
    this.#check('requests', action, payload);
    this.calls.push({ action, payload, atMs: this.nowMs });
    const answer = (this.answers[action] ?? ((sent: Payload) => this.#answer(action, sent)))(payload);
    if (answer === null) return;
    if (typeof answer === 'string') {
      this.#unheard.push(JSON.stringify([4, id, answer, 'as the test wants it', {}]));
      return;
    }
    this.#check('responses', action, answer);
    this.#unheard.push(JSON.stringify([3, id, answer]));
  }

  #lose(by: Side | null): void {
    if (this.#online) this.#expectRight(this.#watch?.closed(this.nowMs, by));
    this.#online = false;
    this.dialled = false;
    this.#unheard = [];
  }

  /** What a listener on the line does not hear. */
  #noteHands(name: string, event: Payload): void {
    if (name === 'set-configuration') {
      const key = event['key'] ?? `${event['component']}.${event['variable']}`;
      this.#watch?.configured(key, event['value'] ?? null, this.nowMs);
    }
    if (name.endsWith('local-auth-list')) this.#watch?.listChanged();
  }

  #expectRight(broken: readonly string[] = []): void {
    if (broken.length > 0) throw new Error(`the charger breaks a rule of the line: ${broken.join('; ')}`);
  }

  #check(side: 'requests' | 'responses', action: string, payload: Payload): void {
    if (this.#unchecked) return;
    const validator = this.dialect.validators[side][action];
    if (validator === undefined || !validator(payload)) {
      throw new Error(`${action} ${side}: ${JSON.stringify(validator?.errors)}: ${JSON.stringify(payload)}`);
    }
  }

  #answer(action: string, payload: Payload): Payload {
    const currentTime = new Date(this.nowMs).toISOString();
    switch (action) {
      case 'BootNotification':
        return { status: 'Accepted', currentTime, interval: 300 };
      case 'Heartbeat':
        return { currentTime };
      case 'Authorize':
        return this.dialect.version === '1.6'
          ? { idTagInfo: { status: 'Accepted' } }
          : { idTokenInfo: { status: 'Accepted' } };
      case 'StartTransaction':
        return { transactionId: ++this.#transactionId, idTagInfo: { status: 'Accepted' } };
      case 'StopTransaction':
        return payload['idTag'] === undefined ? {} : { idTagInfo: { status: 'Accepted' } };
      default:
        return {};
    }
  }
}

export function inShort({ action, payload }: SentCall): string {
  switch (action) {
    case 'StatusNotification': {
      const where = payload['evseId'] ?? payload['connectorId'];
      const fault =
        payload['errorCode'] === undefined || payload['errorCode'] === 'NoError' ? '' : ` ${payload['errorCode']}`;
      return `StatusNotification ${where} ${payload['status'] ?? payload['connectorStatus']}${fault}`;
    }
    case 'TransactionEvent': {
      const info = payload['transactionInfo'] as Payload;
      const reason = info['stoppedReason'] === undefined ? '' : ` ${info['stoppedReason']}`;
      return `TransactionEvent ${payload['eventType']} ${payload['triggerReason']} ${info['chargingState']}${reason}`;
    }
    case 'StopTransaction':
      return `StopTransaction ${payload['reason']}`;
    case 'NotifyEvent': {
      const [event] = payload['eventData'] as Payload[];
      return `NotifyEvent ${event?.['component'].name}.${event?.['variable'].name} ${event?.['actualValue']}`;
    }
    default:
      return action;
  }
}
