// The secret that tokens are signed with: configured, or made at the first start and kept in the data folder.

import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { Failure } from '../errors.ts';

/** Null: tokens are checked with public keys, and signed elsewhere. Generated: nobody else can have made tokens yet. */
export type SigningSecret =
  | { readonly secret: string; readonly generated: true }
  | { readonly secret: string | null; readonly generated: false };

const fileOf = (dataDir: string): string => join(dataDir, 'secret');

/** The configured secret, else the one in the data folder, which is made when there is none. */
export async function signingSecret({ jwtSecret, jwksUrl, jwksFile, dataDir }: Config): Promise<SigningSecret> {
  if (jwksUrl !== null || jwksFile !== null) return { secret: null, generated: false };
  if (jwtSecret !== null) return { secret: jwtSecret, generated: false };
  return { secret: (await keptSecret(dataDir)) ?? (await makeSecret(dataDir)), generated: true };
}

/** Null when there is none yet. */
export async function keptSecret(dataDir: string): Promise<string | null> {
  const file = fileOf(dataDir);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw unusable(`the secret ${file} cannot be read`, error);
  });
  if (text === null) return null;
  const secret = text.trim();
  if (secret === '') throw new Failure('bad_setting', `the secret ${file} is empty: delete it, and a new one is made`);
  return secret;
}

/** Appears whole or not at all, and never replaces one that another process has made meanwhile. */
async function makeSecret(dataDir: string): Promise<string> {
  const file = fileOf(dataDir);
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(dataDir, { recursive: true });
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw unusable(`the data folder ${dataDir} cannot be written to`, error as NodeJS.ErrnoException);
  } finally {
    await unlink(draft).catch(() => {});
  }
  const secret = await keptSecret(dataDir);
  if (secret === null) throw new Failure('bad_setting', `the secret ${file} has disappeared`);
  return secret;
}

const unusable = (sentence: string, cause: NodeJS.ErrnoException): Failure =>
  new Failure('bad_setting', `${sentence} (${cause.code ?? cause.message})`, { cause });
