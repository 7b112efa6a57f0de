import { inTransaction, rowsOf, sql } from '../../../../db/core/sql';
import { embeddingsOf, isShown, vectorText, vectorType } from '../../../../db/embeddings/embedding-tables';
import { PgvectorExactNeighbours } from '../../../../db/embeddings/exact-neighbours';
import { PgvectorNeighbourIndex } from '../../../../db/embeddings/neighbour-index';
import { EVERYTHING, type SearchScope } from '../../../../models/catalog/catalog-query';
import type { EmbeddingVersion } from '../../../../models/vision/embedding-model';
import { type Cell, percentiles, runConcurrently } from '../measure';
import type { Knex } from '../set-up';
import { VIEWS } from './clustered-vectors';
import { CATEGORIES, type Category } from './loaded-vectors';

export const WANTED = 10;
/** Images that an identification asks for (models/vision/vision-service.ts). */
export const ASKED_BY_SERVICE = 60;
const SERVICE_VIEWS = 4;
const CLIENTS = 4;

/** Connections that the searches here take at most. */
export const CONNECTIONS = CLIENTS;

/** `none`: the whole catalog. */
export type Filter = Category | 'none';
export const FILTERS: readonly Filter[] = ['none', 'half', 'tenth', 'hundredth', 'thousandth'];

export type Ask = (vectors: readonly Float32Array[]) => Promise<readonly number[]>;

/** What an exact search found, by query vector. */
export type Truth = ReadonlyMap<Float32Array, readonly number[]>;

/** What a search found and how long it took. */
export interface Figures {
  readonly name: string;
  readonly filter: Filter;
  /** NaN where it was asked for the time alone. */
  readonly recall: number;
  readonly each: readonly number[];
  readonly perSecond: number;
}

/** The exact scan for some of the queries, one at a time. */
export async function scanExactly(
  knex: Knex,
  version: EmbeddingVersion,
  asked: readonly Float32Array[],
  filter: Filter,
): Promise<{ truth: Truth; figures: Figures }> {
  const exact = new PgvectorExactNeighbours(knex);
  const truth = new Map<Float32Array, readonly number[]>();
  const { each, totalMs } = await runConcurrently(asked.length, 1, async (at) => {
    const vector = asked[at] ?? new Float32Array();
    truth.set(vector, await exact.nearest(version, [vector], WANTED, scopeOf(filter)));
  });
  const perSecond = (1000 * asked.length) / totalMs;
  return { truth, figures: shown({ name: 'exact scan', filter, recall: 1, each, perSecond }) };
}

/** Recall where the truth is known, then how long all queries take: one after the other, and several at a time. */
export async function search(
  name: string,
  filter: Filter,
  asked: readonly Float32Array[],
  truth: Truth,
  ask: Ask,
): Promise<Figures> {
  let right = 0;
  let expected = 0;
  for (const [vector, wanted] of truth) {
    const found = new Set((await ask([vector])).slice(0, WANTED));
    right += wanted.filter((image) => found.has(image)).length;
    expected += wanted.length;
  }
  const times = await timesOf(asked.length, (at) => ask(asked.slice(at, at + 1)));
  return shown({ name, filter, recall: right / expected, ...times });
}

/** As `search` for the time alone, with as many query vectors at a time as the service has views of a photo. */
export async function searchByViews(
  name: string,
  asked: readonly Float32Array[],
  ask: Ask,
): Promise<Figures> {
  const viewsOf = (at: number) =>
    Array.from(
      { length: SERVICE_VIEWS },
      (_, view) => asked[(at + view) % asked.length] ?? new Float32Array(),
    );
  const times = await timesOf(asked.length, (at) => ask(viewsOf(at)));
  return shown({ name, filter: 'none', recall: Number.NaN, ...times });
}

async function timesOf(count: number, ask: (at: number) => Promise<unknown>) {
  const alone = await runConcurrently(count, 1, ask);
  const together = await runConcurrently(count, CLIENTS, ask);
  return { each: alone.each, perSecond: (1000 * count) / together.totalMs };
}

/** The search of the service, for so many images. */
export function asShipped(knex: Knex, version: EmbeddingVersion, filter: Filter, images: number): Ask {
  const index = new PgvectorNeighbourIndex(knex);
  return async (vectors) =>
    (await index.nearest(version, [vectors], images, scopeOf(filter))).map(({ imageId }) => imageId);
}

/** The index alone, with so many candidates; under a filter it goes on until enough pass. */
export function byIndex(
  knex: Knex,
  version: EmbeddingVersion,
  efSearch: number,
  filter: Filter = 'none',
): Ask {
  const type = vectorType(version.manifest.output.dimensions);
  return ([vector = new Float32Array()]) =>
    inTransaction(knex, async (transaction) => {
      await rowsOf(
        transaction,
        sql`SELECT set_config('hnsw.ef_search', ${String(efSearch)}, true),
        set_config('hnsw.iterative_scan', 'relaxed_order', true)`,
      );
      const rows = await rowsOf<{ image: number }>(
        transaction,
        sql`SELECT image_id AS image FROM (
              SELECT e.image_id, e.embedding <#> ${vectorText(vector)}::${type} AS product
              FROM ${embeddingsOf(version.id)} e WHERE ${isShown(sql`e.image_id`, scopeOf(filter))}
              ORDER BY e.embedding <#> ${vectorText(vector)}::${type} LIMIT ${WANTED * VIEWS}
            ) AS near GROUP BY image_id ORDER BY min(product) LIMIT ${WANTED}`,
      );
      return rows.map(({ image }) => Number(image));
    });
}

export const headOfFigures = ['search', 'filter', 'recall@10', 'p50 ms', 'p99 ms', 'searches/s'];

export const rowOfFigures = ({ name, filter, recall, each, perSecond }: Figures): Cell[] => [
  name,
  filter === 'none' ? 'none' : `${100 * CATEGORIES[filter]} % of the images`,
  Number.isNaN(recall) ? '' : recall.toFixed(3),
  ...percentiles(each, 1, 0.5, 0.99),
  perSecond.toFixed(0),
];

/** A size takes minutes: each figure is told when it is known. */
function shown(figures: Figures): Figures {
  process.stderr.write(`${rowOfFigures(figures).join(', ')}\n`);
  return figures;
}

/** In words. */
export const CLIENTS_SAID = `p50 and p99 with one client, searches a second with ${CLIENTS} (exact scans with one)`;

const scopeOf = (filter: Filter): SearchScope =>
  filter === 'none' ? EVERYTHING : { ...EVERYTHING, category: filter };
