import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { CREDITS_MAX } from '../../models/access/credits';
import { withStores } from '../composition/services';
import { nameOf } from './name-of';
import { asTable, printAnswer } from './output';

/** `loupe accounts create | list | credit | history | keep-photos`: who pays, and whose photos are kept. */
export function registerAccounts(group: Command): void {
  group
    .command('create')
    .description('make an account; without --credits it is unlimited')
    .requiredOption('--name <name>', 'what to call it', nameOf)
    .option('--credits <credits>', 'credits to start with', wholeCredits)
    .option('--json', 'print JSON')
    .action(async (options: { name: string; credits?: number; json?: boolean }) => {
      const account = await withStores(({ accounts }) =>
        accounts.create(options.name, options.credits ?? null),
      );
      const { id, name, credits: left } = account;
      printAnswer(options.json, { id, name, credits: left }, () => `${id}  ${name}  ${credits(left)}`);
    });
  group
    .command('list')
    .description('all accounts')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const all = await withStores(({ accounts }) => accounts.list());
      printAnswer(options.json, all, () =>
        asTable(
          ['id', 'name', 'credits', 'photos'],
          all.map((each) => [each.id, each.name, credits(each.credits), each.keepsPhotos ? 'kept' : null]),
        ),
      );
    });
  group
    .command('credit')
    .description('add credits to a limited account; a negative amount is a correction')
    .argument('<account>', 'id of the account')
    .argument('<amount>', 'credits to add, or -N to take off', creditsToAdd)
    .option('--note <text>', 'why, for the history', nameOf)
    .option('--json', 'print JSON')
    .action(async (id: string, amount: number, options: { note?: string; json?: boolean }) => {
      const left = await withStores(({ accounts }) => accounts.credit(id, amount, options.note ?? null));
      printAnswer(options.json, { id, credits: left }, () => `${id}  ${credits(left)}`);
    });
  group
    .command('keep-photos')
    .description(
      'keep the photos of an account as long as its predictions, for evaluations with its feedback',
    )
    .argument('<account>', 'id of the account')
    .addArgument(
      new Argument('[state]', 'off: keep none from now on, and delete those that were kept')
        .choices(['on', 'off'])
        .default('on'),
    )
    .addOption(new Option('--off', 'the same as off').hideHelp())
    .option('--json', 'print JSON')
    .action(async (id: string, state: 'on' | 'off', options: { off?: boolean; json?: boolean }) => {
      const keep = state === 'on' && !options.off;
      await withStores(({ accounts }) => accounts.keepPhotos(id, keep));
      printAnswer(options.json, { id, keepsPhotos: keep }, () =>
        keep ? `${id}  photos are kept from now on` : `${id}  no photos are kept`,
      );
    });
  group
    .command('history')
    .description('what was added to an account by hand, and taken off')
    .argument('<account>', 'id of the account')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { json?: boolean }) => {
      const topUps = await withStores(({ accounts }) => accounts.history(id));
      printAnswer(options.json, topUps, () =>
        asTable(
          ['time', 'credits', 'note'],
          topUps.map(({ at, amount, note }) => [at.toISOString(), amount, note]),
        ),
      );
    });
}

const credits = (left: number | null): string => (left === null ? 'unlimited' : String(left));

/** What an account starts with. */
function wholeCredits(text: string): number {
  const amount = creditsToAdd(text);
  if (amount < 0) throw new InvalidArgumentError('must be a whole number of credits');
  return amount;
}

function creditsToAdd(text: string): number {
  const amount = Number(text);
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number of credits');
  if (Math.abs(amount) > CREDITS_MAX) throw new InvalidArgumentError(`must be at most ${CREDITS_MAX}`);
  return amount;
}
