import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createDurably } from '../../db/files/durable-files';
import type { SigningKey } from '../../db/files/hmac-data-file-signer';
import type { Config } from '../config';
import { KEY_ID, SECRET_LENGTH_MIN } from './setting-types';
import { StartRefused } from './wait-for-store';

const storedKeys = z
  .array(z.object({ id: z.string().regex(KEY_ID), secret: z.string().min(SECRET_LENGTH_MIN) }))
  .min(1);

/** The keys of the settings, else those in `DATA_DIR`, which the first process makes for all. @throws StartRefused for a damaged file */
export async function signingKeys(config: Config): Promise<readonly SigningKey[]> {
  if (config.SIGNING_KEYS) return config.SIGNING_KEYS;
  const file = join(config.DATA_DIR, 'signing-keys.json');
  const existing = await keysIn(file);
  if (existing) return existing;
  const made = [{ id: 'k1', secret: randomBytes(32).toString('base64url') }];
  if (await createDurably(file, JSON.stringify(made), 0o600)) return made;
  return (await keysIn(file)) ?? signingKeys(config);
}

/** Null without a file. The error does not quote it, as that would reveal parts of a secret. */
async function keysIn(file: string): Promise<readonly SigningKey[] | null> {
  const text = await readFile(file, 'utf8').catch((failure: unknown) => {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT') return null;
    throw failure;
  });
  if (text === null) return null;
  try {
    return storedKeys.parse(JSON.parse(text));
  } catch {
    throw new StartRefused(
      `${file} is ${text.trim() === '' ? 'empty' : 'damaged'}: put it back from a backup, name the keys in SIGNING_KEYS, ` +
        'or delete it: new keys are made, and links to data files of the last hour end.',
    );
  }
}
