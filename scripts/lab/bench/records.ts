import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { RECORDS_MAX } from '../../../models/records/records-service';
import { processEnvironment } from '../../config';
import { BUNDLE_FILES } from '../../import/bundle-files';
import { generateBundle } from '../generator/generate-bundle';
import { startProcess } from '../service-processes';
import { bringUpServices } from '../services/bring-up-services';
import { writeNightlyBundle } from './import/nightly-bundle';
import { timedImport } from './import/timed-import';
import { type Measurement, percentile } from './measure';
import { makeKey } from './vision-installation';

const SEED = 11;

/**
 * The records of a generated bundle without images, written over HTTP by one caller, call after call, into an empty
 * catalog, the same again, and all estimates anew; beside the importer with the same into another. PostgreSQL.
 */
export async function benchRecords(products: number): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-bench-'));
  const services = await bringUpServices({
    environment: processEnvironment(),
    log: (line) => process.stderr.write(`${line}\n`),
    postgres: { durable: true },
  });
  try {
    const [bundle, nightly] = [join(folder, 'bundle'), join(folder, 'nightly')];
    await generateBundle({ seed: SEED, products, out: bundle, historyMonths: 0, listingsPerVariant: 0 });
    await writeNightlyBundle(bundle, SEED, nightly);
    const settingsOf = async (name: string) => ({
      DATA_DIR: join(folder, name),
      DATABASE_URL: await services.postgres.createDatabase(name),
      REDIS_URL: services.redis.url,
    });
    const rows = [
      ...(await overHttp(await settingsOf('http'), { bundle, nightly })),
      ...(await imported(await settingsOf('imported'), { bundle, nightly })),
    ];
    return {
      title: `catalog records over HTTP, one caller, ${RECORDS_MAX} a call, beside the importer; PostgreSQL`,
      head: ['run', 'records', 'seconds', 'records/s', 'p50 ms a call', 'p95 ms'],
      rows,
      notes: [`${products} products.`],
    };
  } finally {
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

type Settings = Readonly<Record<string, string>> & { readonly DATABASE_URL: string };

interface Bundles {
  readonly bundle: string;
  readonly nightly: string;
}

async function overHttp(settings: Settings, { bundle, nightly }: Bundles) {
  const api = await startProcess({ ...settings, ROLE: 'api', RATE_PER_SECOND: '0', RATE_PER_MINUTE: '0' });
  const pool = new Pool(api.url, { connections: 1 });
  const key = await makeKey(settings, { scopes: 'catalog:write' });
  try {
    const rows: (string | number)[][] = [];
    for (const [run, from] of [
      ['HTTP: empty catalog', bundle],
      ['HTTP: the same again', bundle],
      ['HTTP: all estimates anew', nightly],
    ] as const) {
      const times: number[] = [];
      let records = 0;
      for await (const lines of callsOf(from)) {
        const startedAt = performance.now();
        await write(pool, key, lines);
        times.push(performance.now() - startedAt);
        records += lines.length;
      }
      const seconds = times.reduce((sum, ms) => sum + ms, 0) / 1000;
      rows.push(row(run, records, seconds, [percentile(times, 0.5), percentile(times, 0.95)]));
    }
    return rows;
  } finally {
    await pool.close();
    await api.stop();
  }
}

async function imported(settings: Settings, { bundle, nightly }: Bundles) {
  const rows: (string | number)[][] = [];
  for (const [run, from] of [
    ['importer: empty catalog', bundle],
    ['importer: the same again', bundle],
    ['importer: all estimates anew', nightly],
  ] as const) {
    let records = 0;
    for await (const lines of callsOf(from)) records += lines.length;
    rows.push(row(run, records, (await timedImport(settings, from)).seconds, []));
  }
  return rows;
}

const row = (run: string, records: number, seconds: number, ms: readonly number[]) => [
  run,
  records,
  seconds.toFixed(1),
  Math.round(records / seconds),
  ...ms.map(Math.round),
];

/** The lines of a bundle as the bodies of calls have them, in the order of its files. */
async function* callsOf(bundle: string): AsyncGenerator<readonly string[]> {
  let lines: string[] = [];
  for (const file of Object.values(BUNDLE_FILES)) {
    if (!existsSync(join(bundle, file))) continue;
    for await (const line of createInterface({ input: createReadStream(join(bundle, file)) })) {
      lines.push(`{"${file.replace('.jsonl', '')}":${line}}`);
      if (lines.length < RECORDS_MAX) continue;
      yield lines;
      lines = [];
    }
  }
  if (lines.length > 0) yield lines;
}

/** @throws Error when a line was rejected */
async function write(pool: Pool, key: string, lines: readonly string[]): Promise<void> {
  const answer = await pool.request({
    method: 'PUT',
    path: '/v3/catalog/records',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 || !text.includes('"rejected":0')) {
    throw new Error(`the catalog answered ${answer.statusCode}: ${text.slice(0, 500)}`);
  }
}
