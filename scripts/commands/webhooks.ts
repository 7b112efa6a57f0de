import type { Command } from 'commander';
import type { Webhook } from '../../models/webhooks/webhook';
import { withStores } from '../composition/services';
import { asTable, printAnswer } from './output';

type Listed = Webhook & { readonly account: string };

/** `loupe webhooks list`: the addresses that callers are told at, and what fails there (contract 16.18). */
export function registerWebhooks(group: Command): void {
  group
    .command('list')
    .description('the addresses of all accounts, or of one, with what failed last; without their secrets')
    .option('--account <account>', 'id of the account')
    .option('--json', 'print JSON')
    .action(async (options: { account?: string; json?: boolean }) => {
      const all = await webhooksOf(options.account);
      printAnswer(options.json, all.map(documentOf), () =>
        asTable(['id', 'account', 'key', 'address', 'events', 'failures', 'last failure'], all.map(rowOf)),
      );
    });
}

const webhooksOf = (account: string | undefined): Promise<readonly Listed[]> =>
  withStores(async ({ accounts, webhooks }) => {
    const ids = account === undefined ? (await accounts.list()).map(({ id }) => id) : [account];
    const listed: Listed[] = [];
    for (const id of ids) {
      listed.push(...(await webhooks.list({ accountId: id })).map((each) => ({ ...each, account: id })));
    }
    return listed;
  });

const documentOf = ({ url, ...rest }: Listed) => ({ ...rest, url: url.href });

const rowOf = (each: Listed) => [
  ...[each.id, each.account, each.keyId, each.url.href, each.events.join(), each.failures],
  endOf(each) ?? each.lastFailure,
];

function endOf({ keyEndedAt, disabledAt }: Listed): string | null {
  if (keyEndedAt) return `disabled ${keyEndedAt.toISOString()}: its key was revoked or expired`;
  return disabledAt && `disabled ${disabledAt.toISOString()}: it answered 410`;
}
