import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
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
import { printAnswer } from './output';
import { timeOf } from './time-of';
import { wholeNumber } from './whole-number';

interface BuildCommandOptions {
  readonly model: string;
  readonly resume?: boolean;
  readonly retryFailures?: boolean;
  readonly json?: boolean;
}

interface AdaptCommandOptions {
  readonly model?: string;
  readonly photos?: string;
  readonly feedback?: boolean;
  readonly json?: boolean;
}

interface EvaluateCommandOptions {
  readonly model: string;
  readonly queries: number;
  readonly seed: number;
  readonly photos?: string;
  readonly feedback?: boolean;
  readonly recalibrate?: boolean;
  readonly json?: boolean;
}

/** `loupe embeddings …`: another model beside the live one, without downtime (docs/upgrade.md). */
export function registerEmbeddings(embeddings: Command): void {
  registerStatus(embeddings);
  registerBuild(embeddings);
  registerAdapt(embeddings);
  registerEvaluate(embeddings);
  registerRecalibrate(embeddings);
  registerSwitch(embeddings);
  registerPrune(embeddings);
}

function registerStatus(embeddings: Command): void {
  embeddings
    .command('status')
    .description('coverage of the live version, and of those beside it')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const status = await withStores((services) => services.status.status());
      printAnswer(options.json, status, () => describeStatus(status));
    });
}

function registerBuild(embeddings: Command): void {
  embeddings
    .command('build')
    .description('embed all images under a model, beside the live one')
    .requiredOption('--model <model>', 'an installed model, id or id@version')
    .option('--resume', 'go on with a build that was broken off')
    .option('--retry-failures', 'try listed failures once more')
    .option('--json', 'print JSON')
    .action(async ({ model, resume = false, retryFailures = false, json }: BuildCommandOptions) => {
      const options = { model, resume, retryFailures };
      const again = `stopped; loupe embeddings build --model ${model} --resume goes on where it was`;
      const result = await withProgress(process.stderr, (progress) =>
        reindex(({ build }) => build.build(options, progress, interrupted(again))),
      );
      printAnswer(json, result, () => describeBuild(result));
    });
}

function registerAdapt(embeddings: Command): void {
  embeddings
    .command('adapt')
    .description(
      'fit a version to this catalog, from products that have several pictures; embeds nothing again',
    )
    .option('--model <model>', 'another version than the live one, id or id@version')
    .option('--photos <folder>', 'labelled photos count as pictures too, as for evaluate')
    .option('--feedback', 'photos of callers that are kept with their feedback count too')
    .option('--json', 'print JSON')
    .action(async ({ model, photos, feedback = false, json }: AdaptCommandOptions) => {
      const options = { model: model ?? null, photos: photos ? resolve(photos) : null, feedback };
      const again = 'stopped; the same command goes on where it was';
      const result = await withProgress(process.stderr, (progress) =>
        reindex(({ adapt }) => adapt.adapt(options, progress, interrupted(again))),
      );
      printAnswer(json, result, () => describeAdapted(result));
    });
}

function registerEvaluate(embeddings: Command): void {
  embeddings
    .command('evaluate')
    .description('judge a version against the live one, on distorted catalog pictures or labelled photos')
    .requiredOption('--model <model>', 'id or id@version')
    .option('--queries <queries>', 'catalog pictures to make queries of, or photos at most', wholeNumber, 200)
    .option('--seed <seed>', 'another one draws other pictures', wholeNumber, 1)
    .option('--photos <folder>', 'labelled photos: labels.jsonl, or a subfolder per product id')
    .addOption(
      new Option('--feedback', 'photos of callers that are kept with their feedback').conflicts('photos'),
    )
    .option('--recalibrate', 'fit a calibration although the version has one')
    .option('--json', 'print JSON')
    .action(async ({ json, photos: folder, ...given }: EvaluateCommandOptions) => {
      const { model, queries, seed, recalibrate = false, feedback = false } = given;
      const photos = folder ? resolve(folder) : null;
      const options = { model, queries, seed, recalibrate, photos, feedback };
      const evaluation = await withProgress(process.stderr, (progress) =>
        reindex((services) => services.evaluation.evaluate(options, progress)),
      );
      printAnswer(json, evaluation, () => describeEvaluation(evaluation));
    });
}

function registerRecalibrate(embeddings: Command): void {
  embeddings
    .command('recalibrate')
    .description('fit the confidence of the live version anew, on what callers said of its answers')
    .option(
      '--since <time>',
      'answers from this day or time on (ISO 8601, UTC unless it says otherwise)',
      timeOf,
    )
    .option('--force', 'although something speaks against it; says what')
    .option('--json', 'print JSON')
    .action(async ({ since, force = false, json }: { since?: Date; force?: boolean; json?: boolean }) => {
      const done = await withStores(({ recalibration }) => recalibration.recalibrate(since ?? null, force));
      printAnswer(json, done, () => describeRecalibration(done));
    });
}

function registerSwitch(embeddings: Command): void {
  embeddings
    .command('promote')
    .description('make a version the live one, for all processes, between two photos')
    .requiredOption('--model <model>', 'id or id@version')
    .option('--force', 'although something speaks against it; says what')
    .option('--json', 'print JSON')
    .action(async ({ model, force = false, json }: { model: string; force?: boolean; json?: boolean }) => {
      const switched = await reindex(({ promotion }) => promotion.promote(model, force));
      printAnswer(json, switched, () => describeSwitch(switched));
    });
  embeddings
    .command('rollback')
    .description('undo the last promotion, or what was calibrated since, at once')
    .option('--force', 'although images or models are missing; says which')
    .option('--json', 'print JSON')
    .action(async ({ force = false, json }: { force?: boolean; json?: boolean }) => {
      const switched = await reindex(({ promotion }) => promotion.rollback(force));
      printAnswer(json, switched, () => describeSwitch(switched));
    });
}

function registerPrune(embeddings: Command): void {
  embeddings
    .command('prune')
    .description('drop the vectors of retired versions, all but those of the last one')
    .option('--all', 'also of the version that a rollback would go back to')
    .option('--building', 'also what was built or begun and never promoted')
    .option('--json', 'print JSON')
    .action(
      async ({
        all = false,
        building = false,
        json,
      }: {
        all?: boolean;
        building?: boolean;
        json?: boolean;
      }) => {
        const pruned = await reindex(({ promotion }) => promotion.prune({ all, building }));
        printAnswer(json, pruned, () => describePruned(pruned));
      },
    );
}

/** A change of the model comes after everything else on the machine. */
function reindex<Result>(work: (services: JobServices) => Promise<Result>): Promise<Result> {
  setPriority(constants.priority.PRIORITY_LOW);
  return withJobs(work);
}

/** Aborted by the first Ctrl-C; a second one ends the process at once. */
function interrupted(again: string): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new Error(again));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return controller.signal;
}
