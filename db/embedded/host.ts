/**
 * The embedded host: a separate process, since PGlite keeps its thread busy, that serves the database folder on a socket while
 * any process is connected. Started by ensureEmbedded with options as JSON; exits with 0 if another host has the folder.
 */

import { join } from 'node:path';
import { messageOf } from '../../models/errors';
import { type HostOptions, prepareCluster } from './cluster-folder';
import { Engine } from './engine';
import { Housekeeper } from './housekeeper';
import { claimHost, shortPath } from './run-folder';
import { CANNOT_OPEN, WireServer } from './wire-server';

/** How often a host that is opening the database says so. */
const NOTICE_MS = 5_000;

/** A host that nobody has used for this long was started by a process that died. */
const FIRST_CLIENT_MS = 20_000;

/** When the host ends, a turn that nobody waits for any more may take this long; then it is cut off, as by a crash. */
const LAST_TURN_MS = 10_000;

/** Time for clients to receive the reason for the disconnection. */
const ERROR_SEND_MS = 100;

async function main(options: HostOptions): Promise<void> {
  // A client that leaves while the database opens does not end the host: others may come, and the first timer below checks.
  let isOpen = false;
  let closing = false;
  const onEmpty = (): void => {
    if (isOpen) void close();
  };
  const wire = new WireServer(options.holdIdleMs, onEmpty);
  const run = shortPath(join(options.folder, 'run'));
  process.once('exit', () => run.release());
  const socketFolder = await claimHost(run.path, wire.server);
  if (socketFolder === undefined) process.exit(0);
  const opening = setInterval(() => wire.notifyAll('the embedded database is being opened'), NOTICE_MS);
  const engine = await open(options, died).catch((error: unknown) => {
    wire.refuseAll(logged('the host could not start', error), CANNOT_OPEN);
    setTimeout(() => process.exit(1), ERROR_SEND_MS);
  });
  clearInterval(opening);
  if (!engine) return;
  wire.serve(engine);
  const housekeeper = new Housekeeper(socketFolder, engine, log);
  housekeeper.start();
  isOpen = true;
  process.once('SIGTERM', () => {
    wire.refuseAll('the embedded database was told to end');
    void close();
  });
  setTimeout(() => {
    if (wire.clients === 0) void close();
  }, FIRST_CLIENT_MS).unref();

  async function close(): Promise<void> {
    if (closing) return;
    closing = true;
    housekeeper.stop();
    const cutOff = setTimeout(() => process.exit(1), LAST_TURN_MS);
    await wire.stop();
    clearTimeout(cutOff);
    await engine?.close();
    process.exit(0);
  }

  function died(reason: string): void {
    log(`the database stopped: ${reason}`);
    wire.refuseAll('the embedded database stopped; it starts again on the next connection');
    setTimeout(() => process.exit(1), ERROR_SEND_MS);
  }
}

async function open(options: HostOptions, died: (reason: string) => void): Promise<Engine> {
  const folder = await prepareCluster(options, async (data) => {
    // A thread of its own: making a cluster takes half a gigabyte, which only the end of the thread frees.
    const maker = await Engine.start({ folder: data, durable: false }, { log, died });
    await maker.close();
  });
  return Engine.start({ folder, durable: options.durable }, { log, died });
}

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

function logged(what: string, error: unknown): string {
  const reason = messageOf(error);
  log(`${what}: ${reason}`);
  return reason;
}

if (require.main === module) {
  // A log that can't be written (a full disk) must not end the database that reports it.
  process.stderr.on('error', () => undefined);
  main(JSON.parse(process.argv[2] ?? '{}') as HostOptions).catch((error: unknown) => {
    logged('the host could not start', error);
    process.exit(1);
  });
}
