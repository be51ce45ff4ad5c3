// Files by HTTP and HTTPS.

import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { rootCertificates } from 'node:tls';
import { Failure } from '../../errors.ts';
import { counted, pathIn, type Transfer } from './transfer.ts';

const maxRedirects = 5;
/** What servers say that know GET and POST only. */
const noPut: ReadonlySet<number> = new Set([404, 405, 501]);

export async function upload(transfer: Transfer, fileName: string, content: Uint8Array): Promise<void> {
  const place = new URL(transfer.url);
  place.pathname = pathIn(transfer.url, fileName);
  const put = await exchange(transfer, 'PUT', place, content);
  put.resume();
  if (!noPut.has(put.statusCode ?? 0)) return checked(put);
  const headers = { 'Content-Disposition': `attachment; filename="${fileName.replaceAll('"', '')}"` };
  const post = await exchange(transfer, 'POST', transfer.url, content, headers);
  post.resume();
  checked(post);
}

export async function download(transfer: Transfer, take: (piece: Uint8Array) => void): Promise<void> {
  const takeCounted = counted(transfer, take);
  let url = transfer.url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await exchange(transfer, 'GET', url);
    const location = response.headers.location;
    if ((response.statusCode ?? 0) >= 300 && (response.statusCode ?? 0) < 400 && location !== undefined) {
      response.resume();
      url = new URL(location, url);
      if (!/^https?:$/.test(url.protocol)) throw new Failure('file_unsupported', 'redirected to another scheme');
      continue;
    }
    checked(response);
    for await (const piece of response) takeCounted(piece as Uint8Array);
    if (!response.complete) throw new Failure('file_failed', 'the file ended early');
    return;
  }
  throw new Failure('file_failed', `redirected more than ${maxRedirects} times`);
}

function exchange(
  { signal, idleMs, roots }: Transfer,
  method: string,
  url: URL,
  content?: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const options = {
      method,
      signal,
      timeout: idleMs,
      agent: false as const,
      headers: {
        ...headers,
        ...(content && { 'Content-Length': content.length, 'Content-Type': 'application/octet-stream' }),
      },
      ...(isSecure && roots.length > 0 && { ca: [...rootCertificates, ...roots] }),
    };
    const request = (isSecure ? requestSecure : requestPlain)(url, options, resolve);
    request.on('timeout', () => request.destroy(new Error(`nothing has moved for ${idleMs / 1000} s`)));
    request.on('error', reject);
    request.end(content);
  });
}

function checked({ statusCode = 0, statusMessage }: IncomingMessage): void {
  if (statusCode >= 200 && statusCode < 300) return;
  const denied = statusCode === 401 || statusCode === 403 || statusCode === 407;
  throw new Failure(
    denied ? 'file_denied' : 'file_failed',
    `the file server answered HTTP ${statusCode} (${statusMessage})`,
  );
}
