import type { ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { wordsOf } from '../../../../models/catalog/fold-text';
import { Random } from '../../../../models/random';
import { aloneAndTogether, fillAll } from '../catalog/bench-catalog';
import { CatalogSample } from '../catalog/catalog-sample';
import { QUESTION_KINDS, type Question, requestOf } from '../catalog/questions';
import { SEED } from '../generated';
import { onInstallation } from '../installation';
import { Client } from '../load';
import { byTurns, type Cell, formatCell, type Measurement, machine } from '../table';
import { installPython, type PeersBenchOptions, startPeer, TURNS } from './bench-peers';

interface Subject {
  readonly name: string;
  ask(question: Question): Promise<{ readonly text: string }>;
}

const ENGINES = ['tantivy', 'SQLite FTS5', 'DuckDB'];

/** Beside tantivy, SQLite FTS5 and DuckDB with the same rows behind FastAPI, by turns; only Loupe checks a key and books answers. */
export async function benchCatalogPeers({ products, calls }: PeersBenchOptions): Promise<Measurement> {
  await installPython();
  const settings = { RATE_PER_SECOND: '0' };
  const mode = 'PostgreSQL and Redis';
  return onInstallation({ mode, settings }, async (installation, folder) => {
    await fillAll([installation], folder, products);
    const sample = await installation.onDatabase((knex) => CatalogSample.read(knex, SEED));
    const children: ChildProcess[] = [];
    try {
      const subjects: Subject[] = [];
      for (const engine of ENGINES) {
        process.stderr.write(`${engine}: indexing\n`);
        const FOLDER = join(folder, engine);
        await mkdir(FOLDER);
        const { DATABASE_URL = '' } = installation.settings;
        const { url, child } = await startPeer('catalog_peer', { ENGINE: engine, FOLDER, DATABASE_URL });
        children.push(child);
        const client = new Client(url, '');
        subjects.push({ name: engine, ask: (question) => client.post('/search', bodyFor(question) ?? {}) });
      }
      await installation.start(['api']);
      const client = new Client(installation.url, await installation.key());
      const ask = (question: Question) => {
        const { path, body = {} } = requestOf(question, false);
        return client.post(path, body);
      };
      subjects.unshift({ name: 'Loupe', ask });
      const kinds = QUESTION_KINDS.filter(
        ({ draw, name }) => bodyFor(draw(sample, new Random(SEED, 'kind', name))) !== null,
      );
      for (const { name, draw } of kinds)
        await agree(subjects, draw(sample, new Random(SEED, 'agreement', name)));
      const measure = async (subject: Subject) => {
        const measured: Cell[][] = [];
        for (const { name, draw } of kinds) {
          const cells = await aloneAndTogether(calls, (random) => draw(sample, random), subject.ask, name);
          measured.push([name, ...cells]);
        }
        return measured;
      };
      const rows = await byTurns(subjects, measure, TURNS);
      return {
        title: `catalog beside peers: ${sample.size} products, medians of ${TURNS}, ${machine()}`,
        head: ['query', '', 'p50 ms', 'p95 ms', 'queries/s of 16', "Loupe's p50, times"],
        rows: rows.map(([subject = '', query = '', p50 = 0, p95 = 0, , , , , , rate = 0]) => {
          const own = rows.find((row) => row[0] === 'Loupe' && row[1] === query);
          const ratio = subject === 'Loupe' ? null : formatCell(Number(own?.[2]) / Number(p50));
          return [query, subject, p50, p95, rate, ratio];
        }),
        notes: [
          'The peers check no key and book nothing; they answer ids, names and the exact total, without attributes, prices, facets, misspellings, joined words, references or synonyms. DuckDB has no prefixes either.',
        ],
      };
    } finally {
      for (const child of children) child.kill('SIGTERM');
    }
  });
}

/** @throws Error when the totals of a listing differ; by a text Loupe finds more */
async function agree(subjects: readonly Subject[], question: Question): Promise<void> {
  if ('query' in question && question.query.text !== null) return;
  const totals = new Map<string, number>();
  for (const { name, ask } of subjects)
    totals.set(name, (JSON.parse((await ask(question)).text) as { total_results: number }).total_results);
  if (new Set(totals.values()).size > 1)
    throw new Error(`they do not do the same work: ${JSON.stringify({ question, totals: [...totals] })}`);
}

/** The body for a peer; null for a question that the peers have no answer to. */
function bodyFor(question: Question): object | null {
  if (!('query' in question)) return null;
  const { text, node, filters, facets, cursor, page, sort } = question.query;
  if (node !== 'product' || facets || cursor || sort !== 'popularity_desc') return null;
  const terms = (field: string, values: readonly string[]) => values.map((value) => `${field}:${value}`);
  return {
    ...{ words: text === null ? [] : wordsOf(text), page },
    filters: filters.map(({ field, include, exclude }) => ({
      include: terms(field, include),
      exclude: terms(field, exclude),
    })),
  };
}
