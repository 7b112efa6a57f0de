import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { buildOpenApi } from '../../api/ops/openapi/document';
import { RECORD_SCHEMAS } from '../import/record-schemas';

const ROOT = join(__dirname, '../..');
const FILE = 'api/client/schema.ts';

/** Optional is what a request may omit, even where the service has a default for it. */
const OPTIONS = ['--root-types', '--root-types-no-schema-prefix', '--default-non-nullable=false'];

/** `npm run client:generate`; with `--check` it writes nothing, and ends with 1 when what is committed differs. */
function main(): void {
  const program = new Command('generate-client')
    .option('--check', 'say whether the types are those of the document')
    .parse();
  const { check = false } = program.opts<{ check?: boolean }>();
  const types = formatted(
    withoutRedundant(typesOf(JSON.stringify(withoutAliases(buildOpenApi({ records: RECORD_SCHEMAS }))))),
  );
  const target = join(ROOT, FILE);
  if (!check) {
    writeFileSync(target, types);
  } else if (readFileSync(target, 'utf8') !== types) {
    process.stderr.write(`${FILE} is not of this document; run "npm run client:generate".\n`);
    process.exitCode = 1;
  }
}

/** A client needs one address of each endpoint. */
const withoutAliases = (document: Record<string, unknown>): object => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document['paths'] ?? {}).filter(([address]) => !address.startsWith('/api/')),
  ),
});

const typesOf = (document: string): string =>
  run(join(dirname(require.resolve('openapi-typescript')), '../bin/cli.js'), OPTIONS, document);

/** Without what the types say anyway: that nothing has a method or parameter that is not named, that a literal is constant. */
const withoutRedundant = (types: string): string =>
  types
    .replace(/^ *\w+\?: never;\n/gm, '')
    .replace(/^ *parameters: \{\s*\};\n/gm, '')
    .replace(/\/\*\*\n *\* (@description .*)\n *\* @constant\n *\*\//g, '/** $1 */');

const formatted = (types: string): string =>
  run(require.resolve('@biomejs/biome/bin/biome'), ['format', `--stdin-file-path=${FILE}`], types);

function run(tool: string, options: readonly string[], input: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [tool, ...options], {
    cwd: ROOT,
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${tool} ended with ${status}: ${stderr}`);
  return stdout;
}

main();
