// A charger's line to its CSMS: one WebSocket, opened on request, reported on by callbacks.

export interface LinkRequest {
  readonly url: string;
  /** OCPP sub-protocols in order of preference. The server must choose one of them. */
  readonly protocols: readonly string[];
  /** HTTP Basic credentials, when the security profile asks for them. */
  readonly basicAuth?: { readonly user: string; readonly password: string | Uint8Array };
  /** For `wss` addresses: whom to trust instead of the system's authorities, and the certificate to show. All PEM. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/**
 * Who hears of it. Implemented by one object per charger, so that opening a link creates no closures.
 * After `linkClosed` nothing more is heard of that link. `linkClosed` comes exactly once for every `open`, also when the
 * connection never came about (then without a `linkOpened` before it).
 */
export interface LinkListener {
  /** Open; `protocol` is the one that the server chose, always one of those asked for. */
  linkOpened(protocol: string): void;
  /** One text message. Binary messages arrive here too, as text: OCPP-J knows none, and the charger answers them as malformed. */
  linkMessage(text: string): void;
  /**
   * `code` is the WebSocket close code, 1006 when the line broke without one; `reason` is for people, never empty. `distrust` tells
   * who did not believe whom, where that is why it was never opened.
   */
  linkClosed(code: number, reason: string, distrust?: Distrust): void;
}

/** The CSMS does not let the charger in, or its certificate cannot be trusted. */
export type Distrust = 'by CSMS' | 'of CSMS';

export interface LinkSocket {
  /**
   * Sends one text message. Ignored when the link is not open: the listener has heard or will hear `linkClosed`.
   * A server that does not read is cut off when 4 MiB wait for it.
   */
  send(text: string): void;
  /** Sends a WebSocket ping; an unanswered one closes the link. */
  ping(): void;
  /** Closes properly. `linkClosed` follows within 5 s even when the server does not play along. */
  close(code: number, reason: string): void;
  /** Cuts the line without a close frame, as a lost network does. */
  drop(): void;
}

export interface Link {
  /**
   * Starts to connect and returns at once. Gives up after 30 s. An answer that is not a WebSocket, a missing or foreign sub-protocol
   * and a refused connection all end in `linkClosed` with a reason that says which. Messages over 1 MiB close the link with 1009.
   * Callbacks never run inside `open`.
   */
  open(request: LinkRequest, listener: LinkListener): LinkSocket;
}
