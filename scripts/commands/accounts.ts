import { type Command, InvalidArgumentError } from 'commander';
import { AppError } from '../../models/errors';
import { type AccountRepository, type CreditLedger, PORTS } from '../../models/ports';
import { withStore } from '../container';
import { nameOf } from './name-of';
import { asTable, printAnswer } from './output';

/** `loupe accounts create | list | credit`: who pays. */
export function registerAccounts(accounts: Command): void {
  accounts
    .command('create')
    .description('make an account; without --credits it is unlimited')
    .requiredOption('--name <name>', 'what to call it', nameOf)
    .option('--credits <credits>', 'credits to start with', wholeCredits)
    .option('--json', 'print JSON')
    .action(async (options: { name: string; credits?: number; json?: boolean }) => {
      const account = await withStore((container) =>
        container
          .resolve<AccountRepository>(PORTS.AccountRepository)
          .createAccount(options.name, options.credits ?? null),
      );
      printAnswer(options.json, account, () => `${account.id}  ${account.name}  ${credits(account.credits)}`);
    });
  accounts
    .command('list')
    .description('all accounts')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const all = await withStore((container) =>
        container.resolve<AccountRepository>(PORTS.AccountRepository).listAccounts(),
      );
      printAnswer(options.json, all, () =>
        asTable(
          ['id', 'name', 'credits'],
          all.map((each) => [each.id, each.name, credits(each.credits)]),
        ),
      );
    });
  accounts
    .command('credit')
    .description('add credits to a limited account')
    .argument('<account>', 'id of the account')
    .argument('<amount>', 'credits to add', wholeCredits)
    .option('--json', 'print JSON')
    .action(async (id: string, added: number, options: { json?: boolean }) => {
      const left = await withStore((container) =>
        container.resolve<CreditLedger>(PORTS.CreditLedger).topUp(id, added),
      );
      if (left === null) {
        throw new AppError(
          404,
          'not_found',
          `There is no limited account "${id}"; an unlimited one needs no credits.`,
        );
      }
      printAnswer(options.json, { id, credits: left }, () => `${id}  ${credits(left)}`);
    });
}

const credits = (left: number | null): string => (left === null ? 'unlimited' : String(left));

function wholeCredits(text: string): number {
  const amount = Number(text);
  if (!/^\d{1,15}$/.test(text) || amount < 0)
    throw new InvalidArgumentError('must be a whole number of credits');
  return amount;
}
