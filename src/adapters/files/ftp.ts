// Files by FTP and FTPS.

import { Readable, Writable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { Client, FTPError } from 'basic-ftp';
import { Failure, isFailure } from '../../errors.ts';
import { counted, pathIn, type Transfer } from './transfer.ts';

const implicitTlsPort = 990;
/** Not logged in; needs an account; not permitted. */
const denials: ReadonlySet<number> = new Set([530, 532, 550, 553]);

export const upload = (transfer: Transfer, fileName: string, content: Uint8Array): Promise<void> =>
  connected(transfer, async (client) => {
    await client.uploadFrom(Readable.from([content]), decodeURIComponent(pathIn(transfer.url, fileName)));
  });

export const download = (transfer: Transfer, take: (piece: Uint8Array) => void): Promise<void> =>
  connected(transfer, async (client) => {
    const takeCounted = counted(transfer, take);
    const sink = new Writable({
      write(piece: Uint8Array, _encoding, done) {
        try {
          takeCounted(piece);
          done();
        } catch (error) {
          done(error as Error);
        }
      },
    });
    await client.downloadTo(sink, decodeURIComponent(transfer.url.pathname));
  });

async function connected({ url, signal, roots, idleMs }: Transfer, run: (client: Client) => Promise<void>) {
  const client = new Client(idleMs);
  const end = (): void => client.close();
  signal.addEventListener('abort', end);
  const isImplicit = url.port === String(implicitTlsPort);
  try {
    await client.access({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      ...(url.port === '' ? {} : { port: Number(url.port) }),
      ...(url.username === '' ? {} : { user: decodeURIComponent(url.username) }),
      ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
      secure: url.protocol === 'ftps:' ? (isImplicit ? 'implicit' : true) : false,
      ...(roots.length > 0 && { secureOptions: { ca: [...rootCertificates, ...roots] } }),
    });
    await run(client);
  } catch (error) {
    if (isFailure(error)) throw error;
    if (!(error instanceof FTPError)) throw error;
    throw new Failure(
      denials.has(error.code) ? 'file_denied' : 'file_failed',
      `the file server answered ${error.code}`,
    );
  } finally {
    signal.removeEventListener('abort', end);
    client.close();
  }
}
