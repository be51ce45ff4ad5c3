// Links without a network: each ends in a function of the same process. For tests that must run the same way every time.

import type { Link, LinkListener, LinkRequest, LinkSocket } from '../../ports/link.ts';
import { sendableCode, sendableReason } from './close-frame.ts';
import { isTooLong } from './limits.ts';
import { handshakeReason, reasons, TOO_LONG, whyClosed } from './reasons.ts';

/** What the server says to a charger that wants to connect; `refuse` holds the reason. */
export type LoopbackAnswer = { readonly protocol: string | null } | { readonly refuse: string };
export type LoopbackServer = (request: LinkRequest, peer: LoopbackPeer) => LoopbackAnswer;

/** The server's end of a link. The three fields are the server's to set. */
export interface LoopbackPeer {
  onMessage: (text: string) => void;
  /** Comes once, whoever ended the link; 1006 when that was without a close frame. */
  onClose: (code: number, reason: string) => void;
  /** A server that does not answer pings loses the link at the first, without any waiting. */
  answersPings: boolean;
  /** Before the link is open and after it ended: ignored. */
  send(text: string): void;
  close(code: number, reason: string): void;
  drop(): void;
}

/**
 * Nothing arrives inside the call that sent it: every delivery goes through `defer`, and those of one link keep their order. With the
 * timer of a virtual clock as `defer` messages take time.
 */
export class LoopbackLink implements Link {
  readonly #server: LoopbackServer;
  readonly #defer: (run: () => void) => void;

  constructor(server: LoopbackServer, defer: (run: () => void) => void = queueMicrotask) {
    this.#server = server;
    this.#defer = defer;
  }

  open(request: LinkRequest, listener: LinkListener): LinkSocket {
    return new LoopbackLine(this.#server, this.#defer, request, listener);
  }
}

class LoopbackLine implements LinkSocket {
  readonly #defer: (run: () => void) => void;
  readonly #listener: LinkListener;
  readonly #peer: LoopbackPeer;
  readonly #waiting: (() => void)[] = [];
  /** `cut`: nothing more gets through; `linkClosed` is on its way. */
  #state: 'connecting' | 'open' | 'closing' | 'cut' | 'ended' = 'connecting';

  constructor(server: LoopbackServer, defer: (run: () => void) => void, request: LinkRequest, listener: LinkListener) {
    this.#defer = defer;
    this.#listener = listener;
    this.#peer = {
      onMessage: () => {},
      onClose: () => {},
      answersPings: true,
      send: (text) => this.#deliver(() => this.#receive(text)),
      close: (code, reason) => this.#deliver(() => this.#end(code, whyClosed('CSMS', code, reason))),
      drop: () => this.#deliver(() => this.#end(1006, reasons.lost)),
    };
    this.#deliver(() => this.#answer(server, request));
  }

  send(text: string): void {
    if (this.#state !== 'open') return;
    this.#deliver(() => {
      if (this.#state !== 'ended') this.#peer.onMessage(text);
    });
  }

  ping(): void {
    if (this.#state !== 'open') return;
    this.#deliver(() => {
      if (!this.#peer.answersPings) this.#end(1006, reasons.noPong);
    });
  }

  close(code: number, reason: string): void {
    if (this.#state === 'connecting') this.#cut(reasons.abandoned);
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    const sent = sendableCode(code);
    const text = sendableReason(reason);
    // There and back again, as the close frames of both sides go.
    this.#deliver(() => this.#deliver(() => this.#end(sent, whyClosed('charger', sent, text), text)));
  }

  drop(): void {
    if (this.#state === 'connecting') this.#cut(reasons.abandoned);
    else if (this.#state === 'open' || this.#state === 'closing') this.#cut(reasons.cut);
  }

  #answer(server: LoopbackServer, request: LinkRequest): void {
    if (this.#state !== 'connecting') return;
    const answer = server(request, this.#peer);
    if ('refuse' in answer) {
      this.#end(1006, answer.refuse);
    } else if (answer.protocol === null || !request.protocols.includes(answer.protocol)) {
      this.#end(1006, handshakeReason(answer.protocol, request.protocols));
    } else {
      this.#state = 'open';
      this.#listener.linkOpened(answer.protocol);
    }
  }

  #receive(text: string): void {
    if (this.#state !== 'open' && this.#state !== 'closing') return;
    if (isTooLong(text)) this.#end(...TOO_LONG);
    else this.#listener.linkMessage(text);
  }

  #cut(reason: string): void {
    this.#state = 'cut';
    this.#deliver(() => this.#end(1006, reason));
  }

  #end(code: number, reason: string, said = reason): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#peer.onClose(code, said);
    this.#listener.linkClosed(code, reason);
  }

  #deliver(run: () => void): void {
    this.#waiting.push(run);
    this.#defer(() => this.#waiting.shift()?.());
  }
}
