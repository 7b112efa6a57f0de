import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { DURABLE_FILES } from '../../db/files/durable-files';
import { RESAMPLING_KERNELS, type ResamplingKernel } from '../../models/vision/embedding-model';
import { PIXEL_VALUES, VIEWS, writeManifest } from '../../workers/library/write-manifest';
import { printAnswer } from './output';
import { wholeNumber } from './whole-number';

interface ManifestOptions {
  readonly id: string;
  readonly version: string;
  readonly licence: string;
  readonly dimensions: number;
  readonly size: number;
  readonly values: string;
  readonly views: (typeof VIEWS)[number];
  readonly fit: 'contain' | 'cover' | 'fill';
  readonly kernel: ResamplingKernel;
  readonly layout?: 'nhwc' | 'nchw';
  readonly input?: string;
  readonly output?: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

/** `loupe models manifest`: a manifest for weights that somebody else published, with their digests. */
export function registerManifest(models: Command): void {
  models
    .command('manifest')
    .description('write the manifest.json that `models add` needs, beside a model file')
    .argument('<file>', 'an .onnx file, the model.json of a TensorFlow.js model, or a saved_model.pb')
    .requiredOption('--id <id>', 'name of the model')
    .option('--version <version>', 'its version', '1.0.0')
    .requiredOption('--licence <text>', 'under which licence it is used')
    .requiredOption('--dimensions <n>', 'values of an embedding', wholeNumber)
    .option('--size <pixels>', 'side of the square input', wholeNumber, 224)
    .addOption(
      new Option('--values <range>', 'how the network wants its pixels')
        .choices(Object.keys(PIXEL_VALUES))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--layout <layout>', 'nchw for onnx, else nhwc').choices(['nchw', 'nhwc']))
    .addOption(
      new Option('--fit <how>', 'how a picture is fitted into the input')
        .choices(['contain', 'cover', 'fill'])
        .default('contain'),
    )
    .addOption(
      new Option('--kernel <name>', "how it is resampled: as in the network's training")
        .choices(RESAMPLING_KERNELS)
        .default('lanczos3'),
    )
    .addOption(
      new Option('--views <which>', 'the whole picture, or crops of it as well')
        .choices(VIEWS)
        .default('whole'),
    )
    .option('--input <name>', 'the input, where there are several')
    .option('--output <name>', 'the output, where there are several')
    .option('--replace', 'write over a manifest.json that is there')
    .option('--json', 'print JSON')
    .action(async (file: string, options: ManifestOptions) => {
      const { layout = null, input = null, output = null, replace = false, ...rest } = options;
      const wishes = { ...rest, layout, input, output, replace };
      const manifest = await writeManifest(resolve(file), wishes, DURABLE_FILES);
      printAnswer(options.json, { manifest }, () => `${manifest} is written.`);
    });
}
