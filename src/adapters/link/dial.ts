// The socket under a line. What happens to it is told without a closure for each: a socket knows whom to tell.

import { connect as connectPlain, isIP, type Socket } from 'node:net';
import type { LinkRequest } from '../../ports/link.ts';
import { isSecure } from './handshake.ts';
import type { Source } from './source-ports.ts';

export interface SocketUser {
  /** Where there is TLS: and it has been agreed upon. */
  connected(): void;
  /** The first `byteCount` of `bytes`, which are overwritten after the call. */
  arrived(bytes: Buffer, byteCount: number): void;
  failed(error: NodeJS.ErrnoException): void;
  /** Nothing comes after this. */
  disconnected(): void;
}

/** Throws what the system says at once of a certificate or a source address; everything else is told later. */
export function dial(address: URL, tls: LinkRequest['tls'], source: Source | undefined, user: SocketUser): Socket {
  const host = address.hostname.startsWith('[') ? address.hostname.slice(1, -1) : address.hostname;
  const secure = isSecure(address);
  const port = address.port === '' ? (secure ? 443 : 80) : Number(address.port);
  const options = { host, port, noDelay: true, onread, ...source };
  const socket = (
    secure
      ? // Loaded with the first line that needs it.
        process.getBuiltinModule('node:tls').connect({ ...options, ...tls, servername: isIP(host) === 0 ? host : '' })
      : connectPlain(options)
  ) as UsedSocket;
  socket[userOf] = user;
  socket.on(secure ? 'secureConnect' : 'connect', onConnect);
  socket.on('error', onError);
  socket.on('close', onClose);
  return socket;
}

type UsedSocket = Socket & { [userOf]: SocketUser };
const userOf = Symbol('user');

/** All sockets read into the same buffer: each chunk is dealt with before the next is read, and none is kept. */
const onread = { buffer: Buffer.allocUnsafeSlow(64 * 1024), callback: onRead };

function onRead(this: unknown, byteCount: number, bytes: Uint8Array): boolean {
  (this as UsedSocket)[userOf].arrived(bytes as Buffer, byteCount);
  return true;
}

function onConnect(this: Socket): void {
  (this as UsedSocket)[userOf].connected();
}

function onError(this: Socket, error: Error): void {
  (this as UsedSocket)[userOf].failed(error);
}

function onClose(this: Socket): void {
  (this as UsedSocket)[userOf].disconnected();
}
