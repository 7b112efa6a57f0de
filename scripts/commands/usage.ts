import { type Command, InvalidArgumentError } from 'commander';
import { AppError } from '../../models/errors';
import { type AccountRepository, type CreditLedger, PORTS } from '../../models/ports';
import { withStore } from '../container';
import { asTable, printAnswer } from './output';

interface UsageOptions {
  readonly account: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly json?: boolean;
}

/** `loupe usage`: what an account was charged, by day and endpoint. */
export function registerUsage(program: Command): void {
  program
    .command('usage')
    .description('credits that an account used, by day and endpoint')
    .requiredOption('--account <account>', 'id of the account')
    .option('--since <date>', 'from this time on (ISO 8601)', dateOf)
    .option('--until <date>', 'before this time (ISO 8601)', dateOf)
    .option('--json', 'print JSON')
    .action(async (options: UsageOptions) => {
      const lines = await withStore(async (container) => {
        const account = await container
          .resolve<AccountRepository>(PORTS.AccountRepository)
          .account(options.account);
        if (!account) throw new AppError(404, 'not_found', `There is no account "${options.account}".`);
        const ledger = container.resolve<CreditLedger>(PORTS.CreditLedger);
        return ledger.usage(account.id, options.since ?? null, options.until ?? null);
      });
      const credits = lines.reduce((sum, line) => sum + line.credits, 0);
      printAnswer(
        options.json,
        { account: options.account, credits, usage: lines },
        () =>
          `${asTable(
            ['day', 'endpoint', 'calls', 'credits'],
            lines.map((line) => [line.day, line.endpoint, line.calls, line.credits]),
          )}\n${credits} credits`,
      );
    });
}

function dateOf(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('must be a date such as 2026-03-01');
  return date;
}
