import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { counted } from '../../models/errors';
import { withStores } from '../composition/services';
import { asTable, FROM_TIME, printAnswer, timeOf } from './terminal';

export function register(usage: Command): void {
  usage
    .requiredOption('--account <account>', 'id of the account')
    .option('--since <time>', FROM_TIME, timeOf)
    .option('--until <time>', 'before this day or time', timeOf)
    .option('--json', 'print JSON')
    .action(async ({ account, since = null, until = null, json }) => {
      if (since && until && since > until)
        throw new InvalidArgumentError('--since must not be after --until.');
      const lines = await withStores(({ accounts }) => accounts.usage(account, since, until));
      const credits = lines.reduce((sum, line) => sum + line.credits, 0);
      const rows = lines.map((line) => [line.day, line.endpoint, line.calls, line.credits]);
      printAnswer(json, { account, credits, usage: lines }, () =>
        [asTable(['day', 'endpoint', 'calls', 'credits'], rows), counted(credits, 'credit')].join('\n'),
      );
    });
}
