import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { rowsOf, sql } from '../../../../db/core/sql';
import { embeddingsOf } from '../../../../db/embeddings/embedding-tables';
import { onnxFileOf } from '../../../../workers/embedder/load-model';
import { bundledModel } from '../../../../workers/library/model-library';
import { processEnvironment } from '../../../config';
import { drawPhotos, fill, PHOTO_SIDE, PICTURE_SIDE, photoBodies } from '../generated';
import {
  type BenchOptions,
  type Installation,
  onInstallation,
  type Settings,
  UNLIMITED,
} from '../installation';
import { Client, runConcurrently } from '../load';
import { memoryOf, processesCalled, processorMsOf, processTree } from '../process-stats';
import { byTurns, type Cell, type Measurement, machine, percentiles } from '../table';

export type PeersBenchOptions = Omit<BenchOptions, 'against'>;

export const TURNS = 5;

interface Subject {
  readonly name: string;
  readonly pids: readonly number[];
  identify(body: Buffer): Promise<{ readonly text: string }>;
}

const CALLERS = [1, 16];
/** The share of photos that must have the same best product: equally near ones may come in another order. */
const AGREEMENT_MIN = 0.9;
const STORES = ['postgres', 'redis-server'];
/** Kept between runs, so that only the first one downloads the packages. */
const PYTHON = join('bench-results', 'python');
const run = promisify(execFile);

/** Identify beside the same network behind FastAPI, ONNX Runtime, OpenCV and pgvector. @throws Error if they find other products */
export async function benchPeers({ products, calls }: PeersBenchOptions): Promise<Measurement> {
  await installPython();
  const bodies = photoBodies(await drawPhotos(products, PHOTO_SIDE));
  const filled = async (installation: Installation, folder: string): Promise<Subject> => {
    await installation.start();
    await fill([installation], folder, { products, pictures: PICTURE_SIDE });
    const client = new Client(installation.url, await installation.key());
    return {
      ...{ name: `Loupe, ${installation.mode}`, pids: await processTree(installation.pids) },
      identify: (body) => client.post('/v3/vision/identify', body),
    };
  };
  return onInstallation({ mode: 'PostgreSQL and Redis', settings: UNLIMITED }, async (served, folder) =>
    onInstallation({ mode: 'embedded', settings: UNLIMITED }, async (embedded, embeddedFolder) => {
      const loupes = [await filled(served, folder), await filled(embedded, embeddedFolder)];
      const peers = await startPeers(served, folder);
      try {
        const subjects = [...peers.map(({ subject }) => subject), ...loupes];
        const agreed = await agreement(subjects, bodies);
        const isCertain = sql`jsonb_array_length(neighbours -> 0 -> 'byView') = 1`;
        const stopped = sql`SELECT round(100 * avg((${isCertain})::int))::text AS share FROM predictions`;
        const [certain] = await served.onDatabase((knex) => rowsOf<{ share: string }>(knex, stopped));
        return {
          title: `identify beside a peer: ${products} products, ${PHOTO_SIDE} x ${PHOTO_SIDE} JPEG photos, medians of ${TURNS}, ${machine()}`,
          head: [
            ...['', 'callers', 'photos/s', 'p50 ms', 'p95 ms'],
            ...['processor ms a photo', 'of the stores', 'MiB'],
          ],
          rows: await byTurns(subjects, (subject) => measure(subject, bodies, calls), TURNS),
          notes: [
            'The peer checks no key, books nothing, limits nothing, keeps no record of its answers, and has no confidence, prices or taxonomy.',
            ...agreed,
            `Loupe looked at the whole view alone of ${certain?.share} % of the photos; the peer always embeds all crops.`,
            'Processor time is that of the processes that answer, and of all PostgreSQL and Redis processes of the machine meanwhile. The client shares the cores.',
          ],
        };
      } finally {
        for (const { child } of peers) child.kill('SIGTERM');
      }
    }),
  );
}

async function startPeers(served: Installation, folder: string) {
  const version = await served.onDatabase(async (knex) => {
    const live = sql`SELECT id FROM embedding_versions WHERE state = 'live'`;
    return (await rowsOf<{ id: number }>(knex, live))[0]?.id ?? 0;
  });
  const { DATABASE_URL = '' } = served.settings;
  const common = { ...(await exportNetwork(folder)), DATABASE_URL, VECTORS: embeddingsOf(version).text };
  return Promise.all(
    [...new Set([1, cpus().length])].map(async (threads) => {
      const { url, child } = await startPeer('photo_peer', { ...common, THREADS: String(threads) });
      const client = new Client(url, '');
      const subject: Subject = {
        name: `peer, ${threads} ${threads === 1 ? 'thread' : 'threads'} an inference`,
        pids: [child.pid ?? 0],
        identify: (body) => client.post('/identify', body),
      };
      return { subject, child };
    }),
  );
}

/** Installs the packages of `requirements.txt` into an environment of their own. @throws Error without Python 3.10 or newer */
export async function installPython(): Promise<void> {
  const [requirements, installed] = [join(__dirname, 'requirements.txt'), join(PYTHON, 'installed.txt')];
  const wanted = await readFile(requirements, 'utf8');
  if (wanted === (await readFile(installed, 'utf8').catch(() => null))) return;
  process.stderr.write('installing the Python packages of the peers\n');
  await run('python3', ['-m', 'venv', PYTHON]);
  await run(join(PYTHON, 'bin', 'pip'), ['install', '--quiet', '--requirement', requirements]);
  await writeFile(installed, wanted);
}

/** Starts a program of this folder and waits until it answers. @throws Error when it ends instead, with its output */
export async function startPeer(
  module: string,
  settings: Settings,
): Promise<{ url: string; child: ChildProcess }> {
  const words = ['-m', 'uvicorn', `${module}:app`, '--app-dir', __dirname, '--port', '0', '--no-access-log'];
  const child = spawn(join(PYTHON, 'bin', 'python'), words, {
    env: { PATH: processEnvironment()['PATH'], PYTHONDONTWRITEBYTECODE: '1', ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const [, url] = /running on (http:\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stderr.pipe(process.stderr);
    return { url, child };
  }
  throw new Error(`${module} did not start:\n${said.join('\n')}`);
}

async function exportNetwork(folder: string): Promise<Settings> {
  const model = await bundledModel();
  const input = { ...model.manifest.input, name: model.manifest.input.name ?? 'pictures' };
  const [NETWORK, MANIFEST] = [join(folder, 'network.onnx'), join(folder, 'manifest.json')];
  await writeFile(NETWORK, await onnxFileOf(model));
  await writeFile(MANIFEST, JSON.stringify({ ...model.manifest, input }));
  return { NETWORK, MANIFEST };
}

/** @throws Error when two subjects have different products first for more than a few photos */
async function agreement(subjects: readonly Subject[], bodies: readonly Buffer[]): Promise<string[]> {
  const found = await Promise.all(
    subjects.map(async ({ identify }) => {
      const first: string[] = [];
      for (const body of bodies) {
        const { data } = JSON.parse((await identify(body)).text) as { data: { id: string }[] };
        first.push(data.find(({ id }) => id.startsWith('product_'))?.id ?? '');
      }
      return first;
    }),
  );
  const [reference = []] = found;
  return subjects.slice(1).map(({ name }, at) => {
    const same = reference.filter((id, photo) => id !== '' && id === found[at + 1]?.[photo]).length;
    const said = `${name} and ${subjects[0]?.name} have the same product first for ${same} of ${bodies.length} photos`;
    if (same < AGREEMENT_MIN * bodies.length) throw new Error(`${said}: they do not do the same work`);
    return `${said}.`;
  });
}

async function measure(subject: Subject, bodies: readonly Buffer[], calls: number): Promise<Cell[][]> {
  const load = (count: number, callers: number) =>
    runConcurrently(count, callers, (at) => subject.identify(bodies[at % bodies.length] ?? Buffer.alloc(0)));
  await load(2 * Math.max(...CALLERS), Math.max(...CALLERS));
  const rows: Cell[][] = [];
  for (const callers of CALLERS) {
    const count = callers === 1 ? calls : 4 * calls;
    const used = async () => [
      await processorMsOf(subject.pids),
      await processorMsOf(await processesCalled(STORES)),
    ];
    const before = await used();
    const { each, totalMs } = await load(count, callers);
    const after = await used();
    const memory = await Promise.all(subject.pids.map((pid) => memoryOf(pid)));
    rows.push([
      ...[callers, (1000 * count) / totalMs, ...percentiles(each, 0.5, 0.95)],
      ...after.map((ms, at) => (ms - (before[at] ?? 0)) / count),
      Math.round(memory.reduce((sum, mib) => sum + mib, 0)),
    ]);
  }
  return rows;
}
