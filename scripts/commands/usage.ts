import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
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
export function registerUsage(usage: Command): void {
  usage
    .requiredOption('--account <account>', 'id of the account')
    .option('--since <time>', 'from this day or time on (ISO 8601, UTC unless it says otherwise)', timeOf)
    .option('--until <time>', 'before this day or time', timeOf)
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

const day = z.iso.date();
const time = z.iso.datetime({ offset: true });

/** The start of a day, or a time; both of UTC where no offset is given. */
function timeOf(text: string): Date {
  if (day.safeParse(text).success) return new Date(text);
  const zoned = [text, `${text}Z`].find((each) => time.safeParse(each).success);
  if (zoned === undefined) {
    throw new InvalidArgumentError(
      'must be a day such as 2026-03-01, or a time such as 2026-03-01T12:00:00Z',
    );
  }
  return new Date(zoned);
}
