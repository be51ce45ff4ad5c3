// Links over the network: what all lines to CSMSs share, and how many of them dial at a time.

import type { Clock } from '../../ports/clock.ts';
import type { Link, LinkListener, LinkRequest, LinkSocket } from '../../ports/link.ts';
import { Deadlines, LOOK_EVERY_MS } from './deadlines.ts';
import { Gate } from './gate.ts';
import { CLOSE_WITHIN_MS, OPEN_WITHIN_MS, PONG_WITHIN_MS } from './limits.ts';
import { Line, type SharedByLines } from './line.ts';
import { reasons } from './reasons.ts';
import { type PortRange, SourcePorts } from './source-ports.ts';

export interface WebSocketLinkOptions {
  readonly clock: Clock;
  /** Local addresses to dial from, in turn. Without any, the system chooses address and port. */
  readonly sourceAddresses?: readonly string[];
  /** The local ports to dial from; used with `sourceAddresses` only. */
  readonly sourcePorts?: PortRange;
  /** Links that are opened per second, at most; null: as many as can be. */
  readonly dialsPerSecond?: number | null;
}

const DIALLING_AT_ONCE = 100;

export class WebSocketLink implements Link {
  readonly #shared: SharedByLines;

  constructor({ clock, dialsPerSecond = null, sourceAddresses = [], sourcePorts }: WebSocketLinkOptions) {
    this.#shared = {
      gate: new Gate({ clock, atOnce: DIALLING_AT_ONCE, perSecond: dialsPerSecond }, dialNow),
      openings: new Deadlines(clock, OPEN_WITHIN_MS, giveUpOpening),
      pongs: new Deadlines(clock, PONG_WITHIN_MS, giveUpPong),
      // Also when it is looked late.
      closings: new Deadlines(clock, CLOSE_WITHIN_MS - LOOK_EVERY_MS, giveUpClosing),
      ports: sourceAddresses.length === 0 ? null : new SourcePorts(sourceAddresses, sourcePorts),
    };
  }

  open(request: LinkRequest, listener: LinkListener): LinkSocket {
    const line = new Line(this.#shared, request, listener);
    this.#shared.gate.come(line);
    return line;
  }
}

function dialNow(line: Line): void {
  line.dial();
}

function giveUpOpening(line: Line): void {
  line.giveUp(reasons.notOpened);
}

function giveUpPong(line: Line): void {
  line.giveUp(reasons.noPong);
}

function giveUpClosing(line: Line): void {
  line.giveUp(reasons.noCloseFrame);
}
