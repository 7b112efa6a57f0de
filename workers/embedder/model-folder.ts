import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import * as models from '../../models/vision/embedding-model';

/** The message is for the operator who chose the model. */
export class ModelRefused extends Error {
  constructor(
    readonly model: string,
    readonly reason: string,
    cause?: unknown,
  ) {
    super(`The model ${model} is refused: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'ModelRefused';
  }
}

/** Checked against the schema. @throws ModelRefused naming every fault */
export async function readManifest(folder: string): Promise<models.ModelManifest> {
  const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch((failure: unknown) => {
    throw new ModelRefused(folder, 'there is no manifest.json that can be read', failure);
  });
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (failure) {
    throw new ModelRefused(folder, 'manifest.json is no JSON', failure);
  }
  return checkedManifest(document, folder);
}

/** @throws ModelRefused naming every fault of the manifest of a model in this folder */
export function checkedManifest(document: unknown, folder: string): models.ModelManifest {
  const parsed = manifestSchema.safeParse(document);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => {
    const [inner] = issue.code === 'invalid_key' ? issue.issues : [];
    return `${issue.path.join('.') || 'document'}: ${inner?.message ?? issue.message}`;
  });
  throw new ModelRefused(folder, `manifest.json: ${faults.join('; ')}`);
}

/** @throws ModelRefused naming the first file that is missing or whose SHA-256 is not the one in the manifest */
export async function verifyDigests(folder: string, manifest: models.ModelManifest): Promise<void> {
  for (const [file, expected] of Object.entries(manifest.digests)) {
    const found = await sha256Of(join(folder, file)).catch((failure: unknown) => {
      throw new ModelRefused(folder, `${file} cannot be read`, failure);
    });
    if (found !== expected) throw new ModelRefused(folder, `${file} has SHA-256 ${found}, not ${expected}`);
  }
}

/** pgvector indexes `halfvec` up to this many dimensions. */
const DIMENSIONS_MAX = 4000;
/** Crops are written with a few decimals, so their far edge may exceed 1 by rounding. */
const EDGE_TOLERANCE = 1e-6;

/** ASCII only, so that no two spellings of a name mean the same file, apart from case. */
const insideFolder = z
  .string()
  .regex(
    /^(?!\.\.?(\/|$))[\w.-]+(\/(?!\.\.?(\/|$))[\w.-]+)*$/,
    'must be a path inside the folder of the model',
  );

export const MANIFEST_FILE = 'manifest.json';

const triple = z.tuple([z.number(), z.number(), z.number()]).readonly();

const fraction = z.number().min(0).max(1);

const view = z
  .tuple([fraction, fraction, fraction, fraction])
  .refine(
    ([left, top, width, height]) =>
      width > 0 && height > 0 && left + width <= 1 + EDGE_TOLERANCE && top + height <= 1 + EDGE_TOLERANCE,
    'must be [left, top, width, height] within the picture',
  )
  .readonly();

const views = z.array(view).min(1).max(32).readonly();

const side = z.number().int().min(8).max(2048);

const channel = z.number().min(0).max(255);

const calibration = z.object({
  confidence: z.object({
    kind: z.literal('choice'),
    candidate: z.record(z.enum(models.CANDIDATE_SIGNALS), z.number()),
    none: z.record(z.enum(models.NONE_SIGNALS), z.number()),
    kin: fraction,
  }),
  floor: fraction,
});

/** The form of earlier releases, which judged each row alone; it counts as no calibration. */
const earlierCalibration = z
  .object({ confidence: z.object({ kind: z.literal('logistic') }) })
  .transform(() => null);

const manifestSchema: z.ZodType<models.ModelManifest> = z
  .object({
    id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be lower-case letters, digits, . _ -'),
    version: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/, 'must be a version such as 1.0.0'),
    format: z.enum(models.MODEL_FORMATS),
    file: insideFolder,
    input: z.object({
      name: z.string().nullable().exactOptional(),
      width: side,
      height: side,
      layout: z.enum(['nhwc', 'nchw']),
      channels: z.enum(['rgb', 'bgr']),
      mean: triple,
      scale: triple.refine((scale) => scale.every((factor) => factor !== 0), 'must not be 0'),
      fit: z.enum(['contain', 'cover', 'fill']),
      background: z.tuple([channel, channel, channel]).readonly(),
      kernel: z.enum(models.RESAMPLING_KERNELS).exactOptional(),
    }),
    output: z.object({
      name: z.string().nullable().exactOptional(),
      dimensions: z.number().int().min(1).max(DIMENSIONS_MAX),
    }),
    views: z.object({ catalog: views, query: views }),
    certain: z
      .object({ similarity: fraction, margin: fraction, ratio: fraction.exactOptional() })
      .exactOptional(),
    calibration: z.union([calibration, earlierCalibration]).nullable().default(null),
    licence: z.string().min(1),
    description: z.string().exactOptional(),
    digests: z.record(
      insideFolder,
      z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal'),
    ),
    golden: insideFolder.exactOptional(),
  })
  .refine(({ file, digests }) => Object.hasOwn(digests, file), {
    path: ['digests'],
    error: 'must have an entry for the model file',
  })
  .superRefine(({ digests, golden, certain, views }, { addIssue }) => {
    if (certain && views.query.length === 1)
      addIssue({ code: 'custom', path: ['certain'], message: 'needs a second query view' });
    // No path may equal another, or be a folder of another; some file systems ignore case
    // (contract 14.14).
    const files = new Map([[MANIFEST_FILE, MANIFEST_FILE]]);
    const folders = new Map<string, string>();
    const isOther = golden !== undefined && !Object.hasOwn(digests, golden);
    for (const name of [...Object.keys(digests), ...(isOther ? [golden] : [])]) {
      const place = name.toLowerCase();
      const above = [...place.matchAll(/\//g)].map(({ index }) => place.slice(0, index));
      const taken = [place, ...above].flatMap((each) => files.get(each) ?? [])[0] ?? folders.get(place);
      const path = [isOther && name === golden ? 'golden' : 'digests'];
      if (taken !== undefined)
        addIssue({ code: 'custom', path, message: `${name} takes the place of ${taken}` });
      files.set(place, name);
      for (const folder of above) folders.set(folder, name);
    }
  });

export interface ModelFolder {
  readonly folder: string;
  readonly manifest: models.ModelManifest;
}

const goldenSchema = z.object({
  /** The file of a picture of exactly the size of the input, relative to the manifest. */
  picture: z.string().regex(/^[\w-][\w.-]*$/),
  /** The unit vector that every machine must find for it. */
  embedding: z.array(z.number()).min(1),
  tolerance: z.number().positive(),
});

/** Null when the model has no golden pair. @throws ModelRefused when it can't be read */
export async function readGolden({
  folder,
  manifest,
}: ModelFolder): Promise<z.infer<typeof goldenSchema> | null> {
  if (manifest.golden === undefined) return null;
  try {
    return goldenSchema.parse(JSON.parse(await readFile(join(folder, manifest.golden), 'utf8')));
  } catch (failure) {
    throw new ModelRefused(folder, `its golden pair ${manifest.golden} cannot be read`, failure);
  }
}

/** SHA-256 of a file in lower-case hexadecimal, whatever its size. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
