import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathFault, segmentsOf } from '../../models/catalog/path-fault';

/** Something in a bundle that is refused as a whole; it stands in the report as line 0. */
export interface BundleFault {
  readonly file: string;
  readonly field: string;
  readonly reason: string;
}

/**
 * The plain files of a folder by their paths in it. A name that is composed (é as one character) and one that is decomposed,
 * as macOS writes it, are one name (contract 13.18); the file that is spelt as the path is comes first.
 */
export class PlainFiles {
  /** By folder, the names in it that are neither: most folders have none. */
  private readonly mixedNames = new Map<string, Promise<readonly string[]>>();

  constructor(private readonly root: string) {}

  /** The bytes of a file, no component of whose path is a link. @throws Error whose message is the reason for a reject */
  async read(path: string, bytesMax: number): Promise<Buffer> {
    const fault = pathFault(path);
    if (fault !== null) throw new Error(fault);
    const found = await this.readBelow(this.root, segmentsOf(path), bytesMax);
    if (found === null) throw new Error('there is no such file in the bundle');
    return found;
  }

  private async readBelow(
    folder: string,
    segments: readonly string[],
    bytesMax: number,
  ): Promise<Buffer | null> {
    const [name = '', ...rest] = segments;
    for await (const spelling of this.spellingsOf(folder, name)) {
      const path = join(folder, spelling);
      const found =
        rest.length === 0
          ? await readPlainFile(path, bytesMax)
          : (await isPlainFolder(path)) && (await this.readBelow(path, rest, bytesMax));
      if (found) return found;
    }
    return null;
  }

  private async *spellingsOf(folder: string, name: string): AsyncGenerator<string> {
    const composed = name.normalize('NFC');
    const spellings = new Set([name, composed, name.normalize('NFD')]);
    yield* spellings;
    if (spellings.size === 1) return;
    const mixed = this.mixedNames.get(folder) ?? mixedNamesIn(folder);
    this.mixedNames.set(folder, mixed);
    for (const other of await mixed) {
      if (other.normalize('NFC') === composed && !spellings.has(other)) yield other;
    }
  }
}

async function mixedNamesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name !== name.normalize('NFC') && name !== name.normalize('NFD'));
}

async function isPlainFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (found?.isSymbolicLink()) throw new Error('a path through a link');
  return found?.isDirectory() === true;
}

/** Every link and special file below a folder, none of which is followed or read. */
export async function findLinks(root: string, below = ''): Promise<BundleFault[]> {
  const faults: BundleFault[] = [];
  for await (const entry of await opendir(join(root, below))) {
    const file = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) faults.push(...(await findLinks(root, file)));
    else if (entry.isSymbolicLink()) faults.push({ file, field: 'file', reason: 'a symbolic link' });
    else if (!entry.isFile()) faults.push({ file, field: 'file', reason: 'no plain file' });
    else if ((await lstat(join(root, file))).nlink > 1) {
      faults.push({ file, field: 'file', reason: 'a hard link' });
    }
  }
  return faults;
}

/** Null when there is none. */
async function readPlainFile(path: string, bytesMax: number): Promise<Buffer | null> {
  const file = await openPlainFile(path);
  if (file === null) return null;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('no plain file');
    if (found.nlink > 1) throw new Error('a hard link');
    if (found.size > bytesMax) throw new Error(`larger than ${bytesMax} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function openPlainFile(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    const isLink = code === 'ELOOP' || code === 'EMLINK';
    throw new Error(isLink ? 'a symbolic link' : `can not be read (${String(code ?? failure)})`, {
      cause: failure,
    });
  }
}
