import type { Command } from '@commander-js/extra-typings';
import { withStores } from '../composition/services';
import { asTable, FROM_TIME, printAnswer, subcommand, timeOf, wholeNumber } from './terminal';

export function register(audit: Command): void {
  subcommand(audit, 'log', 'what operators did, newest first')
    .option('--account <account>', 'only entries that concern this account')
    .option('--since <time>', FROM_TIME, timeOf)
    .option('--limit <entries>', 'maximum number of entries', wholeNumber, 100)
    .action(async ({ account = null, since = null, limit, json }) => {
      const filter = { accountId: account, since, before: null, limit };
      const records = await withStores(async ({ accounts, audit: log }) => {
        if (account !== null) await accounts.show(account);
        return log.list(filter);
      });
      const entries = records.map(({ id, at, actor, action, accountId, subject, details }) => {
        return { id, at, actor, action, account: accountId, subject, details };
      });
      printAnswer(json, entries, () =>
        asTable(
          ['time', 'who', 'what', 'account', 'subject', 'details'],
          entries.map((each) => [
            ...[each.at.toISOString(), each.actor, each.action, each.account, each.subject],
            detailsText(each.details),
          ]),
        ),
      );
    });
}

const detailsText = (details: object): string =>
  Object.entries(details)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
