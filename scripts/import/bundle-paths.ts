import { constants } from 'node:fs';
import { lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathFault, segmentsOf } from '../../models/catalog/path-fault';

/** Something in a bundle that is refused as a whole; it stands in the report as line 0. */
export interface BundleFault {
  readonly file: string;
  readonly field: string;
  readonly reason: string;
}

/**
 * The bytes of a plain file at a path inside `root`, no component of which is a link.
 *
 * @throws Error whose message is the reason for a reject
 */
export async function readInside(root: string, path: string, bytesMax: number): Promise<Buffer> {
  const fault = pathFault(path);
  if (fault !== null) throw new Error(fault);
  const segments = segmentsOf(path);
  for (let depth = 1; depth < segments.length; depth += 1) {
    const folder = await lstat(join(root, ...segments.slice(0, depth))).catch(() => null);
    if (folder?.isSymbolicLink()) throw new Error('a path through a link');
    if (!folder?.isDirectory()) throw new Error('there is no such file in the bundle');
  }
  return await readPlainFile(join(root, ...segments), bytesMax);
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

async function readPlainFile(path: string, bytesMax: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause: unknown) => {
      throw new Error(reasonOf(cause), { cause });
    },
  );
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

function reasonOf(failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  if (code === 'ELOOP' || code === 'EMLINK') return 'a symbolic link';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file in the bundle';
  return `can not be read (${String(code ?? failure)})`;
}
