import pMap from 'p-map';
import type { ImageStore, Progress } from '../../models/ports';
import { addressParts, isContentOf } from './image-address';

/** What became of the images of a store. */
export interface MovedImages {
  /** Copied now, and read back. */
  readonly copied: number;
  readonly bytes: number;
  /** There from an earlier run. */
  readonly present: number;
  /** Addresses of files that are not what their names say; they were not copied. */
  readonly damaged: readonly string[];
}

/** A bucket takes its time for each. */
const AT_ONCE = { concurrency: 8 };

const DIGITS = [...'0123456789abcdef'];

/** By 256ths, so that few addresses are held in memory. */
const PREFIXES = DIGITS.flatMap((first) => DIGITS.map((second) => first + second));

/**
 * Copies what one store has and another lacks, beside the running service (contract 13.13). What is there was written
 * whole, so a run that was broken off is gone on with by the next. The images stay where they were as well.
 *
 * @throws what a store throws
 */
export async function moveImages(from: ImageStore, to: ImageStore, progress: Progress): Promise<MovedImages> {
  let [copied, bytes, present] = [0, 0, 0];
  const damaged: string[] = [];
  const copy = async (address: string) => {
    const content = await from.get(address);
    // Housekeeping took it meanwhile.
    if (content === null) return;
    if (await copyWhole(address, content, to)) {
      copied += 1;
      bytes += content.length;
    } else damaged.push(address);
    progress.reach(present + copied + damaged.length, damaged.length);
  };
  progress.begin('images', await countOf(from));
  for (const prefix of PREFIXES) {
    const there = new Set(await listed(to, prefix));
    const here = await listed(from, prefix);
    const missing = here.filter((address) => !there.has(address));
    present += here.length - missing.length;
    await pMap(missing, copy, AT_ONCE);
  }
  progress.end();
  return { copied, bytes, present, damaged: damaged.sort() };
}

/** False, and nothing is left, unless what can be read back is what the address stands for. */
async function copyWhole(address: string, content: Buffer, to: ImageStore): Promise<boolean> {
  const parts = addressParts(address);
  if (parts === null || !isContentOf(address, content)) return false;
  await to.put(content, parts.extension);
  const back = await to.get(address);
  if (back !== null && isContentOf(address, back)) return true;
  await to.remove(address);
  return false;
}

async function listed(store: ImageStore, prefix: string): Promise<string[]> {
  const addresses: string[] = [];
  for await (const address of store.addresses(prefix)) addresses.push(address);
  return addresses;
}

async function countOf(store: ImageStore): Promise<number> {
  let count = 0;
  for await (const _address of store.addresses()) count += 1;
  return count;
}
