import { constants } from 'node:fs';
import { lstat, open, opendir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathFault, segmentsOf } from '../../models/catalog/path-fault';
import { addTo } from '../../models/multimap';

/** An entry of a bundle that is refused as a whole; reported as line 0. */
export interface BundleFault {
  readonly file: string;
  readonly field: string;
  readonly reason: string;
}

/**
 * The plain files of a folder by their paths in it. A name that is composed (é as one character) and one that is decomposed,
 * as macOS writes it, are one name (contract 13.18), and for tables those of another case; the one spelt as the path comes first.
 */
export class PlainFiles {
  /** By folder and folded name, those that differ from it, once a name was not found as it is spelt. */
  readonly #names = new Map<string, Promise<ReadonlyMap<string, readonly string[]>>>();

  constructor(
    private readonly root: string,
    private readonly place = 'in the bundle',
    private readonly fold = (name: string): string => name.normalize('NFC'),
  ) {}

  /** The bytes of a file whose path contains no link. @throws Error whose message is the reason for the rejection */
  async read(path: string, bytesMax: number): Promise<Buffer> {
    const fault = pathFault(path);
    if (fault !== null) throw new Error(fault);
    const found = await this.#readBelow(this.root, segmentsOf(path), bytesMax);
    if (found === null) throw new Error(`there is no such file ${this.place}`);
    return found;
  }

  async #readBelow(folder: string, [name = '', ...rest]: string[], bytesMax: number): Promise<Buffer | null> {
    for await (const spelling of this.#spellingsOf(folder, name)) {
      const path = join(folder, spelling);
      const found =
        rest.length === 0
          ? await readPlainFile(path, bytesMax)
          : (await isPlainFolder(path)) && (await this.#readBelow(path, rest, bytesMax));
      if (found) return found;
    }
    return null;
  }

  async *#spellingsOf(folder: string, name: string): AsyncGenerator<string> {
    yield* new Set([name, this.fold(name), name.normalize('NFC'), name.normalize('NFD')]);
    const names = this.#names.get(folder) ?? this.#namesIn(folder);
    this.#names.set(folder, names);
    yield* (await names).get(this.fold(name)) ?? [];
  }

  async #namesIn(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const names = new Map<string, string[]>();
    for (const name of await readdir(folder))
      if (this.fold(name) !== name) addTo(names, this.fold(name), name);
    return names;
  }
}

async function isPlainFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (found?.isSymbolicLink()) throw new Error('a path through a link');
  return found?.isDirectory() === true;
}

/** Every link and special file below a folder; none is followed or read. */
export async function findLinks(root: string, below = '', found: BundleFault[] = []): Promise<BundleFault[]> {
  for await (const entry of await opendir(join(root, below))) {
    const file = below === '' ? entry.name : `${below}/${entry.name}`;
    const add = (reason: string) => found.push({ file, field: 'file', reason });
    if (entry.isDirectory()) await findLinks(root, file, found);
    else if (entry.isSymbolicLink()) add('a symbolic link');
    else if (!entry.isFile()) add('no plain file');
    else if ((await lstat(join(root, file))).nlink > 1) add('a hard link');
  }
  return found;
}

async function readPlainFile(path: string, bytesMax: number): Promise<Buffer | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null;
    const isLink = cause.code === 'ELOOP' || cause.code === 'EMLINK';
    throw new Error(isLink ? 'a symbolic link' : `cannot be read (${cause.code ?? cause})`, { cause });
  });
  try {
    const found = await file?.stat();
    if (!file || !found) return null;
    if (!found.isFile()) throw new Error('no plain file');
    if (found.nlink > 1) throw new Error('a hard link');
    if (found.size > bytesMax) throw new Error(`larger than ${bytesMax} bytes`);
    return await file.readFile();
  } finally {
    await file?.close();
  }
}
