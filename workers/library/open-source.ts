import { constants, copyFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MANIFEST_FILE, ModelRefused } from '../embedder/model-folder';
import { type DownloadOptions, download, tooLarge } from './download';

/**
 * Brings one file of a model.
 *
 * @param name its path inside the model, as the manifest names it
 * @param target where to put it; its folder exists, and no file is written over
 * @param bytesMax the largest file that is taken
 * @throws ModelRefused when there is no such file, or it is too large
 */
export type ModelSource = (name: string, target: string, bytesMax: number) => Promise<void>;

/**
 * What an operator named as the place of a model: a folder, the address of a `manifest.json`, or the address of the folder
 * (ending with `/`) that holds one. Files are fetched from beside the manifest.
 *
 * @throws ModelRefused when there is nothing of the kind
 */
export async function openSource(
  place: string,
  options: Omit<DownloadOptions, 'bytesMax'>,
): Promise<ModelSource> {
  if (isAddress(place)) return atAddress(addressOf(place), options);
  const path = resolve(place);
  if ((await stat(path).catch(() => null))?.isDirectory()) return inFolder(path);
  throw new ModelRefused(place, 'it is neither a folder nor an address');
}

/** Whether a place is meant as an address, whatever its scheme. */
export const isAddress = (place: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(place);

const inFolder =
  (folder: string): ModelSource =>
  async (name, target, bytesMax) => {
    const found = await stat(join(folder, name)).catch(() => null);
    if (!found?.isFile()) throw new ModelRefused(folder, `there is no file ${name}`);
    if (found.size > bytesMax) throw tooLarge(folder, name, bytesMax);
    await copyFile(join(folder, name), target, constants.COPYFILE_EXCL);
  };

function atAddress(url: URL, options: Omit<DownloadOptions, 'bytesMax'>): ModelSource {
  const manifest = url.pathname.endsWith('/') ? new URL(MANIFEST_FILE, url) : url;
  return (name, target, bytesMax) => {
    const address = name === MANIFEST_FILE ? manifest : new URL(name, manifest);
    return download(address, target, { ...options, bytesMax });
  };
}

function addressOf(place: string): URL {
  const url = URL.canParse(place) ? new URL(place) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ModelRefused(place, 'an address must begin with http:// or https://');
  if (url.username === '' && url.password === '') return url;
  const shown = `${url.origin}${url.pathname}`;
  throw new ModelRefused(shown, 'an address with a name or password in it is not taken');
}
