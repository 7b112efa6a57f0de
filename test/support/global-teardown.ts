import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostPid } from '../../db/embedded/run-folder';
import { prefixOf } from './worker-environment';

export default function removeLent(): void {
  const ours = readdirSync(tmpdir()).filter((name) => name.startsWith(prefixOf(process.pid)));
  for (const dataDir of ours.map((name) => join(tmpdir(), name))) {
    const sockets = join(dataDir, 'postgres', 'run');
    for (const each of readdirSync(sockets)) {
      try {
        process.kill(hostPid(join(sockets, each)), 'SIGKILL');
      } catch {
        // It has ended with its worker.
      }
    }
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
