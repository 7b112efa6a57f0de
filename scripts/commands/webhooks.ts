import type { Command } from '@commander-js/extra-typings';
import type { Webhook } from '../../models/webhooks/webhook';
import { withStores } from '../composition/services';
import { asTable, printAnswer, subcommand } from './terminal';

/** `loupe webhooks list`: webhook endpoints and their last failure (contract 16.18). */
export function register(group: Command): void {
  subcommand(group, 'list', 'addresses of all accounts, or of one, with their last error and without secrets')
    .option('--account <account>', 'id of the account')
    .action(async ({ account: only, json }) => {
      const all = await withStores(async ({ accounts, webhooks }) => {
        const asked = only === undefined ? await accounts.list() : [await accounts.show(only)];
        const found: (Webhook & { account: string })[] = [];
        for (const { id: account } of asked) {
          for (const each of await webhooks.list({ accountId: account })) found.push({ ...each, account });
        }
        return found;
      });
      const document = all.map(({ url, ...rest }) => ({ ...rest, url: url.href }));
      printAnswer(json, document, () =>
        asTable(
          ['id', 'account', 'key', 'address', 'events', 'failures', 'last failure'],
          document.map((each) => [
            ...[each.id, each.account, each.keyId, each.url, each.events.join(), each.failures],
            endOf(each) ?? each.lastFailure,
          ]),
        ),
      );
    });
}

function endOf({ keyEndedAt, disabledAt }: Pick<Webhook, 'keyEndedAt' | 'disabledAt'>): string | null {
  if (keyEndedAt) return `disabled ${keyEndedAt.toISOString()}: its key was revoked or expired`;
  return disabledAt && `disabled ${disabledAt.toISOString()}: it answered 410`;
}
