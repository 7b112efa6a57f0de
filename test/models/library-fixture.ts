import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DURABLE_FILES } from '../../db/files/durable-files';
import type { ModelManifest } from '../../models/vision/embedding-model';
import type { AddModelOptions } from '../../workers/library/add-model';
import { addressOf, listening } from '../support/local-server';
import { POOL } from '../workers/tiny-models';

/** How the tests add a model to the library in `dataDir`. */
export const addOptions = (dataDir: string): AddModelOptions => ({
  dataDir,
  sha256: null,
  bytesMax: 2 ** 20,
  downloadTimeoutMs: 60_000,
  inference: POOL,
  files: DURABLE_FILES,
  progress: { note: () => undefined, begin: () => undefined, reach: () => undefined, end: () => undefined },
});

export const ADDED = { models: ['tiny@1.0.0'], work: [] };
export const NOTHING = { models: [], work: [] };

/** Names in the library, and those of what is in work in it. */
export async function libraryNames(dataDir: string): Promise<{ models: string[]; work: string[] }> {
  const names = async (folder: string) => (await readdir(folder).catch(() => [])).sort();
  const models = await names(join(dataDir, 'models'));
  return {
    models: models.filter((name) => name !== '.work'),
    work: await names(join(dataDir, 'models', '.work')),
  };
}

export const filesOf = (manifest: ModelManifest): string[] =>
  ['manifest.json', ...Object.keys(manifest.digests)].sort();

/** One answer that the server gave. */
export interface Served {
  readonly path: string;
  readonly range: string | null;
  readonly status: number;
  /** Bytes of the body that were handed to the connection. */
  readonly bytes: number;
}

/** Ways in which a server can be no ideal one. */
export interface Faults {
  /** Cuts the connection after so many bytes of an answer; as many times as there are entries. */
  readonly cuts?: number[];
  /** After so many bytes an answer stops and stays open until its reader goes. */
  readonly hangsAfter?: number;
  readonly noRanges?: boolean;
  readonly noLength?: boolean;
}

/** A web server with files, their ETags and ranges, that keeps account of what it serves. */
export class FileServer {
  readonly served: Served[] = [];
  readonly files = new Map<string, Buffer>();
  /** Files that are another each time they are asked for, until the last. */
  readonly versions = new Map<string, Buffer[]>();
  readonly redirects = new Map<string, string>();
  faults: Faults = {};
  readonly #server = createServer((request, response) => this.#answer(request, response));
  #wakeUp: (() => void)[] = [];

  static async start(): Promise<FileServer> {
    const server = new FileServer();
    await listening(server.#server);
    return server;
  }

  url(path: string): string {
    return `http://${addressOf(this.#server)}/${path}`;
  }

  /** Resolves when an answer hangs. */
  hanging(): Promise<void> {
    return new Promise((resolve) => this.#wakeUp.push(resolve));
  }

  /** Bytes of a file that left the server, over all answers. */
  bytesOf(path: string): number {
    return this.served.filter((each) => each.path === path).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '/').slice(1);
    const location = this.redirects.get(path);
    if (location !== undefined) return void response.writeHead(302, { location }).end();
    const versions = this.versions.get(path) ?? [];
    const file = (versions.length > 1 ? versions.shift() : versions[0]) ?? this.files.get(path);
    const range = request.headers.range ?? null;
    if (!file) return void this.#send({ path, range, status: 404 }, Buffer.alloc(0), response.writeHead(404));
    const etag = `"${createHash('sha256').update(file).digest('hex').slice(0, 16)}"`;
    const from = Number(/^bytes=(\d+)-\d*$/.exec(range ?? '')?.[1] ?? 0);
    const current = [undefined, etag].includes(request.headers['if-range']?.toString());
    const partial = from > 0 && current && !this.faults.noRanges;
    const body = partial ? file.subarray(from) : file;
    const status = !partial ? 200 : body.length === 0 ? 416 : 206;
    response.writeHead(status, {
      ...(this.faults.noRanges ? {} : { etag, 'accept-ranges': 'bytes' }),
      ...(this.faults.noLength ? {} : { 'content-length': body.length }),
      ...(partial ? { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` } : {}),
    });
    this.#send({ path, range, status }, body, response);
  }

  #send(served: Omit<Served, 'bytes'>, body: Buffer, response: ServerResponse): void {
    const cut = this.faults.cuts?.shift();
    const end = Math.min(cut ?? body.length, this.faults.hangsAfter ?? body.length, body.length);
    this.served.push({ ...served, bytes: end });
    if (end === body.length) return void response.end(body);
    response.write(body.subarray(0, end), () => {
      if (cut !== undefined) response.destroy();
      else for (const wake of this.#wakeUp.splice(0)) wake();
    });
  }
}
