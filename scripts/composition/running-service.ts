import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../../db/files/durable-files';
import type { Config } from '../config';

const note = z.object({ pid: z.number().int(), url: z.url() });

const noteFile = (config: Config): string => join(config.DATA_DIR, 'service.json');

export async function announceService(config: Config, url: string): Promise<void> {
  await writeDurably(noteFile(config), JSON.stringify({ pid: process.pid, url }));
}

/** Removes the record, unless another process has left its own since. */
export async function withdrawService(config: Config): Promise<void> {
  const known = await readNote(config);
  if (known?.pid === process.pid) await rm(noteFile(config), { force: true });
}

/** The address of a service that is alive here, or null: first the recorded one, then the configured port. */
export async function runningService(config: Config): Promise<string | null> {
  const known = await readNote(config);
  const host = ['0.0.0.0', '::'].includes(config.HOST) ? '127.0.0.1' : config.HOST;
  const candidates = [known?.url, config.PORT === 0 ? undefined : `http://${host}:${config.PORT}`];
  for (const url of candidates) if (url !== undefined && (await isLoupe(url))) return url;
  return null;
}

async function isLoupe(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) });
    return answer.ok && answer.headers.has('x-request-id');
  } catch {
    return false;
  }
}

async function readNote(config: Config): Promise<z.infer<typeof note> | null> {
  try {
    return note.parse(JSON.parse(await readFile(noteFile(config), 'utf8')));
  } catch {
    return null;
  }
}
