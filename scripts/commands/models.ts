import { type Command, InvalidArgumentError } from 'commander';
import { DURABLE_FILES } from '../../db/files/durable-files';
import type { InstalledModel } from '../../models/ports';
import { modelReference } from '../../models/vision/embedding-model';
import { addModel } from '../../workers/library/add-model';
import { FolderModelLibrary } from '../../workers/library/model-library';
import { trialInference } from '../composition/inference';
import { withStores } from '../composition/services';
import { withProgress } from '../composition/terminal-progress';
import { readConfig } from '../config';
import { registerManifest } from './models-manifest';
import { asTable, printAnswer } from './output';
import { wholeNumber } from './whole-number';

/** `loupe models`: the embedding models that can be used here, and how others get in (docs/models.md). */
export function registerModels(models: Command): void {
  models
    .command('list')
    .description('the bundled model and those that were added')
    .option('--json', 'print JSON')
    .action(listModels);
  models
    .command('add')
    .description('install an embedding model: checked, tried, then installed in one step')
    .argument('<dir or url>', 'folder, archive, or address of a manifest.json or an archive')
    .option('--sha256 <hex>', 'what the manifest (or the archive) named must have', sha256)
    .option('--max-mib <n>', 'largest model that is taken, in MiB', wholeNumber, 2048)
    .option('--json', 'print JSON')
    .action(addOne);
  registerManifest(models);
}

interface ListOptions {
  readonly json?: boolean;
}

async function listModels(options: ListOptions): Promise<void> {
  const { models, broken } = await new FolderModelLibrary(readConfig().DATA_DIR).all();
  const listed = models.map(presented);
  const faulty = broken.map(({ name, reason }) => ({ model: name, fault: reason }));
  printAnswer(options.json, [...listed, ...faulty], () =>
    asTable(
      ['model', 'format', 'dimensions', 'calibrated', 'licence', ''],
      [
        ...listed.map((each) => [
          each.model,
          each.format,
          each.dimensions,
          each.calibrated ? 'yes' : 'no',
          each.licence,
          each.bundled ? 'bundled' : '',
        ]),
        ...faulty.map((each) => [each.model, null, null, null, null, `can not be used: ${each.fault}`]),
      ],
    ),
  );
}

/** Enough for the largest model on a slow line; a longer download goes on by the next command. */
const DOWNLOAD_TIMEOUT_MS = 6 * 60 * 60 * 1000;

interface AddOptions extends ListOptions {
  readonly sha256?: string;
  readonly maxMib: number;
}

async function addOne(place: string, options: AddOptions): Promise<void> {
  const config = readConfig();
  const { model, isNew } = await withProgress(process.stderr, (progress) =>
    addModel(place, {
      dataDir: config.DATA_DIR,
      sha256: options.sha256 ?? null,
      bytesMax: options.maxMib * 2 ** 20,
      downloadTimeoutMs: DOWNLOAD_TIMEOUT_MS,
      inference: trialInference(config),
      files: DURABLE_FILES,
      progress,
    }),
  );
  const subject = modelReference(model.manifest);
  if (isNew) await withStores(({ audited }) => audited.note('models add', { subject }));
  const answer = { ...presented(model), added: isNew };
  printAnswer(options.json, answer, () =>
    [
      `${answer.model} (${answer.format}, ${answer.dimensions} dimensions) is ${isNew ? 'installed' : 'installed already'}.`,
      `Next: loupe embeddings build --model ${answer.model}`,
    ].join('\n'),
  );
}

const presented = ({ manifest, bundled }: InstalledModel) => ({
  model: modelReference(manifest),
  format: manifest.format,
  dimensions: manifest.output.dimensions,
  licence: manifest.licence,
  calibrated: manifest.calibration !== null,
  bundled,
});

function sha256(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be 64 hexadecimal digits.');
}
