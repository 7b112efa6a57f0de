import type { CatalogImportStore, ReadLine, RecordSource } from '../../ports';
import { BatchSize, runStage } from './batch-queue';
import { FilesProgress } from './files-progress';
import type { ReadRecords, RecordKind } from './records';
import { KnownTaxonomy, type WriteContext, type WritePorts } from './stage';
import { entitiesStage, stagesOf, Waiting } from './stages';

/** After fewer records the tables are as they were before. */
const RECORDS_WORTH_TIDYING = 1_000;

type ImportPorts = WritePorts<CatalogImportStore>;
type ImportContext = ImportPorts & WriteContext;

/**
 * Imports records into the catalog (contract 13.2, 13.8): an upsert by id, in short transactions, each of which takes
 * records, and all that follows from them, from one whole state to the next. Every step may be repeated, so an import
 * that was killed is finished by starting it again. Resolves to the number of records that were accepted.
 */
export async function importRecords(ports: ImportPorts): Promise<number> {
  const { store, rejects, clock } = ports;
  const context = await contextOf(ports);
  // Also those that an import left which was killed.
  await makeIndexes(context);
  let accepted = await writeTaxonomy(context);
  // Rows above products are cheap to derive before a first load's products are there, and dear afterwards.
  await deriveRows(context);
  accepted += await writeProducts(context).finally(() => makeIndexes(context));
  accepted += await writePrices(context);
  context.files.end();
  await deriveRows(context);
  if (accepted >= RECORDS_WORTH_TIDYING) await store.tidy();
  await store.refreshSearch();
  await store.tellOfEnd({ accepted, rejected: rejects.count }, clock.now());
  return accepted;
}

/** Writes the records of a call in the same way, but for what takes long, which is left to others (contract 15.4). */
export async function writeRecords(ports: WritePorts): Promise<number> {
  const context = await contextOf(ports);
  return (await writeTaxonomy(context)) + (await writeProducts(context)) + (await writePrices(context));
}

async function contextOf<Ports extends WritePorts>(ports: Ports): Promise<Ports & WriteContext> {
  const taxonomy = new KnownTaxonomy(ports.store);
  await taxonomy.refresh();
  return { ...ports, taxonomy, files: await FilesProgress.of(ports.source, ports.progress) };
}

/** The files come in the order of contract 13.1: each names what stands in those before it. */
async function writeTaxonomy(context: WriteContext): Promise<number> {
  const stages = stagesOf(context);
  const categories = await runStage(context, 'categories', stages.categories);
  const tags = await runStage(context, 'tags', stages.tags);
  const synonyms = await runStage(context, 'synonyms', stages.synonyms);
  return categories + tags + synonyms + (await writeEntities(context));
}

/**
 * The order of entities does not matter: a line that names a parent of a later line is read again, until all parents
 * are there. So a run that was killed and starts again accepts the same lines as an unbroken one.
 */
async function writeEntities(context: WriteContext): Promise<number> {
  let accepted = 0;
  let waiting: Waiting | null = null;
  do {
    const left: Waiting = new Waiting(waiting);
    accepted += await runStage(context, 'entities', entitiesStage(context, left), waiting?.lines);
    waiting = left;
  } while (waiting.lines.size > 0);
  return accepted;
}

const writeProducts = (context: WriteContext): Promise<number> =>
  runStage(context, 'products', stagesOf(context).products);

async function writePrices(context: WriteContext): Promise<number> {
  const stages = stagesOf(context);
  const estimates = await runStage(context, 'estimates', stages.estimates);
  const history = await runStage(context, 'history', stages.history);
  return estimates + history + (await runStage(context, 'listings', stages.listings));
}

/** What searches need of indexes; large first imports of products go without. */
async function makeIndexes({ store, progress, files }: ImportContext): Promise<void> {
  const total = await store.missingIndexes();
  if (total === 0) return;
  files.pause();
  progress.begin('indexes of search', total);
  let made = 0;
  await store.makeIndexes(() => {
    made += 1;
    progress.reach(made);
  });
  progress.end();
}

/** Also those that an import left which was killed. */
async function deriveRows(context: ImportContext): Promise<void> {
  const { store, progress, clock, transactionMs } = context;
  const total = await store.staleRows();
  if (total === 0) return;
  context.files.pause();
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

/** Lines in memory, by the kind of their records. */
export type ListedRecords = { readonly [Kind in RecordKind]?: readonly ReadLine<ReadRecords[Kind]>[] };

/** Records that are all in memory, as a source of a few. */
export class ListedSource implements RecordSource {
  constructor(private readonly listed: ListedRecords) {}

  async file<Kind extends RecordKind>(kind: Kind) {
    const lines: readonly ReadLine<ReadRecords[Kind]>[] | undefined = this.listed[kind];
    if (!lines?.length) return null;
    return {
      name: kind,
      bytes: lines.length,
      async *read() {
        yield { lines, bytesRead: lines.length };
      },
    };
  }
}
