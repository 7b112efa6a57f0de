import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ModelRefused } from './manifest';
import type { ModelFolder } from './model-files';

/** A picture of exactly the size of the input, and the unit vector that every machine must find for it. */
export interface GoldenPair {
  readonly picture: Buffer;
  readonly embedding: readonly number[];
  /** How far one value may be off. */
  readonly tolerance: number;
}

const goldenSchema = z.object({
  picture: z.string().regex(/^[\w-][\w.-]*$/),
  embedding: z.array(z.number()).min(1),
  tolerance: z.number().positive(),
});

/**
 * The golden pair that the maker of a model put beside it; null when there is none.
 *
 * @throws ModelRefused when it is named and can't be read
 */
export async function readGolden(model: ModelFolder): Promise<GoldenPair | null> {
  const written = await writtenPair(model);
  if (written === null) return null;
  const { picture, ...rest } = written;
  try {
    return { ...rest, picture: await readFile(join(model.folder, picture)) };
  } catch (failure) {
    throw new ModelRefused(model.folder, `its golden picture ${picture} can not be read`, failure);
  }
}

/**
 * The file of the golden picture, relative to the manifest; null when there is no golden pair.
 *
 * @throws ModelRefused when the pair is named and can't be read
 */
export const goldenPictureOf = async (model: ModelFolder): Promise<string | null> =>
  (await writtenPair(model))?.picture ?? null;

async function writtenPair({ folder, manifest }: ModelFolder): Promise<z.infer<typeof goldenSchema> | null> {
  if (manifest.golden === undefined) return null;
  try {
    return goldenSchema.parse(JSON.parse(await readFile(join(folder, manifest.golden), 'utf8')));
  } catch (failure) {
    throw new ModelRefused(folder, `its golden pair ${manifest.golden} can not be read`, failure);
  }
}

/** @throws ModelRefused when the vector found here is not the one that the maker of the model found */
export function compareWithGolden(folder: string, golden: GoldenPair, found: Float32Array): void {
  if (golden.embedding.length !== found.length) {
    throw new ModelRefused(
      folder,
      `its golden vector has ${golden.embedding.length} values, not ${found.length}`,
    );
  }
  const worst = Math.max(
    ...golden.embedding.map((value, index) => Math.abs(value - (found[index] ?? Number.NaN))),
  );
  if (worst <= golden.tolerance) return;
  throw new ModelRefused(folder, `it does not give its golden vector here: off by ${worst.toPrecision(2)}`);
}
