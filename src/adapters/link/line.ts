// One WebSocket to a CSMS, from `open` to `linkClosed`: a single object over a socket, without a closure or a timer of its own.

import type { Socket } from 'node:net';
import type { Distrust, LinkListener, LinkRequest, LinkSocket } from '../../ports/link.ts';
import { sendableCode, sendableReason } from './close-frame.ts';
import type { Deadlines } from './deadlines.ts';
import { dial, type SocketUser } from './dial.ts';
import type { Gate } from './gate.ts';
import { type Asked, readAnswer, upgradeRequest, webSocketAddress } from './handshake.ts';
import { MAX_UNSENT_BYTES } from './limits.ts';
import { randomKey } from './random-bytes.ts';
import { type FrameReader, readFrames, type Unfinished } from './read-frames.ts';
import { type Breach, hungUp, isPortTaken, reasons, whoDistrusts, whyClosed, whyNotOpened } from './reasons.ts';
import type { SourcePorts } from './source-ports.ts';
import { closeFrame, pingFrame, pongFrame, textFrame } from './write-frames.ts';

/** What all lines of a link have in common. */
export interface SharedByLines {
  readonly gate: Gate<Line>;
  readonly openings: Deadlines<Line>;
  readonly pongs: Deadlines<Line>;
  readonly closings: Deadlines<Line>;
  readonly ports: SourcePorts | null;
}

/** How many local ports are tried for one link. */
const MAX_DIALS = 32;

/** What is needed until the line is open. */
interface Opening {
  readonly request: LinkRequest;
  asked: Asked | null;
  /** What has come of the answer. */
  head: string;
  dials: number;
  mustDialAgain: boolean;
}

export class Line implements LinkSocket, SocketUser, FrameReader {
  readonly #shared: SharedByLines;
  readonly #listener: LinkListener;
  #opening: Opening | null;
  #socket: Socket | null = null;
  #unfinished: Unfinished | null = null;
  /** `closing`: by a close frame of ours, which is not answered yet. */
  #phase: 'opening' | 'open' | 'closing' | 'ended' = 'opening';
  /** Why it ends, once that is known: from then on nothing more is heard and nothing is said. */
  #reason: string | null = null;
  #code = 1006;
  #distrust: Distrust | undefined;

  constructor(shared: SharedByLines, request: LinkRequest, listener: LinkListener) {
    this.#shared = shared;
    this.#listener = listener;
    this.#opening = { request, asked: null, head: '', dials: 0, mustDialAgain: false };
  }

  send(text: string): void {
    if (this.#isOpen) this.#write(textFrame(text));
  }

  ping(): void {
    if (!this.#isOpen) return;
    this.#write(pingFrame());
    this.#shared.pongs.begin(this);
  }

  close(code: number, reason: string): void {
    if (this.#opening !== null) this.giveUp(reasons.abandoned);
    if (!this.#isOpen) return;
    this.#phase = 'closing';
    this.#shared.closings.begin(this);
    this.#write(closeFrame(sendableCode(code), sendableReason(reason)));
  }

  drop(): void {
    this.giveUp(this.#opening === null ? reasons.cut : reasons.abandoned);
  }

  dial(): void {
    const opening = this.#opening;
    // Given up while it waited for its turn.
    if (opening === null || this.#reason !== null) return;
    const { url, protocols, tls } = opening.request;
    const address = webSocketAddress(url);
    if (address === null) {
      this.giveUp(reasons.badAddress);
      return;
    }
    this.#shared.openings.begin(this);
    opening.asked = { address, protocols, key: randomKey() };
    opening.head = '';
    opening.dials++;
    opening.mustDialAgain = false;
    this.#socket = null;
    try {
      this.#socket = dial(address, tls, this.#shared.ports?.take(), this);
    } catch (error) {
      this.giveUp(whyNotOpened(error as Error, address));
    }
  }

  connected(): void {
    const opening = this.#opening;
    if (opening === null || opening.asked === null) return;
    this.#socket?.write(upgradeRequest(opening.asked, opening.request.basicAuth), 'latin1');
  }

  arrived(bytes: Buffer, byteCount: number): void {
    if (this.#reason !== null) return;
    const start = this.#opening === null ? 0 : this.#openWith(this.#opening, bytes, byteCount);
    if (start < byteCount && this.#reason === null) {
      this.#unfinished = readFrames(this, this.#unfinished, bytes, start, byteCount);
    }
  }

  failed(error: NodeJS.ErrnoException): void {
    const opening = this.#opening;
    if (this.#reason !== null || opening === null || opening.asked === null) return;
    if (this.#shared.ports !== null && isPortTaken(error) && opening.dials < MAX_DIALS) {
      opening.mustDialAgain = true;
    } else {
      this.#reason = whyNotOpened(error, opening.asked.address);
      this.#distrust = whoDistrusts(error);
    }
  }

  disconnected(): void {
    if (this.#phase === 'ended') return;
    const opening = this.#opening;
    if (this.#reason === null && opening !== null && opening.asked !== null) {
      if (opening.mustDialAgain) {
        this.dial();
        return;
      }
      this.#reason = hungUp(opening.asked.address);
    }
    const reason = this.#reason ?? (this.#phase === 'closing' ? reasons.noCloseFrame : reasons.lost);
    this.#phase = 'ended';
    this.#socket = null;
    this.#opening = null;
    this.#unfinished = null;
    this.#shared.gate.leave(this);
    this.#shared.openings.end(this);
    this.#shared.pongs.end(this);
    this.#shared.closings.end(this);
    this.#listener.linkClosed(this.#code, reason, this.#distrust);
  }

  messageRead(text: string): boolean {
    this.#listener.linkMessage(text);
    return this.#reason === null;
  }

  pingRead(payload: Uint8Array): boolean {
    if (this.#isOpen) this.#write(pongFrame(payload));
    return this.#reason === null;
  }

  pongRead(): boolean {
    this.#shared.pongs.end(this);
    return true;
  }

  closeRead(code: number, reason: string): false {
    const by = this.#phase === 'closing' ? 'charger' : 'CSMS';
    return this.#finish(code, whyClosed(by, code, reason), closeFrame(code === 1005 ? null : code, reason));
  }

  breachRead([code, reason]: Breach): false {
    return this.#finish(code, reason, closeFrame(code, ''));
  }

  /** Ends the line without a close frame. `linkClosed` follows, but not inside this call. */
  giveUp(reason: string, distrust?: Distrust): void {
    if (this.#phase === 'ended') return;
    this.#reason ??= reason;
    this.#distrust ??= distrust;
    if (this.#socket === null) process.nextTick(endUndialled, this);
    else this.#socket.destroy();
  }

  get #isOpen(): boolean {
    return this.#phase === 'open' && this.#reason === null;
  }

  /** Returns where in the chunk the frames begin. */
  #openWith(opening: Opening, bytes: Buffer, byteCount: number): number {
    const before = opening.head.length;
    opening.head += bytes.toString('latin1', 0, byteCount);
    const answer = opening.asked === null ? null : readAnswer(opening.head, opening.asked);
    if (answer?.kind === 'refused') this.giveUp(answer.reason, answer.distrust);
    if (answer?.kind !== 'accepted') return byteCount;
    this.#opening = null;
    this.#phase = 'open';
    this.#shared.openings.end(this);
    this.#shared.gate.leave(this);
    this.#listener.linkOpened(answer.protocol);
    return answer.headLength - before;
  }

  /** Nothing more is to be heard: says so, unless a close frame was sent before, and waits for the connection to end. */
  #finish(code: number, reason: string, frame: Buffer): false {
    this.#code = code;
    this.#reason = reason;
    this.#shared.closings.begin(this);
    if (this.#phase === 'open') this.#socket?.end(frame);
    else this.#socket?.end();
    return false;
  }

  #write(frame: Buffer): void {
    const socket = this.#socket;
    if (socket === null) return;
    socket.write(frame);
    if (socket.writableLength > MAX_UNSENT_BYTES) this.giveUp(reasons.unread);
  }
}

function endUndialled(line: Line): void {
  line.disconnected();
}
