import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { TestEnvironment } from 'jest-environment-node';
import { Engine } from '../../db/embedded/engine';
import { embeddedFolder, ensureEmbedded } from '../../db/embedded/ensure-embedded';
import { claimHost, shortPath } from '../../db/embedded/run-folder';
import { WireServer } from '../../db/embedded/wire-server';
import { DocumentCheck } from './document-check';
import { copyDataFolder } from './templates';

/** An open embedded database that nobody else uses until it is released. */
interface PooledDatabase {
  readonly dataDir: string;
  readonly isNew: boolean;
  release(): void;
}

declare global {
  /** A prepared data folder, with what earlier files wrote since. @param pool named by the files that share it; those without share another */
  var acquireEmbedded: (prepared: string, pool?: string) => Promise<PooledDatabase>;
  /** Opens the embedded database of a folder until the returned function is called, or the worker ends. */
  var openEmbedded: (dataDir: string) => Promise<() => Promise<void>>;
  /** Compiles each schema of the OpenAPI document once for all files of a worker. */
  var documentCheck: DocumentCheck;
}

/** Of this Jest worker: databases for the next file, by the folder that they began with and their pool. */
const idle = new Map<string, string[]>();
/** Data folders whose engine died; they are not used again. */
const broken = new Set<string>();

// Most code of a test runs too seldom to pay for its optimisation: V8 begins it after eight times the budgets of Node 20.
setFlagsFromString('--interrupt-budget=540672');
setFlagsFromString('--wasm-tiering-budget=14400000');

const check = new DocumentCheck();

/** Node's environment, and embedded databases that outlive a test file: to open one takes longer than most files do. */
export default class WorkerEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    Object.assign(this.global, { acquireEmbedded: acquire, openEmbedded: open, documentCheck: check });
  }
}

async function acquire(prepared: string, pool = ''): Promise<PooledDatabase> {
  const free = idle.get(prepared + pool) ?? [];
  idle.set(prepared + pool, free);
  let used = free.pop();
  while (used !== undefined && broken.has(used)) used = free.pop();
  const dataDir = used ?? (await openCopy(prepared));
  return { dataDir, isNew: used === undefined, release: () => void free.push(dataDir) };
}

async function openCopy(prepared: string): Promise<string> {
  // Jest's workers are children of the process that tears down.
  const dataDir = mkdtempSync(join(tmpdir(), prefixOf(process.send ? process.ppid : process.pid)));
  copyDataFolder(prepared, dataDir);
  await open(dataDir);
  return dataDir;
}

/** Hosts a database in this process, without waiting for the disk and without a housekeeper (`test/embedded` covers it); the engine is compiled once. */
async function open(dataDir: string): Promise<() => Promise<void>> {
  const folder = embeddedFolder(dataDir);
  mkdirSync(join(folder, 'run'));
  const wire = new WireServer(60_000, () => undefined);
  await claimHost(shortPath(join(folder, 'run')).path, wire.server);
  const died = (reason: string) => {
    console.error(`The database of ${dataDir} died: ${reason}`);
    broken.add(dataDir);
    wire.refuseAll(reason);
  };
  const options = { folder: join(folder, 'data'), durable: false };
  const engine = await Engine.start(options, { log: () => undefined, died });
  // It must not keep the process from ending.
  engine['worker'].unref();
  wire.server.unref().on('connection', (socket) => socket.unref());
  wire.serve(engine);
  const lease = await ensureEmbedded(dataDir);
  return async () => {
    await wire.stop();
    await engine.close();
    wire.server.close();
    wire.refuseAll('closed');
    await lease.close();
  };
}

/** The folders of the databases of a run of Jest begin with this. */
export const prefixOf = (run: number): string => `lpw-${run}-`;
