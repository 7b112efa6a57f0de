import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { AppError } from '../../models/errors';
import { type AccountRepository, PORTS } from '../../models/ports';
import { readConfig } from '../config';
import { type Container, withStore } from '../container';
import { type IdentifyAnswer, identifyOverHttp } from '../identify-over-http';
import { runningService } from '../running-service';
import { startService } from '../service';
import { hashKey, makeKey } from './keys';
import { asTable, printAnswer } from './output';

/** `loupe identify`: a photo to catalog rows, through the running service or through one of its own. */
export function registerIdentify(identify: Command): void {
  identify
    .argument('<photo>', 'a file or an address')
    .option('--json', 'print JSON')
    .action(async (photo: string, options: { json?: boolean }) => {
      const image = await imageOf(photo);
      const answer = await withService((url, key) => identifyOverHttp(url, key, image));
      printAnswer(options.json, answer, () => describeMatches(answer));
    });
}

/** The matches as a table, best first. */
export function describeMatches(answer: IdentifyAnswer): string {
  if (answer.data.length === 0) return 'nothing in the catalog matches';
  return asTable(
    ['', 'id', 'name', 'confidence'],
    answer.data.map((row, index) => [index + 1, row.id, row.name, row.confidence.toFixed(3)]),
  );
}

async function imageOf(photo: string): Promise<{ url: string } | { base64: string }> {
  if (/^https?:\/\//i.test(photo)) return { url: photo };
  try {
    return { base64: (await readFile(photo)).toString('base64') };
  } catch (failure) {
    throw new AppError(404, 'not_found', `The file "${photo}" can not be read.`, { cause: failure });
  }
}

async function withService<Result>(work: (url: string, key: string) => Promise<Result>): Promise<Result> {
  const config = readConfig();
  const running = await runningService(config);
  if (running) return withStore((container) => withPassingKey(container, (key) => work(running, key)));
  const service = await startService({
    ...config,
    ROLE: 'all',
    PORT: 0,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
  });
  try {
    return await withPassingKey(service.loupe.container, (key) => work(service.url, key));
  } finally {
    await service.close();
  }
}

/** A key of the operator's own account for one call; it is revoked after it. */
async function withPassingKey<Result>(
  container: Container,
  work: (key: string) => Promise<Result>,
): Promise<Result> {
  const accounts = container.resolve<AccountRepository>(PORTS.AccountRepository);
  const existing = (await accounts.listAccounts()).find((account) => account.name === 'operator');
  const account = existing ?? (await accounts.createAccount('operator', null));
  const secret = makeKey(false);
  const key = await accounts.createKey({
    accountId: account.id,
    name: 'loupe identify',
    versions: ['v3'],
    test: false,
    limits: { perSecond: 0, perMinute: 0, concurrency: 0 },
    hash: hashKey(secret),
  });
  try {
    return await work(secret);
  } finally {
    await accounts.revokeKey(key.id);
  }
}
