import { ModelRefused } from '../embedder/model-folder';

/** Where a model comes from: a folder, or addresses. */
export interface ModelSource {
  /** What `--sha256` is of: the file that the operator named. */
  readonly named: 'manifest' | 'archive';
  /**
   * Brings one file of the model.
   *
   * @param name its path inside the model, as the manifest names it
   * @param target where to put it; its folder exists, and no file is written over
   * @param digest SHA-256 that it must have, null when the manifest gives none
   * @param bytesMax the largest file that is taken
   * @throws ModelRefused when there is no such file, or it is too large
   */
  bring(name: string, target: string, digest: string | null, bytesMax: number): Promise<void>;
  /** Lets go of what was brought on the way, and keeps it for the next try. */
  keep(): void;
  /** Removes what was brought on the way. */
  discard(): Promise<void>;
}

/** The refusal of a file that would pass the limit for all files of a model. */
export const tooLarge = (place: string, file: string, bytesMax: number): ModelRefused =>
  new ModelRefused(place, `${file} is larger than the ${bytesMax} bytes that are still allowed (--max-mib)`);
