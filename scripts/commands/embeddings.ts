import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type EmbeddingRepository, PORTS } from '../../models/ports';
import { withProgress } from '../catalog/import/import-progress';
import { withStore } from '../container';
import { describeEvaluation } from '../evaluation/describe-evaluation';
import { evaluate } from '../evaluation/evaluate';
import { build, describeBuild } from '../reindex/build';
import { TerminalBuildProgress } from '../reindex/build-progress';
import { describeStatus, embeddingsStatus } from '../reindex/status';
import { type Pruned, promote, prune, rollback, type Switched } from '../reindex/switch';
import { withReindex } from '../reindex/with-reindex';
import { printAnswer } from './output';
import { wholeNumber } from './whole-number';

interface BuildCommandOptions {
  readonly model: string;
  readonly resume?: boolean;
  readonly retryFailures?: boolean;
  readonly json?: boolean;
}

interface EvaluateCommandOptions {
  readonly model: string;
  readonly queries: number;
  readonly seed: number;
  readonly photos?: string;
  readonly recalibrate?: boolean;
  readonly json?: boolean;
}

/** `loupe embeddings …`: another model beside the live one, without downtime (docs/reindex.md). */
export function registerEmbeddings(embeddings: Command): void {
  registerStatus(embeddings);
  registerBuild(embeddings);
  registerEvaluate(embeddings);
  registerSwitch(embeddings);
  registerPrune(embeddings);
}

function registerStatus(embeddings: Command): void {
  embeddings
    .command('status')
    .description('coverage of the live version, and of those beside it')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const status = await withStore((container) =>
        embeddingsStatus(container.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository)),
      );
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
      const progress = new TerminalBuildProgress(process.stderr);
      const result = await withReindex((reindex) =>
        build(reindex, { model, resume, retryFailures }, progress, interrupted(model)),
      );
      printAnswer(json, result, () => describeBuild(result));
    });
}

function registerEvaluate(embeddings: Command): void {
  embeddings
    .command('evaluate')
    .description('judge a version against the live one, on distorted catalog pictures or labelled photos')
    .requiredOption('--model <model>', 'id or id@version')
    .option('--queries <queries>', 'catalog pictures to make queries of, or photos at most', wholeNumber, 200)
    .option('--seed <seed>', 'another one draws other pictures', wholeNumber, 1)
    .option('--photos <folder>', 'labelled photos: labels.jsonl or labels.csv, or a subfolder per product id')
    .option('--recalibrate', 'fit a calibration although the version has one')
    .option('--json', 'print JSON')
    .action(async ({ model, queries, seed, photos, recalibrate = false, json }: EvaluateCommandOptions) => {
      const options = { model, queries, seed, recalibrate, photos: photos ? resolve(photos) : null };
      const evaluation = await withProgress(process.stderr, (progress) =>
        withReindex((reindex) => evaluate(reindex, options, progress)),
      );
      printAnswer(json, evaluation, () => describeEvaluation(evaluation));
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
      const switched = await withReindex((reindex) => promote(reindex, model, force));
      printAnswer(json, switched, () => describeSwitch(switched));
    });
  embeddings
    .command('rollback')
    .description('go back to the version that was live before, at once')
    .option('--force', 'although images or models are missing; says which')
    .option('--json', 'print JSON')
    .action(async ({ force = false, json }: { force?: boolean; json?: boolean }) => {
      const switched = await withReindex((reindex) => rollback(reindex, force));
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
        const pruned = await withReindex((reindex) => prune(reindex, { all, building }));
        printAnswer(json, pruned, () => describePruned(pruned));
      },
    );
}

/** Told by what is on stderr, so that `--json` stays one document. */
function describeSwitch({ model, version, previous, overruled }: Switched): string {
  const lines = overruled.map((fault) => `overruled: ${fault}`);
  if (previous === null) return [...lines, `${model} (version ${version}) is live already`].join('\n');
  return [
    ...lines,
    `${model} (version ${version}) is live; loupe embeddings rollback goes back to ${previous}`,
  ].join('\n');
}

function describePruned({ pruned, kept }: Pruned): string {
  const lines = pruned.map((name) => `dropped ${name}`);
  if (pruned.length === 0) lines.push('nothing to drop');
  return [...lines, ...kept.map((name) => `kept ${name}`)].join('\n');
}

/** Aborted by the first Ctrl-C; a second one ends the process at once. */
function interrupted(model: string): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort(
      new Error(`stopped; loupe embeddings build --model ${model} --resume goes on where it was`),
    );
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return controller.signal;
}
