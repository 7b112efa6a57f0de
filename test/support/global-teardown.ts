import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prefixOf } from './worker-environment';

export default function removeLent(): void {
  const ours = readdirSync(tmpdir()).filter((name) => name.startsWith(prefixOf(process.pid)));
  for (const name of ours) rmSync(join(tmpdir(), name), { recursive: true, force: true, maxRetries: 5 });
}
