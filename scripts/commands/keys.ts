import { createHash, randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { API_VERSIONS, type ApiKey, type ApiVersion } from '../../models/access/api-key';
import { AppError } from '../../models/errors';
import { type AccountRepository, PORTS } from '../../models/ports';
import { withStore } from '../container';
import { nameOf } from './name-of';
import { asTable, printAnswer } from './output';

interface CreateOptions {
  readonly account: string;
  readonly name: string;
  readonly versions: readonly ApiVersion[];
  readonly test?: boolean;
  readonly perSecond?: number;
  readonly perMinute?: number;
  readonly concurrency?: number;
  readonly json?: boolean;
}

/** `loupe keys create | list | revoke`: what opens the API (decisions.md 2). */
export function registerKeys(keys: Command): void {
  keys
    .command('create')
    .description('make a key; it is shown once, only its hash is kept')
    .requiredOption('--account <account>', 'id of the account that pays')
    .requiredOption('--name <name>', 'what to call it', nameOf)
    .requiredOption('--versions <versions>', 'API versions it opens: v1,v2,v3', versionsOf)
    .option('--test', 'mark it as a test key')
    .option('--per-second <calls>', 'calls per second (0: no limit)', wholeNumber)
    .option('--per-minute <calls>', 'calls per minute (0: no limit)', wholeNumber)
    .option('--concurrency <calls>', 'vision calls at the same time (0: no limit)', wholeNumber)
    .option('--json', 'print JSON')
    .action(create);
  keys
    .command('list')
    .description('all keys, without their secrets')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const all = await withStore((container) =>
        container.resolve<AccountRepository>(PORTS.AccountRepository).listKeys(),
      );
      printAnswer(options.json, all.map(documentOf), () =>
        asTable(['id', 'name', 'account', 'versions', 'state'], all.map(rowOf)),
      );
    });
  keys
    .command('revoke <key>')
    .description('close a key at once, on every process')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { json?: boolean }) => {
      const known = await withStore((container) =>
        container.resolve<AccountRepository>(PORTS.AccountRepository).revokeKey(id),
      );
      if (!known) throw new AppError(404, 'not_found', `There is no key "${id}".`);
      printAnswer(options.json, { id, revoked: true }, () => `${id} is revoked`);
    });
}

async function create(options: CreateOptions): Promise<void> {
  const secret = makeKey(options.test ?? false);
  const key = await withStore(async (container) => {
    const accounts = container.resolve<AccountRepository>(PORTS.AccountRepository);
    if (!(await accounts.account(options.account))) {
      throw new AppError(404, 'not_found', `There is no account "${options.account}".`);
    }
    return accounts.createKey({
      accountId: options.account,
      name: options.name,
      versions: options.versions,
      test: options.test ?? false,
      limits: {
        perSecond: options.perSecond ?? null,
        perMinute: options.perMinute ?? null,
        concurrency: options.concurrency ?? null,
      },
      hash: hashKey(secret),
    });
  });
  const answer = { id: key.id, key: secret, account: key.accountId, versions: key.versions };
  printAnswer(options.json, answer, () => `${key.id}\n${secret}\nKeep it: it is not shown again.`);
}

/** A new credential: prefix and 43 base62 characters, 256 bits of them random (decisions.md 2). */
export function makeKey(test: boolean): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let value = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let digits = '';
  for (let position = 0; position < 43; position += 1) {
    digits += alphabet[Number(value % 62n)] ?? '';
    value /= 62n;
  }
  return `loupe_${test ? 'test' : 'live'}_${digits}`;
}

/** What is stored of a credential: its SHA-256. The credential has 256 random bits, so a plain hash suffices. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key, 'utf8').digest();

/** A key in JSON, by the names that `create` prints. */
const documentOf = ({ id, accountId, name, versions, test, limits, createdAt, revokedAt }: ApiKey) => ({
  id,
  account: accountId,
  name,
  versions,
  test,
  limits,
  createdAt,
  revokedAt,
});

const rowOf = (key: ApiKey): (string | null)[] => [
  key.id,
  key.name,
  key.accountId,
  key.versions.join(','),
  key.revokedAt ? `revoked ${key.revokedAt.toISOString()}` : 'open',
];

function versionsOf(text: string): ApiVersion[] {
  const named = text.split(',').map((each) => each.trim());
  const versions = API_VERSIONS.filter((version) => named.includes(version));
  if (versions.length === 0 || named.some((each) => !API_VERSIONS.some((version) => version === each))) {
    throw new InvalidArgumentError(`must be some of ${API_VERSIONS.join(',')}`);
  }
  return versions;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}
