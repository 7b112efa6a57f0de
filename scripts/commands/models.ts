import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { DURABLE_FILES } from '../../db/files/durable-files';
import type { InstalledModel } from '../../models/ports';
import { modelReference, RESAMPLING_KERNELS } from '../../models/vision/embedding-model';
import { addModel } from '../../workers/library/add-model';
import { FolderModelLibrary } from '../../workers/library/model-library';
import { PIXEL_VALUES, VIEWS, writeManifest } from '../../workers/library/write-manifest';
import { createLogger } from '../composition/log';
import { withStores } from '../composition/services';
import { withProgress } from '../composition/terminal-progress';
import { readConfig } from '../config';
import { asTable, printAnswer, subcommand, wholeNumber } from './terminal';

/** Enough for the largest model on a slow line. */
const DOWNLOAD_TIMEOUT_MS = 6 * 60 * 60 * 1000;

/** A large network on a small machine takes seconds for a picture. */
const TRIAL_TIMEOUT_MS = 120_000;

/** `loupe models …`: lists and installs embedding models (docs/models.md). */
export function register(models: Command): void {
  subcommand(models, 'list', 'the bundled models and those that were added').action(async ({ json }) => {
    const { models: installed, broken } = await new FolderModelLibrary(readConfig().DATA_DIR).all();
    const listed = installed.map(presented);
    const faulty = broken.map(({ name, reason }) => ({ model: name, fault: reason }));
    const calibrated = (each: (typeof listed)[number]) => (each.calibrated ? 'yes' : 'no');
    printAnswer(json, [...listed, ...faulty], () =>
      asTable(
        ['model', 'format', 'dimensions', 'calibrated', 'licence', ''],
        [
          ...listed.map((each) => [
            ...[each.model, each.format, each.dimensions, calibrated(each), each.licence],
            each.bundled ? 'bundled' : '',
          ]),
          ...faulty.map((each) => [each.model, null, null, null, null, `cannot be used: ${each.fault}`]),
        ],
      ),
    );
  });
  subcommand(models, 'add', 'check, try and install an embedding model')
    .argument('<dir or url>', 'folder, archive, or address of a manifest.json or an archive')
    .option('--sha256 <hex>', 'expected digest of the manifest or archive', sha256Of)
    .option('--max-mib <n>', 'maximum size of the model, in MiB', wholeNumber, 2048)
    .action(async (place, { sha256 = null, maxMib, json }) => {
      const { model, isNew } = await added(place, sha256, maxMib);
      if (isNew) {
        const subject = modelReference(model.manifest);
        await withStores(({ audited }) => audited.note('models add', { subject }));
      }
      const answer = { ...presented(model), added: isNew };
      printAnswer(json, answer, () =>
        [
          `${answer.model} (${answer.format}, ${answer.dimensions} dimensions) is ${isNew ? 'installed' : 'installed already'}.`,
          `Next: loupe embeddings build --model ${answer.model}`,
        ].join('\n'),
      );
    });
  registerManifest(models);
}

function added(place: string, sha256: string | null, maxMib: number): ReturnType<typeof addModel> {
  const config = readConfig();
  return withProgress(process.stderr, (progress) =>
    addModel(place, {
      dataDir: config.DATA_DIR,
      sha256,
      bytesMax: maxMib * 2 ** 20,
      downloadTimeoutMs: DOWNLOAD_TIMEOUT_MS,
      // On one engine, as the service would run it.
      inference: {
        ...{ threads: 1, backend: config.INFERENCE_BACKEND, batchTimeoutMs: TRIAL_TIMEOUT_MS },
        logger: createLogger({ ...config, LOG_LEVEL: 'warn' }),
      },
      files: DURABLE_FILES,
      progress,
    }),
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

function sha256Of(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be 64 hexadecimal digits.');
}

function registerManifest(models: Command): void {
  subcommand(models, 'manifest', 'write the manifest.json that `models add` needs, beside a model file')
    .argument('<file>', 'an .onnx file, the model.json of a TensorFlow.js model, or a saved_model.pb')
    .requiredOption('--id <id>', 'name of the model')
    .option('--version <version>', 'its version', '1.0.0')
    .requiredOption('--licence <text>', 'licence of the weights')
    .requiredOption('--dimensions <n>', 'values of an embedding', wholeNumber)
    .option('--size <pixels>', 'side of the square input', wholeNumber, 224)
    .addOption(
      new Option('--values <range>', 'range of the pixel values that the network expects')
        .choices(Object.keys(PIXEL_VALUES))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--layout <layout>', 'nchw for onnx, else nhwc').choices(['nchw', 'nhwc'] as const))
    .addOption(
      new Option('--fit <how>', 'how a picture is fitted into the input')
        .choices(['contain', 'cover', 'fill'] as const)
        .default('contain' as const),
    )
    .addOption(
      new Option('--kernel <name>', "how a picture is resampled: as in the network's training")
        .choices(RESAMPLING_KERNELS)
        .default('lanczos3' as const),
    )
    .addOption(
      new Option('--views <which>', 'the whole picture, or crops of it as well')
        .choices(VIEWS)
        .default('whole' as const),
    )
    .option('--input <name>', 'the input to use, if there are several')
    .option('--output <name>', 'the output to use, if there are several')
    .option('--replace', 'overwrite an existing manifest.json')
    .action(async (file, { json, layout = null, input = null, output = null, replace = false, ...rest }) => {
      const wishes = { ...rest, layout, input, output, replace };
      const manifest = await writeManifest(resolve(file), wishes, DURABLE_FILES);
      printAnswer(json, { manifest }, () => `${manifest} is written.`);
    });
}
