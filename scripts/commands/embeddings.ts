import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import type { Progress } from '../../models/ports';
import { type JobServices, withJobs, withStores } from '../composition/services';
import { withProgress } from '../composition/terminal-progress';
import {
  describeAdapted,
  describeBuild,
  describePruned,
  describeStatus,
  describeSwitch,
} from './describe-embeddings';
import { describeEvaluation, describeRecalibration } from './describe-evaluation';
import { FROM_TIME, printAnswer, subcommand, timeOf, wholeNumber } from './terminal';

/** `loupe embeddings …`: another model beside the live one, without downtime (docs/upgrade.md). */
export function register(embeddings: Command): void {
  subcommand(embeddings, 'status', 'coverage of the live version and the others').action(async ({ json }) =>
    printAnswer(json, await withStores(({ status }) => status.status()), describeStatus),
  );
  subcommand(embeddings, 'build', 'embed all images under a model, beside the live one')
    .requiredOption('--model <model>', 'an installed model, id or id@version')
    .option('--resume', 'continue an interrupted build')
    .option('--retry-failures', 'retry the listed failures')
    .action(async ({ model, resume = false, retryFailures = false, json }) => {
      const again = `stopped; loupe embeddings build --model ${model} --resume goes on where it was`;
      const built = await reindex(({ build }, progress) =>
        build.build({ model, resume, retryFailures }, progress, interrupted(again)),
      );
      printAnswer(json, built, describeBuild);
    });
  registerFits(embeddings);
  registerSwitches(embeddings);
}

function registerFits(embeddings: Command): void {
  const adapted =
    'fit a version to this catalog, from products that have several pictures; embeds nothing again';
  subcommand(embeddings, 'adapt', adapted)
    .option('--model <model>', 'id or id@version (default: the live version)')
    .option('--photos <folder>', 'use labelled photos too, in the form that evaluate takes')
    .option('--feedback', 'use stored photos of callers with feedback too')
    .action(async ({ model = null, photos: folder, feedback = false, json }) => {
      const photos = folder ? resolve(folder) : null;
      const again = 'stopped; the same command goes on where it was';
      const made = await reindex(({ adapt }, progress) =>
        adapt.adapt({ model, photos, feedback }, progress, interrupted(again)),
      );
      printAnswer(json, made, describeAdapted);
    });
  const judged = 'judge a version against the live one, on distorted catalog pictures or labelled photos';
  subcommand(embeddings, 'evaluate', judged)
    .requiredOption('--model <model>', 'id or id@version')
    .option(
      '--queries <queries>',
      'number of catalog pictures to query, or maximum number of photos',
      wholeNumber,
      200,
    )
    .option('--seed <seed>', 'seed for the choice of pictures', wholeNumber, 1)
    .option('--photos <folder>', 'labelled photos: labels.jsonl, or a subfolder per product id')
    .addOption(
      new Option('--feedback', 'photos of callers that are kept with their feedback').conflicts('photos'),
    )
    .option('--recalibrate', 'fit a calibration even if the version has one')
    .action(async ({ photos: folder, recalibrate = false, feedback = false, json, ...given }) => {
      const photos = folder ? resolve(folder) : null;
      const options = { ...given, recalibrate, photos, feedback: Boolean(feedback) };
      const done = await reindex(({ evaluation }, progress) => evaluation.evaluate(options, progress));
      printAnswer(json, done, describeEvaluation);
    });
  const refitted = 'fit the confidence of the live version anew, on what callers said of its answers';
  subcommand(embeddings, 'recalibrate', refitted)
    .option('--since <time>', `answers ${FROM_TIME}`, timeOf)
    .option('--force', 'even if there are objections; lists them')
    .action(async ({ since = null, force = false, json }) => {
      const done = await withStores(({ recalibration }) => recalibration.recalibrate(since, force));
      printAnswer(json, done, describeRecalibration);
    });
}

function registerSwitches(embeddings: Command): void {
  subcommand(embeddings, 'promote', 'make a version the live one, for all processes, between two photos')
    .requiredOption('--model <model>', 'id or id@version')
    .option('--force', 'even if there are objections; lists them')
    .action(async ({ model, force = false, json }) => {
      printAnswer(json, await reindex(({ promotion }) => promotion.promote(model, force)), describeSwitch);
    });
  subcommand(embeddings, 'rollback', 'undo the last promotion, or the last recalibration since, at once')
    .option('--force', 'even if images or models are missing; lists them')
    .action(async ({ force = false, json }) => {
      printAnswer(json, await reindex(({ promotion }) => promotion.rollback(force)), describeSwitch);
    });
  subcommand(embeddings, 'prune', 'drop the vectors of retired versions, except the rollback target')
    .option('--all', 'include the rollback target')
    .option('--building', 'include versions that were never promoted')
    .action(async ({ all = false, building = false, json }) => {
      printAnswer(json, await reindex(({ promotion }) => promotion.prune({ all, building })), describePruned);
    });
}

/** Runs a change of the model at the lowest priority. */
function reindex<Result>(work: (services: JobServices, progress: Progress) => Promise<Result>) {
  setPriority(constants.priority.PRIORITY_LOW);
  return withProgress(process.stderr, (progress) => withJobs((services) => work(services, progress)));
}

/** Aborted from now on by the first Ctrl-C; a second one ends the process at once. */
function interrupted(again: string): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new Error(again));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return controller.signal;
}
