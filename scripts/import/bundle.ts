import { createReadStream } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { openWorkFolder } from '../../db/files/durable-files';
import type { RecordKind } from '../../models/catalog/import/records';
import { WHOLE_LINE } from '../../models/catalog/import/stage';
import { messageOf } from '../../models/errors';
import type { RecordFile, RecordSource } from '../../models/ports';
import { innermostRoot, isGzip, unpackArchive } from '../../workers/library/unpack-archive';
import { type Parse, parsedLine, recordParsers } from './parse-record';
import { type BundleFault, findLinks, PlainFiles } from './plain-files';
import { readLines } from './read-lines';

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

const TABLE = /\.(?:csv|tsv|xml)$/i;
const A_TABLE = 'a table, which is imported by its own path,';
const A_ZIP = 'it is a zip; unpack it, and import the table or the folder';
const IMAGE_EXTENSIONS = ['.jpg', '.jpeg', '.png', '.webp'];
/** Yields to the event loop after this many lines, so that the database does not wait for the reader. */
const LINES_AT_ONCE = 32;

/** A bundle open for reading (contract 13.1). Archives are unpacked, as files are read in order. Nothing outside is read. */
export class Bundle {
  readonly files: PlainFiles;

  private constructor(
    private readonly root: string,
    readonly close: () => Promise<void>,
    private readonly present: ReadonlyMap<string, string>,
    /** Refused entries, such as links. */
    readonly faults: readonly BundleFault[],
    /** Unknown entries, which are not read. */
    readonly warnings: readonly string[],
  ) {
    this.files = new PlainFiles(root);
  }

  /** @throws Error when `path` is neither a folder nor a readable archive, or has no file of a bundle (contract 13.17) */
  static async open(path: string, temporaryFolder: string): Promise<Bundle> {
    if ((await stat(path)).isDirectory()) {
      const root = await realpath(path);
      return await Bundle.#in(path, root, async () => undefined, await findLinks(root));
    }
    const folder = openWorkFolder(join(temporaryFolder, 'loupe-bundle-'));
    try {
      const left = await unpackArchive(path, folder.path).catch((cause: Error) => {
        const reason = extname(path).toLowerCase() === '.zip' ? A_ZIP : cause.message;
        throw new Error(`${path} is no readable tar archive: ${reason}`, { cause });
      });
      const faults = left.map(({ name, reason }) => ({ file: name, field: 'file', reason }));
      return await Bundle.#in(path, await innermostRoot(folder.path), folder.close, faults);
    } catch (failure) {
      await folder.close();
      throw failure;
    }
  }

  static async #in(
    path: string,
    root: string,
    close: () => Promise<void>,
    refused: readonly BundleFault[],
  ): Promise<Bundle> {
    const entries = await readdir(root, { withFileTypes: true });
    const files = new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name));
    const present = new Map<string, string>();
    const faults = [...refused];
    for (const name of Object.values(BUNDLE_FILES)) {
      const packed = `${name}.gz`;
      const isPacked = files.delete(packed);
      if (files.delete(name)) {
        present.set(name, name);
        if (isPacked)
          faults.push({ file: packed, field: 'file', reason: `not read, because ${name} is there too` });
      } else if (isPacked) present.set(name, packed);
    }
    const warnings = [...files]
      .filter((name) => !IMAGE_EXTENSIONS.includes(extname(name).toLowerCase()))
      .sort()
      .map((name) => `${name} is ${TABLE.test(name) ? A_TABLE : 'no file of a bundle'} and is not read`);
    if (present.size > 0 || faults.length > 0) return new Bundle(root, close, present, faults, warnings);
    const names = Object.values(BUNDLE_FILES).join(', ');
    const message = `There is no file of a bundle in ${path}; a bundle has ${names}, each plain or as .gz.`;
    throw new Error([message, ...warnings].join('\n'));
  }

  /** Its records. @param now stands in for the time of estimates that name none */
  source(now: Date): RecordSource {
    const parsers = recordParsers(now);
    return {
      file: async (kind) => {
        const file = await this.file(BUNDLE_FILES[kind]);
        return file && withRecords(file, parsers[kind]);
      },
    };
  }

  /** A record file with its JSON values; null when the bundle has none of this name. */
  async file(name: BundleFileName): Promise<RecordFile<unknown> | null> {
    const actual = this.present.get(name);
    if (actual === undefined) return null;
    const path = join(this.root, actual);
    const found = await lstat(path);
    // A link was reported when the bundle was opened.
    if (!found.isFile() || found.nlink > 1) return null;
    return { name: actual, bytes: found.size, read: () => linesOf(path) };
  }
}

/** The JSON values of a file as records; other work gets a turn every few lines. */
export const withRecords = <Record>(file: RecordFile<unknown>, parse: Parse<Record>): RecordFile<Record> => ({
  ...file,
  async *read() {
    for await (const { lines, bytesRead } of file.read()) {
      for (let start = 0; start < lines.length; start += LINES_AT_ONCE) {
        const some = lines.slice(start, start + LINES_AT_ONCE);
        yield { lines: some.map((line) => parsedLine(line, parse)), bytesRead };
        await setImmediate();
      }
    }
  },
});

async function* linesOf(path: string): ReturnType<RecordFile<unknown>['read']> {
  // A stream that waits for anything fails without a handler.
  const isPacked = await isGzip(path).catch(() => false);
  const raw = createReadStream(path, { highWaterMark: 256 * 1024 });
  let last = 0;
  try {
    const bytes = isPacked ? pipeline(raw, createGunzip(), () => undefined) : raw;
    for await (const lines of readLines(bytes)) {
      last = lines.at(-1)?.line ?? last;
      yield { lines, bytesRead: raw.bytesRead };
    }
  } catch (failure) {
    // The readable part of a damaged file is kept; the rest is one rejection.
    const reason = `the file cannot be read from here on: ${messageOf(failure)}`;
    yield { lines: [{ line: last + 1, field: WHOLE_LINE, reason }], bytesRead: raw.bytesRead };
  } finally {
    raw.destroy();
  }
}
