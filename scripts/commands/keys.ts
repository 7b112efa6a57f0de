import { type Command, InvalidArgumentError } from 'commander';
import { API_VERSIONS, type ApiKey, type ApiVersion, SCOPES, type Scope } from '../../models/access/api-key';
import type { MadeKey } from '../../models/access/key-service';
import { withStores } from '../composition/services';
import { nameOf } from './name-of';
import { asTable, printAnswer } from './output';
import { laterTimeOf } from './time-of';
import { wholeNumber } from './whole-number';

interface CreateOptions {
  readonly account?: string;
  readonly name: string;
  readonly versions: readonly ApiVersion[];
  readonly test?: boolean;
  readonly perSecond?: number;
  readonly perMinute?: number;
  readonly concurrency?: number;
  readonly expires?: Date;
  readonly scopes?: readonly Scope[];
  readonly json?: boolean;
}

interface RotateOptions {
  readonly overlap: number;
  readonly expires?: Date;
  readonly json?: boolean;
}

/** `loupe keys create | list | rotate | revoke`: what opens the API (contract 9). */
export function registerKeys(keys: Command): void {
  keys
    .command('create')
    .description('make a key; it is shown once, only its hash is kept')
    .option(
      '--account <account>',
      'id of the account that pays (default: the unlimited account "default", made if there is none)',
    )
    .option('--name <name>', 'what to call it', nameOf, 'key')
    .option('--versions <versions>', 'API versions it opens', versionsOf, [...API_VERSIONS])
    .option('--test', 'a test key: sees a part of the catalog, and any refusal that it asks for')
    .option('--per-second <calls>', 'calls per second (0: no limit)', wholeNumber)
    .option('--per-minute <calls>', 'calls per minute (0: no limit)', wholeNumber)
    .option('--concurrency <calls>', 'photos identified at the same time (0: no limit)', wholeNumber)
    .option(
      '--expires <when>',
      'a day, a time, or a duration such as 90d: opens nothing from then on',
      expiryOf,
    )
    .option('--scopes <scopes>', `what it may do: ${SCOPES.join(',')} (default: the first two)`, scopesOf)
    .option('--json', 'print JSON')
    .action(create);
  keys
    .command('list')
    .description('all keys, without their secrets')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const all = await withStores((services) => services.keys.list());
      printAnswer(options.json, all.map(documentOf), () =>
        asTable(['id', 'name', 'account', 'versions', 'scopes', 'state'], all.map(rowOf)),
      );
    });
  keys
    .command('rotate <key>')
    .description('make a key that does the same, and end the old one after an overlap')
    .option(
      '--overlap <hours>',
      'how long the old key still opens the API (0: ends at once)',
      wholeNumber,
      24,
    )
    .option(
      '--expires <when>',
      'of the new key (default: it lives as long as the old one was made to)',
      expiryOf,
    )
    .option('--json', 'print JSON')
    .action(rotate);
  keys
    .command('revoke <key>')
    .description('close a key at once, on every process')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { json?: boolean }) => {
      await withStores((services) => services.keys.revoke(id));
      printAnswer(options.json, { id, revoked: true }, () => `${id} is revoked`);
    });
}

async function create(options: CreateOptions): Promise<void> {
  const { account: accountId, name, versions, test = false, expires: expiresAt = null, scopes } = options;
  const limits = {
    perSecond: options.perSecond ?? null,
    perMinute: options.perMinute ?? null,
    concurrency: options.concurrency ?? null,
  };
  const wanted = { accountId, name, versions, test, limits, expiresAt, ...(scopes ? { scopes } : {}) };
  const made = await withStores(({ keys }) => keys.create(wanted));
  printAnswer(options.json, madeKeyOf(made), () => describeKey(made));
}

async function rotate(id: string, { overlap, expires, json }: RotateOptions): Promise<void> {
  const made = await withStores(({ keys }) => keys.rotate(id, overlap * HOUR_MS, expires));
  const { expiresAt } = made.key;
  const answer = { ...madeKeyOf(made), expiresAt, replaced: { id, endsAt: made.oldEndsAt } };
  printAnswer(
    json,
    answer,
    () => `${describeKey(made)}\nThe old key ${id} stops working at ${made.oldEndsAt.toISOString()}.`,
  );
}

const madeKeyOf = ({ key, secret }: MadeKey) => ({
  id: key.id,
  key: secret,
  account: key.accountId,
  versions: key.versions,
});

const describeKey = ({ key, secret }: MadeKey): string =>
  `${key.id}\n${secret}\nKeep it: it is not shown again. It ${
    key.expiresAt ? `expires at ${key.expiresAt.toISOString()}` : 'does not expire'
  }.`;

/** A key in JSON, by the names that `create` prints. */
const documentOf = ({ accountId, ...key }: ApiKey) => ({
  id: key.id,
  account: accountId,
  name: key.name,
  versions: key.versions,
  scopes: key.scopes,
  test: key.test,
  limits: key.limits,
  createdAt: key.createdAt,
  expiresAt: key.expiresAt,
  revokedAt: key.revokedAt,
});

const rowOf = (key: ApiKey): (string | null)[] => [
  key.id,
  key.name,
  key.accountId,
  key.versions.join(','),
  key.scopes.join(','),
  stateOf(key),
];

function stateOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt) return `revoked ${revokedAt.toISOString()}`;
  if (!expiresAt) return 'open';
  return `${expiresAt <= new Date() ? 'expired' : 'open until'} ${expiresAt.toISOString()}`;
}

const HOUR_MS = 3_600_000;

const expiryOf = (text: string): Date => laterTimeOf(text, new Date());

const versionsOf = (text: string): ApiVersion[] => someOf(API_VERSIONS, text);

const scopesOf = (text: string): Scope[] => someOf(SCOPES, text);

/** A list with commas of some of `known`, in their order. */
function someOf<Name extends string>(known: readonly Name[], text: string): Name[] {
  const named = text.split(',').map((each) => each.trim());
  const found = known.filter((each) => named.includes(each));
  if (found.length === 0 || named.some((each) => !known.some((name) => name === each))) {
    throw new InvalidArgumentError(`must be some of ${known.join(',')}`);
  }
  return found;
}
