import type { Command } from 'commander';
import { withStores } from '../composition/services';
import { asTable, printAnswer } from './output';
import { timeOf } from './time-of';

interface UsageOptions {
  readonly account: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly json?: boolean;
}

/** `loupe usage`: what an account was charged, by day and endpoint. */
export function registerUsage(usage: Command): void {
  usage
    .requiredOption('--account <account>', 'id of the account')
    .option('--since <time>', 'from this day or time on (ISO 8601, UTC unless it says otherwise)', timeOf)
    .option('--until <time>', 'before this day or time', timeOf)
    .option('--json', 'print JSON')
    .action(async (options: UsageOptions) => {
      const { account, since = null, until = null } = options;
      const lines = await withStores(({ accounts }) => accounts.usage(account, since, until));
      const credits = lines.reduce((sum, line) => sum + line.credits, 0);
      printAnswer(
        options.json,
        { account, credits, usage: lines },
        () =>
          `${asTable(
            ['day', 'endpoint', 'calls', 'credits'],
            lines.map((line) => [line.day, line.endpoint, line.calls, line.credits]),
          )}\n${credits} credits`,
      );
    });
}
