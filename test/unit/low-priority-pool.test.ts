import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Prints the niceness of the main thread and of all threads once the pool has worked (proc_pid_stat(5), field 19). */
const PROGRAM = `
  const { existsSync, readdirSync, readFileSync, promises } = require('node:fs');
  const nicenessIn = (file) => Number(readFileSync(file, 'utf8').split(') ')[1].split(' ')[16]);
  promises.stat('/').then(() => {
    const threads = existsSync('/proc/self/task') ? readdirSync('/proc/self/task') : [];
    const all = threads.flatMap((thread) => {
      const file = '/proc/self/task/' + thread + '/stat';
      // A thread may have ended since the list was made.
      try { return [nicenessIn(file)]; } catch (failure) { if (existsSync(file)) throw failure; return []; }
    });
    console.log(JSON.stringify({ main: threads.length > 0 ? nicenessIn('/proc/self/stat') : 0, all }));
  });
`;

test("on Linux the threads of libuv's pool have a lower priority than the event loop; elsewhere nothing changes", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--require', './scripts/low-priority-pool.cjs', '-e', PROGRAM],
    { env: { PATH: process.env['PATH'] } },
  );
  const { main, all } = JSON.parse(stdout) as { main: number; all: number[] };
  const modest = all.filter((niceness) => niceness >= Math.max(10, main));
  expect(modest.length).toBeGreaterThanOrEqual(process.platform === 'linux' ? 4 : 0);
});
