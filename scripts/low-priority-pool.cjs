/*
 * Preloaded by `node --require`: starts libuv's thread pool from a low-priority thread, so that decoding pictures yields to
 * answering requests. Only Linux has priorities per thread; elsewhere this does nothing.
 */
const { isMainThread, Worker } = require('node:worker_threads');

const NICENESS = 10;
const STARTED_WITHIN_MS = 2_000;

function startPool() {
  const started = new Int32Array(new SharedArrayBuffer(4));
  const starter = new Worker(
    `const { workerData: { started, niceness } } = require('node:worker_threads');
     const { getPriority, setPriority } = require('node:os');
     if (getPriority() < niceness) setPriority(niceness);
     require('node:fs').stat('/', () => {
       Atomics.store(started, 0, 1);
       Atomics.notify(started, 0);
     });`,
    { eval: true, execArgv: [], workerData: { started, niceness: NICENESS } },
  );
  starter.unref();
  Atomics.wait(started, 0, 0, STARTED_WITHIN_MS);
}

if (process.platform === 'linux' && isMainThread) startPool();
