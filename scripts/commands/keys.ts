import type { Command } from '@commander-js/extra-typings';
import { API_VERSIONS, type ApiKey, SCOPES } from '../../models/access/api-key';
import type { CreatedKey } from '../../models/access/key-service';
import { withStores } from '../composition/services';
import { asTable, laterTimeOf, nameOf, printAnswer, someOf, subcommand, wholeNumber } from './terminal';

const HOUR_MS = 3_600_000;

/** `loupe keys create | list | rotate | revoke` (contract 9). */
export function register(keys: Command): void {
  registerCreate(keys);
  subcommand(keys, 'list', 'all keys, without their secrets').action(async ({ json }) => {
    const all = await withStores((services) => services.keys.list());
    printAnswer(json, all.map(documentOf), () =>
      asTable(
        ['id', 'name', 'account', 'versions', 'scopes', 'state'],
        all.map((key) => [
          ...[key.id, key.name, key.accountId, key.versions.join(','), key.scopes.join(',')],
          stateOf(key),
        ]),
      ),
    );
  });
  subcommand(keys, 'rotate <key>', 'create a key with the same rights, and end the old one after an overlap')
    .option('--overlap <hours>', 'how long the old key keeps working (0: ends at once)', wholeNumber, 24)
    .option('--expires <when>', 'when the new key ends (default: the lifetime of the old one)', laterTimeOf)
    .action(async (id, { overlap, expires, json }) => {
      const made = await withStores((services) => services.keys.rotate(id, overlap * HOUR_MS, expires));
      const { key, oldEndsAt } = made;
      const replaced = { id, endsAt: oldEndsAt };
      printAnswer(json, { ...createdKeyOf(made), expiresAt: key.expiresAt, replaced }, () =>
        [describeKey(made), `The old key ${id} stops working at ${oldEndsAt.toISOString()}.`].join('\n'),
      );
    });
  subcommand(keys, 'revoke <key>', 'revoke a key at once, on every process').action(async (id, { json }) => {
    await withStores((services) => services.keys.revoke(id));
    printAnswer(json, { id, revoked: true }, () => `${id} is revoked`);
  });
}

function registerCreate(keys: Command): void {
  subcommand(keys, 'create', 'create a key; it is shown once, only its hash is stored')
    .option('--account <account>', 'id of the account that pays; "default" is unlimited', 'default')
    .option('--name <name>', 'name of the key', nameOf, 'key')
    .option('--versions <versions>', 'API versions it may use', (text) => someOf(API_VERSIONS, text), [
      ...API_VERSIONS,
    ])
    .option('--test', 'a test key, which sees a part of the catalog and can request any error')
    .option('--per-second <calls>', 'calls per second (0: no limit)', wholeNumber)
    .option('--per-minute <calls>', 'calls per minute (0: no limit)', wholeNumber)
    .option('--concurrency <calls>', 'photos identified at the same time (0: no limit)', wholeNumber)
    .option('--expires <when>', 'when it ends: a day, a time, or a duration such as 90d', laterTimeOf)
    .option('--scopes <scopes>', `what it may do: ${SCOPES.join(',')} (default: the first two)`, (text) =>
      someOf(SCOPES, text),
    )
    .action(async ({ account, test = false, expires: expiresAt = null, scopes, json, ...given }) => {
      const { perSecond = null, perMinute = null, concurrency = null, ...named } = given;
      const limits = { perSecond, perMinute, concurrency };
      const accountId = account === 'default' ? undefined : account;
      const wanted = { accountId, ...named, test, limits, expiresAt, ...(scopes ? { scopes } : {}) };
      const made = await withStores((services) => services.keys.create(wanted));
      printAnswer(json, createdKeyOf(made), () => describeKey(made));
    });
}

const createdKeyOf = ({ key, secret }: CreatedKey) => ({
  id: key.id,
  key: secret,
  account: key.accountId,
  versions: key.versions,
});

const describeKey = ({ key, secret }: CreatedKey): string =>
  `${key.id}\n${secret}\nKeep it: it is not shown again. It ${
    key.expiresAt ? `expires at ${key.expiresAt.toISOString()}` : 'does not expire'
  }.`;

const documentOf = ({ id, accountId, name, versions, scopes, test, limits, ...times }: ApiKey) => ({
  ...{ id, account: accountId, name, versions, scopes, test, limits },
  createdAt: times.createdAt,
  expiresAt: times.expiresAt,
  revokedAt: times.revokedAt,
});

function stateOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt) return `revoked ${revokedAt.toISOString()}`;
  if (!expiresAt) return 'open';
  return `${expiresAt <= new Date() ? 'expired' : 'open until'} ${expiresAt.toISOString()}`;
}
