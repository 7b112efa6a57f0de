import pMap from 'p-map';
import type { ImageStore, Progress } from '../../models/ports';
import { addressParts, IMAGES_AT_ONCE, isContentOf } from './image-address';

export interface MovedImages {
  /** Copied now, and read back. */
  readonly copied: number;
  readonly bytes: number;
  /** There from an earlier run. */
  readonly present: number;
  /** Addresses of files that are not what their names say; they were not copied. */
  readonly damaged: readonly string[];
}

/** Runs beside the service (contract 13.13) and removes nothing. Copies are whole, so a next run continues. @throws what a store throws */
export async function moveImages(from: ImageStore, to: ImageStore, progress: Progress): Promise<MovedImages> {
  let [copied, bytes, present] = [0, 0, 0];
  const damaged: string[] = [];
  const isPresent = () => {
    present += 1;
  };
  const copy = async (address: string) => {
    const content = await from.get(address);
    // Housekeeping removed it meanwhile.
    if (content === null) return;
    if (await copyWhole(address, content, to)) {
      copied += 1;
      bytes += content.length;
    } else damaged.push(address);
    progress.reach(present + copied + damaged.length, damaged.length);
  };
  progress.begin('images', await countOf(from));
  await pMap(missingIn(to, from.addresses(), isPresent), copy, IMAGES_AT_ONCE);
  progress.end();
  return { copied, bytes, present, damaged: damaged.sort() };
}

/** Copies an image and compares the copy with the hash in its address; on a mismatch removes it and returns false. */
async function copyWhole(address: string, content: Buffer, to: ImageStore): Promise<boolean> {
  const parts = addressParts(address);
  if (parts === null || !isContentOf(address, content)) return false;
  await to.put(content, parts.extension);
  const back = await to.get(address);
  if (back !== null && isContentOf(address, back)) return true;
  await to.remove(address);
  return false;
}

async function* missingIn(
  store: ImageStore,
  addresses: AsyncIterable<string>,
  isPresent: () => void,
): AsyncGenerator<string> {
  const there = store.addresses()[Symbol.asyncIterator]();
  let next = await there.next();
  for await (const address of addresses) {
    while (!next.done && next.value < address) next = await there.next();
    if (!next.done && next.value === address) isPresent();
    else yield address;
  }
}

async function countOf(store: ImageStore): Promise<number> {
  let count = 0;
  for await (const _address of store.addresses()) count += 1;
  return count;
}
