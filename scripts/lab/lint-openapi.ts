import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOpenApi } from '../../api/ops/openapi/document';
import { RECORD_SCHEMAS } from '../import/record-schemas';

/** `npm run check:openapi`: lints `/openapi.json` with every recommended rule of Redocly; a warning fails too. */
const folder = mkdtempSync(join(tmpdir(), 'loupe-openapi-'));
try {
  const file = join(folder, 'openapi.json');
  const servers = [{ url: 'https://loupe.example' }];
  writeFileSync(file, JSON.stringify({ ...buildOpenApi({ records: RECORD_SCHEMAS }), servers }));
  const cli = join(require.resolve('@redocly/cli/package.json'), '../bin/cli.js');
  const options = ['lint', '--extends', 'recommended-strict', '--format', 'stylish', file];
  const { status } = spawnSync(process.execPath, [cli, ...options], {
    stdio: 'inherit',
    env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
