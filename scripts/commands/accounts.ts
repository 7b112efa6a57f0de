import { Argument, type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { CREDITS_MAX } from '../../models/access/credits';
import { withStores } from '../composition/services';
import { asTable, nameOf, printAnswer, subcommand, textOf } from './terminal';

export function register(group: Command): void {
  subcommand(group, 'create', 'create an account; without --credits it is unlimited')
    .requiredOption('--name <name>', 'name of the account', nameOf)
    .option('--credits <credits>', 'opening balance', wholeCredits)
    .action(async (options) => {
      const made = await withStores(({ accounts }) => accounts.create(options.name, options.credits ?? null));
      const { id, name, credits } = made;
      printAnswer(
        options.json,
        { id, name, credits },
        () => `${id}  ${textOf(name)}  ${creditsText(credits)}`,
      );
    });
  subcommand(group, 'list', 'all accounts').action(async ({ json }) => {
    const all = await withStores(({ accounts }) => accounts.list());
    printAnswer(json, all, () =>
      asTable(
        ['id', 'name', 'credits', 'photos'],
        all.map((each) => [each.id, each.name, creditsText(each.credits), each.keepsPhotos ? 'kept' : null]),
      ),
    );
  });
  subcommand(group, 'credit', 'add credits to a limited account; a negative amount is a correction')
    .argument('<account>', 'id of the account')
    .argument('<amount>', 'credits to add, or -N to remove', creditsToAdd)
    .option('--note <text>', 'reason, shown in the history', nameOf)
    .action(async (id, amount, { note = null, json }) => {
      const credits = await withStores(({ accounts }) => accounts.credit(id, amount, note));
      printAnswer(json, { id, credits }, () => `${id}  ${creditsText(credits)}`);
    });
  const keeping =
    'keep the photos of an account as long as its predictions, for evaluations with its feedback';
  subcommand(group, 'keep-photos', keeping)
    .argument('<account>', 'id of the account')
    .addArgument(
      new Argument('[state]', 'off: keep no more photos, and delete the stored ones')
        .choices(['on', 'off'])
        .default('on'),
    )
    .addOption(new Option('--off', 'the same as off').hideHelp())
    .action(async (id, state, { off, json }) => {
      const keepsPhotos = state === 'on' && !off;
      await withStores(({ accounts }) => accounts.keepPhotos(id, keepsPhotos));
      const text = keepsPhotos ? 'photos are kept from now on' : 'no photos are kept';
      printAnswer(json, { id, keepsPhotos }, () => `${id}  ${text}`);
    });
  subcommand(group, 'history', 'credits added to and removed from an account by hand')
    .argument('<account>', 'id of the account')
    .action(async (id, { json }) => {
      const topUps = await withStores(({ accounts }) => accounts.history(id));
      const rows = topUps.map(({ at, amount, note }) => [at.toISOString(), amount, note]);
      printAnswer(json, topUps, () => asTable(['time', 'credits', 'note'], rows));
    });
}

const creditsText = (credits: number | null): string => (credits === null ? 'unlimited' : String(credits));

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
