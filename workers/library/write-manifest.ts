import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import type { DurableFiles } from '../../models/ports';
import type { ModelFormat, ModelManifest, ResamplingKernel } from '../../models/vision/embedding-model';
import { checkedManifest, MANIFEST_FILE, ModelRefused, sha256Of } from '../embedder/model-folder';
import { bundledModel } from './model-library';

type Triple = readonly [number, number, number];

/** How published networks want their pixels: `(pixel - mean) * scale`, by the name under which each is known. */
export const PIXEL_VALUES: Readonly<Record<string, { readonly mean: Triple; readonly scale: Triple }>> = {
  '0..255': scaled([0, 0, 0], [1, 1, 1]),
  '0..1': scaled([0, 0, 0], [255, 255, 255]),
  '-1..1': scaled([127.5, 127.5, 127.5], [127.5, 127.5, 127.5]),
  imagenet: scaled([123.675, 116.28, 103.53], [58.395, 57.12, 57.375]),
  clip: scaled([122.7709383, 116.7460125, 104.09373615], [68.5005327, 66.6321375, 70.32316305]),
};

/** Views by name: the whole picture, or the crops of the bundled model, which find small things better. */
export const VIEWS = ['whole', 'crops'] as const;

/** What only the operator knows of a model; the rest is read from its files. */
export interface ManifestOptions {
  readonly id: string;
  readonly version: string;
  readonly licence: string;
  readonly dimensions: number;
  readonly size: number;
  readonly values: string;
  readonly views: (typeof VIEWS)[number];
  readonly fit: ModelManifest['input']['fit'];
  readonly layout: ModelManifest['input']['layout'] | null;
  readonly kernel: ResamplingKernel;
  readonly input: string | null;
  readonly output: string | null;
  /** Whether an existing manifest is overwritten. */
  readonly replace: boolean;
}

/** Returns its path. @throws ModelRefused for an unknown format or a manifest that would not be valid; nothing is written then */
export async function writeManifest(
  file: string,
  options: ManifestOptions,
  files: DurableFiles,
): Promise<string> {
  const folder = dirname(file);
  const format = await formatOf(file);
  const { id, version, licence, size, fit, kernel, layout } = options;
  const document = {
    ...{ id, version, licence, format, file: basename(file), calibration: null },
    input: {
      ...{ name: options.input, width: size, height: size, fit, kernel, channels: 'rgb' },
      ...PIXEL_VALUES[options.values],
      layout: layout ?? (format === 'onnx' ? 'nchw' : 'nhwc'),
      background: [255, 255, 255],
    },
    output: { name: options.output, dimensions: options.dimensions },
    views: options.views === 'crops' ? (await bundledModel()).manifest.views : WHOLE,
    digests: await digestsOf(folder, await filesOf(file, format)),
  };
  const text = `${JSON.stringify(checkedManifest(document, folder), null, 2)}\n`;
  const path = join(folder, MANIFEST_FILE);
  const written = options.replace ? files.write(path, text).then(() => true) : files.create(path, text);
  const isWritten = await written.catch((failure: unknown) => {
    throw new ModelRefused(file, `${path} cannot be written`, failure);
  });
  if (isWritten) return path;
  throw new ModelRefused(file, `${path} is there already; --replace writes over it`);
}

const WHOLE: ModelManifest['views'] = { catalog: [[0, 0, 1, 1]], query: [[0, 0, 1, 1]] };

function scaled(mean: Triple, deviation: Triple): { mean: Triple; scale: Triple } {
  const [red, green, blue] = deviation;
  return { mean, scale: [1 / red, 1 / green, 1 / blue] };
}

const tfjsModel = z.object({
  format: z.enum(['layers-model', 'graph-model']),
  weightsManifest: z.array(z.object({ paths: z.array(z.string()) })),
});

async function formatOf(file: string): Promise<ModelFormat> {
  if (!(await stat(file).catch(() => null))?.isFile()) throw new ModelRefused(file, 'there is no such file');
  if (file.endsWith('.onnx')) return 'onnx';
  if (basename(file) === 'saved_model.pb') return 'tf-saved-model';
  return (await readTfjs(file)).format === 'layers-model' ? 'tfjs-layers' : 'tfjs-graph';
}

async function readTfjs(file: string): Promise<z.infer<typeof tfjsModel>> {
  try {
    return tfjsModel.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (failure) {
    const known = 'an .onnx file, nor a saved_model.pb, nor the model.json of a TensorFlow.js model';
    throw new ModelRefused(file, `it is neither ${known}`, failure);
  }
}

async function filesOf(file: string, format: ModelFormat): Promise<string[]> {
  const name = basename(file);
  const beside = await readdir(dirname(file), { recursive: true, withFileTypes: true });
  const names = beside
    .filter((each) => each.isFile())
    .map((each) => relative(dirname(file), join(each.parentPath, each.name)));
  switch (format) {
    case 'onnx':
      return [name, ...names.filter((each) => [`${name}_data`, `${name}.data`].includes(each))];
    case 'tf-saved-model':
      return [name, ...names.filter((each) => /^(variables|assets)\//.test(each))];
    case 'tfjs-layers':
    case 'tfjs-graph':
      return [name, ...(await readTfjs(file)).weightsManifest.flatMap(({ paths }) => paths)];
  }
}

async function digestsOf(folder: string, files: readonly string[]): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const file of files) {
    digests[file] = await sha256Of(join(folder, file)).catch((failure: unknown) => {
      throw new ModelRefused(folder, `${file} cannot be read`, failure);
    });
  }
  return digests;
}
