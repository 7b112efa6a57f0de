import { createReadStream, type ReadStream } from 'node:fs';
import { lstat, readdir, realpath, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { ReadRecords, RecordKind } from '../../models/catalog/import/records';
import type { RecordFile, RecordSource } from '../../models/ports';
import { isGzip } from '../../workers/library/unpack-model';
import { type BundleFault, findLinks, PlainFiles } from './bundle-paths';
import { type RecordParsers, readLine, recordParsers } from './parse-record';
import { type Line, readLines } from './read-lines';
import { unpackArchive } from './unpack-archive';

/** The record files of a bundle in the order in which they are read (contract 13.1); each may be gzipped. */
export const BUNDLE_FILES = {
  categories: 'categories.jsonl',
  tags: 'tags.jsonl',
  synonyms: 'synonyms.jsonl',
  entities: 'entities.jsonl',
  products: 'products.jsonl',
  estimates: 'estimates.jsonl',
  history: 'estimate-history.jsonl',
  listings: 'listings.jsonl',
} as const satisfies Readonly<Record<RecordKind, string>>;

export type BundleFileName = (typeof BUNDLE_FILES)[RecordKind];

/** Said when there is no bundle, or when it can't be read at all. */
export class BundleError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BundleError';
  }
}

/** One of the bundle's record files: its name as it lies there, its size on the disk, and its lines. */
export interface BundleFile {
  readonly name: string;
  readonly bytes: number;
  /** Reads from the start, many lines at a time; `progress` is told how many bytes of the file were read so far. */
  lines(progress: (bytesRead: number) => void): AsyncGenerator<readonly Line[]>;
}

const IMAGE_EXTENSIONS = ['.jpg', '.jpeg', '.png', '.webp'];

/**
 * A catalog bundle that is open for reading (contract 13.1): a folder, or an archive of one, which is unpacked into
 * a temporary folder so that its files can be read in the order of that page. Nothing outside of it is ever read.
 */
export class Bundle {
  private readonly files: PlainFiles;

  private constructor(
    private readonly root: string,
    private readonly temporary: string | null,
    private readonly present: ReadonlyMap<BundleFileName, string>,
    /** What in it is refused as a whole, such as a link. */
    readonly faults: readonly BundleFault[],
    /** What in it is not known and therefore not read. */
    readonly warnings: readonly string[],
  ) {
    this.files = new PlainFiles(root);
  }

  /** @throws BundleError when `path` is no folder and no readable archive, or has no file of a bundle */
  static async open(path: string, temporaryFolder: string): Promise<Bundle> {
    const kind = await stat(path).catch((cause: unknown) => {
      throw new BundleError(`There is no bundle at ${path}.`, cause);
    });
    if (kind.isDirectory()) {
      const root = await realpath(path);
      return (await Bundle.at(root, null, await findLinks(root))).withFiles(path);
    }
    const unpacked = await unpackArchive(path, temporaryFolder).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new BundleError(`${path} is no readable tar archive: ${why}`, cause);
    });
    const bundle = await Bundle.at(await innermostRoot(unpacked.folder), unpacked.folder, unpacked.faults);
    try {
      return bundle.withFiles(path);
    } catch (failure) {
      await bundle.close();
      throw failure;
    }
  }

  private static async at(
    root: string,
    temporary: string | null,
    faults: readonly BundleFault[],
  ): Promise<Bundle> {
    const names = await readdir(root, { withFileTypes: true });
    const files = new Set(names.filter((entry) => entry.isFile()).map((entry) => entry.name));
    const present = new Map<BundleFileName, string>();
    const doubled: BundleFault[] = [];
    for (const name of Object.values(BUNDLE_FILES)) {
      const packed = `${name}.gz`;
      if (files.has(name) && files.has(packed)) {
        doubled.push({ file: packed, field: 'file', reason: `not read, because ${name} is there too` });
      }
      if (files.has(name)) present.set(name, name);
      else if (files.has(packed)) present.set(name, packed);
    }
    return new Bundle(root, temporary, present, [...faults, ...doubled], warningsOf(files));
  }

  /** Itself, if it has a file that can be read, or anything that is refused. */
  private withFiles(path: string): this {
    if (this.present.size > 0 || this.faults.length > 0) return this;
    const names = Object.values(BUNDLE_FILES).join(', ');
    const message = `There is no file of a bundle in ${path}; a bundle has ${names}, each plain or as .gz.`;
    throw new BundleError([message, ...this.warnings].join('\n'));
  }

  /** A record file; null when the bundle has none of this name. */
  async file(name: BundleFileName): Promise<BundleFile | null> {
    const actual = this.present.get(name);
    if (actual === undefined) return null;
    const path = join(this.root, actual);
    const found = await lstat(path);
    // A link was reported when the bundle was opened.
    if (!found.isFile() || found.nlink > 1) return null;
    return { name: actual, bytes: found.size, lines: (progress) => linesOf(path, progress) };
  }

  /** The bytes of a picture at a path of the bundle. @throws Error with the reason for a reject */
  async image(path: string, bytesMax: number): Promise<Buffer> {
    return await this.files.read(path, bytesMax);
  }

  async close(): Promise<void> {
    if (this.temporary !== null) await rm(this.temporary, { recursive: true, force: true });
  }
}

function warningsOf(files: ReadonlySet<string>): string[] {
  const known = new Set<string>(Object.values(BUNDLE_FILES).flatMap((name) => [name, `${name}.gz`]));
  const unknown = [...files].filter(
    (name) => !known.has(name) && !IMAGE_EXTENSIONS.includes(extname(name).toLowerCase()),
  );
  return unknown.sort().map((name) => `${name} is no file of a bundle and is not read`);
}

/**
 * The folder itself, or the only folder in it: `tar cf x.tar my-bundle` and `tar -C my-bundle cf x.tar .` are one. macOS adds
 * hidden files.
 */
async function innermostRoot(folder: string): Promise<string> {
  const all = await readdir(folder, { withFileTypes: true });
  const entries = all.filter(({ name }) => !name.startsWith('.'));
  const [only] = entries;
  return entries.length === 1 && only?.isDirectory() ? join(folder, only.name) : folder;
}

async function* linesOf(
  path: string,
  progress: (bytesRead: number) => void,
): AsyncGenerator<readonly Line[]> {
  const raw = createReadStream(path, { highWaterMark: 256 * 1024 });
  let last = 0;
  try {
    for await (const lines of readLines((await isGzip(path)) ? gunzipped(raw) : raw)) {
      last = lines.at(-1)?.number ?? last;
      progress(raw.bytesRead);
      yield lines;
    }
  } catch (failure) {
    // What of a damaged file could be read stands; the rest is one reject.
    const why = failure instanceof Error ? failure.message : String(failure);
    yield [{ number: last + 1, fault: `the file can not be read from here on: ${why}` }];
  } finally {
    raw.destroy();
  }
}

function gunzipped(raw: ReadStream): AsyncIterable<Buffer> {
  const gunzip = createGunzip();
  raw.on('error', (failure) => gunzip.destroy(failure));
  return raw.pipe(gunzip);
}

/** Between so many lines the answers of the database are looked at, so that it need not wait for the reading. */
const LINES_AT_ONCE = 64;

/** The records of a bundle's files. */
export class BundleRecords implements RecordSource {
  private readonly parsers: RecordParsers;

  /** @param now stands in for the time of estimates that name none */
  constructor(
    private readonly bundle: Bundle,
    now: Date,
  ) {
    this.parsers = recordParsers(now);
  }

  async file<Kind extends RecordKind>(kind: Kind): Promise<RecordFile<ReadRecords[Kind]> | null> {
    const file = await this.bundle.file(BUNDLE_FILES[kind]);
    if (!file) return null;
    const parse: RecordParsers[Kind] = this.parsers[kind];
    return {
      name: file.name,
      bytes: file.bytes,
      async *read() {
        let bytesRead = 0;
        const progress = (bytes: number) => {
          bytesRead = bytes;
        };
        for await (const lines of file.lines(progress)) {
          for (let start = 0; start < lines.length; start += LINES_AT_ONCE) {
            const some = lines.slice(start, start + LINES_AT_ONCE);
            yield { lines: some.map((line) => readLine(line, parse)), bytesRead };
            await setImmediate();
          }
        }
      },
    };
  }
}
