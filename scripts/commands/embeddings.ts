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
import { FROM_TIME, timeOf, wholeNumber } from './option-values';
import { answering, printAnswer } from './output';

/** `loupe embeddings …`: another model beside the live one, without downtime (docs/upgrade.md). */
export function register(embeddings: Command): void {
  answering(embeddings, 'status', 'coverage of the live version, and of those beside it').action(
    async ({ json }) => printAnswer(json, await withStores(({ status }) => status.status()), describeStatus),
  );
  answering(embeddings, 'build', 'embed all images under a model, beside the live one')
    .requiredOption('--model <model>', 'an installed model, id or id@version')
    .option('--resume', 'go on with a build that was broken off')
    .option('--retry-failures', 'try listed failures once more')
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
  answering(embeddings, 'adapt', adapted)
    .option('--model <model>', 'another version than the live one, id or id@version')
    .option('--photos <folder>', 'labelled photos count as pictures too, as for evaluate')
    .option('--feedback', 'photos of callers that are kept with their feedback count too')
    .action(async ({ model = null, photos: folder, feedback = false, json }) => {
      const photos = folder ? resolve(folder) : null;
      const again = 'stopped; the same command goes on where it was';
      const made = await reindex(({ adapt }, progress) =>
        adapt.adapt({ model, photos, feedback }, progress, interrupted(again)),
      );
      printAnswer(json, made, describeAdapted);
    });
  const judged = 'judge a version against the live one, on distorted catalog pictures or labelled photos';
  answering(embeddings, 'evaluate', judged)
    .requiredOption('--model <model>', 'id or id@version')
    .option('--queries <queries>', 'catalog pictures to make queries of, or photos at most', wholeNumber, 200)
    .option('--seed <seed>', 'another one draws other pictures', wholeNumber, 1)
    .option('--photos <folder>', 'labelled photos: labels.jsonl, or a subfolder per product id')
    .addOption(
      new Option('--feedback', 'photos of callers that are kept with their feedback').conflicts('photos'),
    )
    .option('--recalibrate', 'fit a calibration although the version has one')
    .action(async ({ photos: folder, recalibrate = false, feedback = false, json, ...given }) => {
      const photos = folder ? resolve(folder) : null;
      const options = { ...given, recalibrate, photos, feedback: Boolean(feedback) };
      const done = await reindex(({ evaluation }, progress) => evaluation.evaluate(options, progress));
      printAnswer(json, done, describeEvaluation);
    });
  const refitted = 'fit the confidence of the live version anew, on what callers said of its answers';
  answering(embeddings, 'recalibrate', refitted)
    .option('--since <time>', `answers ${FROM_TIME}`, timeOf)
    .option('--force', 'although something speaks against it; says what')
    .action(async ({ since = null, force = false, json }) => {
      const done = await withStores(({ recalibration }) => recalibration.recalibrate(since, force));
      printAnswer(json, done, describeRecalibration);
    });
}

function registerSwitches(embeddings: Command): void {
  answering(embeddings, 'promote', 'make a version the live one, for all processes, between two photos')
    .requiredOption('--model <model>', 'id or id@version')
    .option('--force', 'although something speaks against it; says what')
    .action(async ({ model, force = false, json }) => {
      printAnswer(json, await reindex(({ promotion }) => promotion.promote(model, force)), describeSwitch);
    });
  answering(embeddings, 'rollback', 'undo the last promotion, or what was calibrated since, at once')
    .option('--force', 'although images or models are missing; says which')
    .action(async ({ force = false, json }) => {
      printAnswer(json, await reindex(({ promotion }) => promotion.rollback(force)), describeSwitch);
    });
  answering(embeddings, 'prune', 'drop the vectors of retired versions, all but those of the last one')
    .option('--all', 'also of the version that a rollback would go back to')
    .option('--building', 'also what was built or begun and never promoted')
    .action(async ({ all = false, building = false, json }) => {
      printAnswer(json, await reindex(({ promotion }) => promotion.prune({ all, building })), describePruned);
    });
}

/** A change of the model comes after everything else on the machine. */
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
