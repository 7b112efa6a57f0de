import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from './config';

/** A named secret for signed links; the first of a list signs, all verify. */
export interface SigningKey {
  readonly id: string;
  readonly secret: string;
}

const storedKeys = z.array(z.object({ id: z.string(), secret: z.string().min(16) })).min(1);

/**
 * The keys of the settings, else those made at the first start and kept in `DATA_DIR`. Two processes that start at
 * once agree: the file is created exclusively, and whoever comes second reads it.
 */
export async function signingKeys(config: Config): Promise<readonly SigningKey[]> {
  if (config.SIGNING_KEYS) return config.SIGNING_KEYS;
  const file = join(config.DATA_DIR, 'signing-keys.json');
  await mkdir(config.DATA_DIR, { recursive: true });
  const made = [{ id: 'k1', secret: randomBytes(32).toString('base64url') }];
  try {
    await writeFile(file, JSON.stringify(made), { flag: 'wx', mode: 0o600 });
    return made;
  } catch (failure) {
    if (!isExisting(failure)) throw failure;
    return storedKeys.parse(JSON.parse(await readFile(file, 'utf8')));
  }
}

const isExisting = (failure: unknown): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === 'EEXIST';
