import type { CatalogImportStore } from '../../ports';
import { BatchSize, FilesProgress, runStage, type WriteContext, type WritePorts } from './run-stage';
import { KnownTaxonomy } from './stage';
import { entitiesStage, type Stages, stagesOf, Waiting } from './stages';

type ImportContext = WriteContext & WritePorts<CatalogImportStore>;

/**
 * Imports records (contract 13.2, 13.8): upserts by id, in short transactions that each leave a consistent state. Steps may be
 * repeated, so a killed import is simply run again. Resolves to the number of accepted records.
 */
export async function importRecords(ports: WritePorts<CatalogImportStore>): Promise<number> {
  const { store, rejects, clock } = ports;
  const context = { ...(await contextOf(ports)), ...ports };
  // Also those left by a killed import.
  await makeIndexes(context);
  let accepted = await writeTaxonomy(context);
  // Rows above products are cheap to derive before the products of a first load exist, and expensive afterwards.
  await deriveRows(context);
  accepted += await run(context, 'products').catch(async (failure: unknown) => {
    await makeIndexes(context);
    throw failure;
  });
  store.productsWritten();
  accepted += await makeIndexes(context, () => run(context, ...PRICES).finally(() => context.files.end()));
  await deriveRows(context);
  await store.end({ accepted, rejected: rejects.count }, clock.now());
  return accepted;
}

/** Writes the records of a call in the same way, but leaves slow work to others (contract 15.4). */
export async function writeRecords(ports: WritePorts): Promise<number> {
  const context = await contextOf(ports);
  return (await writeTaxonomy(context)) + (await run(context, 'products', ...PRICES));
}

const PRICES = ['estimates', 'history', 'listings'] as const;

async function run(context: WriteContext, ...kinds: readonly (keyof Stages)[]): Promise<number> {
  const stages = stagesOf(context);
  const runOne = <Kind extends keyof Stages>(kind: Kind) => runStage(context, kind, stages[kind]);
  let accepted = 0;
  for (const kind of kinds) accepted += await runOne(kind);
  return accepted;
}

async function contextOf(ports: WritePorts): Promise<WriteContext> {
  const taxonomy = new KnownTaxonomy(ports.store);
  await taxonomy.refresh();
  return { ...ports, taxonomy, files: await FilesProgress.of(ports) };
}

/** In the order of contract 13.1: the records of a file refer to those of the files before it. */
async function writeTaxonomy(context: WriteContext): Promise<number> {
  let accepted = await run(context, 'categories', 'tags', 'synonyms');
  // A line whose parent comes in a later line is read again, until a pass changes nothing. So the order of entities does
  // not matter, and a killed and restarted run accepts the same lines as an uninterrupted one.
  for (let before: Waiting | undefined; ; ) {
    const waiting: Waiting = new Waiting(before);
    accepted += await runStage(context, 'entities', entitiesStage(context, waiting), before?.lines);
    if (waiting.lines.size === 0) return accepted;
    before = waiting;
  }
}

/** Makes the missing indexes, beside `meanwhile` where the store can, and shows those that it still waits for. */
async function makeIndexes({ store, progress, files }: ImportContext, meanwhile = async () => 0) {
  const total = await store.missingIndexes();
  if (total === 0) return await meanwhile();
  let made = 0;
  let isShown = false;
  const making = store.makeIndexes(() => {
    made += 1;
    if (isShown) progress.reach(made);
  });
  // Awaited later; until then its failure has no handler.
  making.catch(() => undefined);
  const finish = async () => {
    if (made === total) return;
    files.pause();
    progress.begin('indexes of search', total, made);
    isShown = true;
    await making;
    progress.end();
  };
  if (!store.worksInParallel) await finish();
  return await meanwhile().finally(finish);
}

async function deriveRows({ store, progress, clock, files, transactionMs }: ImportContext): Promise<void> {
  const total = await store.staleRows();
  if (total === 0) return;
  files.pause();
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
