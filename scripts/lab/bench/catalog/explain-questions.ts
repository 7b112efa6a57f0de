import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PostgresCatalogRepository } from '../../../../db/catalog/catalog-repository';
import { rowsOf, Sql, sql } from '../../../../db/core/sql';
import { rowBefore } from '../../../../models/catalog/cursor';
import { wordsOf } from '../../../../models/catalog/fold-text';
import type { CatalogItem } from '../../../../models/catalog/item';
import { SUGGESTIONS_MAX } from '../../../../models/catalog/suggestion';
import { Random } from '../../../../models/random';
import type { Knex } from '../installation';
import type { CatalogSample } from './catalog-sample';
import type { Question, QuestionKind } from './questions';

/** A statement of a question with what the planner made of it. */
export interface ExplainedStatement {
  readonly statement: string;
  readonly plan: readonly string[];
}

/** Tables that grow with the catalog: no question may read one of them from end to end. */
const CATALOG_TABLES = [
  ...['catalog_search', 'catalog_rows', 'search_words', 'entities', 'products', 'variants'],
  ...['market_estimates', 'estimate_history', 'listings', 'search_snapshot_bitmaps'],
];
/** A table of a few pages is rightly read at once. */
const FEW_PAGES = 16;

/**
 * Writes a file for each sort of question: its first draw, and every statement that it takes with its plan as executed.
 *
 * @throws Error naming the questions whose statements scan a whole table
 */
export async function explainQuestions(
  knex: Knex,
  sample: CatalogSample,
  kinds: readonly QuestionKind[],
  folder: string,
  seed: number,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const large = await largeTables(knex);
  const scanning: string[] = [];
  for (const kind of kinds) {
    const question = kind.draw(sample, new Random(seed, 'alone', kind.name));
    const explained = await explain(knex, question);
    if (explained.some((each) => scansAny(each, large))) scanning.push(kind.name);
    const text = explained.map(({ statement, plan }) =>
      [statement, ...plan.map((line) => `  ${shortened(line)}`)].join('\n'),
    );
    const file = join(folder, `${kind.name.replaceAll(' ', '-')}.txt`);
    await writeFile(file, `${JSON.stringify(question)}\n\n${text.join('\n\n')}\n`);
  }
  if (scanning.length > 0) throw new Error(`a whole table is read by: ${scanning.join(', ')}`);
}

/** Tables of the catalog that have more than a few pages. */
export async function largeTables(knex: Knex): Promise<string[]> {
  const tables = await rowsOf<{ name: string }>(
    knex,
    sql`SELECT relname AS name FROM pg_class
        WHERE relname = ANY(${CATALOG_TABLES}::text[]) AND relkind = 'r'
          AND pg_relation_size(oid) > ${FEW_PAGES} * current_setting('block_size')::integer`,
  );
  return tables.map(({ name }) => name);
}

/** Begins and ends a transaction, and has no plan. */
const TRANSACTION = /^(BEGIN|COMMIT)\b/;

/** Whether a plan reads one of the tables from end to end. */
export const scansAny = ({ plan }: ExplainedStatement, tables: readonly string[]): boolean =>
  plan.some((line) => tables.some((table) => new RegExp(`Seq Scan on ${table}\\b`).test(line)));

/** Every statement that a question, with pricing where it has any, takes, in order, executed once more under EXPLAIN. */
export async function explain(knex: Knex, question: Question): Promise<ExplainedStatement[]> {
  const asked: { sql: string; bindings: Bindings }[] = [];
  const listen = (statement: { sql: string; bindings: Bindings }) => {
    if (!TRANSACTION.test(statement.sql)) asked.push(statement);
  };
  knex.client.on('query', listen);
  try {
    await answer(knex, question);
  } finally {
    knex.client.off('query', listen);
  }
  const explained: ExplainedStatement[] = [];
  for (const { sql: statement, bindings } of asked) {
    const text = statement.replace(/\$\d+/g, '?');
    const lines = await rowsOf<{ 'QUERY PLAN': string }>(
      knex,
      new Sql(`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ${text}`, bindings),
    );
    explained.push({
      statement: oneLine(statement, bindings),
      plan: lines.map((line) => line['QUERY PLAN']),
    });
  }
  return explained;
}

async function answer(knex: Knex, question: Question): Promise<void> {
  const catalog = new PostgresCatalogRepository(knex);
  if ('suggest' in question) {
    const { suggest: text } = question;
    await catalog.suggest({ text, words: wordsOf(text), category: null, size: SUGGESTIONS_MAX });
  } else if ('item' in question) await catalog.itemsById([question.item], true);
  else await found(catalog, question);
}

async function found(
  catalog: PostgresCatalogRepository,
  { query }: Extract<Question, { query: unknown }>,
): Promise<readonly CatalogItem[]> {
  const { text, cursor, ...rest } = query;
  const resolved = { ...rest, words: text === null ? null : wordsOf(text) };
  const asked = cursor === undefined ? resolved : { ...resolved, after: rowBefore(resolved, cursor) };
  return (await catalog.search(asked, true)).rows;
}

type Bindings = Sql['bindings'];

/** Values of a statement, and lines of a plan, are shown up to here. */
const SHOWN_MAX = 160;

function oneLine(statement: string, bindings: Bindings): string {
  const values = bindings.map((value) => JSON.stringify(value)).join(', ');
  return `${statement.replace(/\s+/g, ' ').trim()}\n-- ${shortened(values)}`;
}

const shortened = (text: string): string => (text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);

/** Products that lie anywhere get another popularity and another word. */
export async function changeProducts(knex: Knex, count: number, seed: number): Promise<void> {
  await rowsOf(
    knex,
    sql`UPDATE catalog_rows SET popularity = popularity + 1, words = words || array_to_tsvector(ARRAY['changed'])
        WHERE id IN (
          SELECT id FROM catalog_search WHERE kind = 'product' ORDER BY hashtextextended(id, ${seed}), id LIMIT ${count})`,
  );
}
