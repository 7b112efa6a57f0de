import { BatchSize } from './batch-queue';
import { importEntities } from './entities-stage';
import { estimatesStage, historyStage, listingsStage } from './price-stages';
import { productsStage } from './products-stage';
import { runStage } from './run-stage';
import type { ImportContext, ImportPorts } from './stage';
import { categoriesStage, tagsStage } from './taxonomy-stages';

/** After fewer records the tables are as they were before. */
const RECORDS_WORTH_TIDYING = 1_000;

/**
 * Imports records into the catalog (contract 13.2, 13.8): an upsert by id, in short transactions, each of which takes
 * records, and all that follows from them, from one whole state to the next. Every step may be repeated, so an import
 * that was killed is finished by starting it again. Resolves to the number of records that were accepted.
 */
export async function importRecords(ports: ImportPorts): Promise<number> {
  const { store, rejects, clock } = ports;
  const categories = new Map((await store.categories()).map((category) => [category.id, category]));
  const tags = new Set(await store.tagIds());
  const context = { ...ports, categories, tags };
  const accepted = await importFiles(context);
  await deriveRows(context);
  if (accepted >= RECORDS_WORTH_TIDYING) await store.tidy();
  await store.refreshSearch();
  await store.tellOfEnd({ accepted, rejected: rejects.count }, clock.now());
  return accepted;
}

/** In the order of contract 13.1: each file names what stands in those before it. */
async function importFiles(context: ImportContext): Promise<number> {
  const { source } = context;
  // Also those that an import left which was killed.
  await makeIndexes(context);
  let accepted = await runStage(context, await source.file('categories'), categoriesStage(context));
  accepted += await runStage(context, await source.file('tags'), tagsStage(context));
  accepted += await importEntities(context);
  // Rows above products are cheap to derive before a first load's products are there, and dear afterwards.
  await deriveRows(context);
  accepted += await runStage(context, await source.file('products'), productsStage(context)).finally(() =>
    makeIndexes(context),
  );
  accepted += await runStage(context, await source.file('estimates'), estimatesStage(context));
  accepted += await runStage(context, await source.file('history'), historyStage(context));
  return accepted + (await runStage(context, await source.file('listings'), listingsStage(context)));
}

/** What searches need of indexes; large first imports of products go without. */
async function makeIndexes({ store, progress }: ImportContext): Promise<void> {
  const total = await store.missingIndexes();
  if (total === 0) return;
  progress.begin('indexes of search', total);
  let made = 0;
  await store.makeIndexes(() => {
    made += 1;
    progress.reach(made);
  });
  progress.end();
}

/** Also those that an import left which was killed. */
async function deriveRows({ store, progress, clock, transactionMs }: ImportContext): Promise<void> {
  const total = await store.staleRows();
  if (total === 0) return;
  progress.begin('rows that follow', total);
  const size = new BatchSize(transactionMs);
  for (let done = 0; ; ) {
    const startedAt = clock.now().getTime();
    const count = await store.deriveStaleRows(size.records);
    if (count === 0) break;
    size.learn(count, clock.now().getTime() - startedAt);
    done += count;
    progress.reach(Math.min(done, total));
  }
  progress.end();
}
