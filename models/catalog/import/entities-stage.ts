import type { RecordTransaction } from '../../ports';
import { categoriesOf } from '../taxonomy';
import { runStage } from './batch-queue';
import { type Deletion, type EntityRecord, isDeletion } from './records';
import { belongsElsewhere, entityFault, type Fault, isInAll, vocabularyFault } from './reference-fault';
import type { Batch, Numbered, Reject, WriteContext } from './stage';

type Entity = EntityRecord | Deletion;

/**
 * Imports the entities. Their order does not matter: a line that names a parent of a later line is read again, until
 * all parents are there. So a run that was killed and starts again accepts the same lines as an unbroken one.
 */
export async function importEntities(context: WriteContext, waiting: Waiting | null = null): Promise<number> {
  const pass = new EntityPass(context, waiting);
  const accepted = await pass.run();
  const { lines, ids } = pass.left;
  if (lines.size === 0) return accepted;
  const isStuck = lines.size === waiting?.lines.size;
  return accepted + (await importEntities(context, { lines, ids, isStuck }));
}

/** The lines that wait for a parent, and their ids. */
interface Waiting {
  readonly lines: ReadonlySet<number>;
  readonly ids: ReadonlySet<string>;
  /** The last pass changed nothing: the parents name each other in a circle. */
  readonly isStuck: boolean;
}

class EntityPass {
  readonly left = { lines: new Set<number>(), ids: new Set<string>() };

  constructor(
    private readonly context: WriteContext,
    private readonly waiting: Waiting | null,
  ) {}

  async run(): Promise<number> {
    const { source, pictures } = this.context;
    return await runStage(
      this.context,
      await source.file('entities'),
      {
        key: (entity) => entity.id,
        inOrder: ({ id }) => [id],
        prepare: (batch, reject) => pictures.storeAll(batch, reject),
        check: (batch, reject, transaction) => this.check(batch, reject, transaction),
        write: (records, transaction) => transaction.write('entities', records),
      },
      this.waiting?.lines,
    );
  }

  private async check(
    batch: Batch<Entity>,
    reject: Reject,
    transaction: RecordTransaction,
  ): Promise<Batch<Entity>> {
    const named = batch.flatMap(({ record }) =>
      isDeletion(record) ? [record.id] : [record.id, ...Object.values(record.parents)],
    );
    const known = new Map(await transaction.entities([...new Set(named)]));
    return batch.filter((numbered) => {
      if (this.mustWait(numbered, known)) return false;
      const fault = this.faultOf(numbered.record, known);
      if (fault) reject(numbered.line, fault.field, fault.reason);
      else if (!isDeletion(numbered.record)) known.set(numbered.record.id, numbered.record);
      return !fault;
    });
  }

  /** Whether a line is to be read again: it names what may still come, or it replaces a line that waits. */
  private mustWait({ line, record }: Numbered<Entity>, known: ReadonlyMap<string, EntityRecord>): boolean {
    if (this.waiting?.isStuck) return false;
    const parents = isDeletion(record) ? [] : Object.values(record.parents);
    const mayCome = (id: string) => !known.has(id) && (this.waiting === null || this.waiting.ids.has(id));
    if (!parents.some(mayCome) && !this.left.ids.has(record.id)) return false;
    this.left.lines.add(line);
    this.left.ids.add(record.id);
    return true;
  }

  private faultOf(record: Entity, known: ReadonlyMap<string, EntityRecord>): Fault | null {
    if (isDeletion(record)) return null;
    const before = known.get(record.id);
    if (before && !isInAll(record.category, before.category)) {
      return { field: 'category', reason: belongsElsewhere(record.id, before.category) };
    }
    if (this.context.taxonomy.categories.has(record.id))
      return { field: 'id', reason: 'is the id of a category' };
    if (record.tags.length > 0 && record.kind !== 'style') {
      return { field: 'tags', reason: `a ${record.kind} carries no tags, styles and products do` };
    }
    return (
      vocabularyFault(record, this.context.taxonomy) ??
      this.sharingFault(record) ??
      parentFault(record, known)
    );
  }

  /** Only the outermost kind of each may be in several categories (contract 1.11). */
  private sharingFault({ kind, category }: EntityRecord): Fault | null {
    const ids = categoriesOf(category);
    const inner = ids.find((id) => this.context.taxonomy.categories.get(id)?.hierarchy[0] !== kind);
    if (ids.length === 1 || inner === undefined) return null;
    return {
      field: 'category',
      reason: `is a list, but in "${inner}" a ${kind} is not the outermost level of the hierarchy`,
    };
  }
}

function parentFault(record: EntityRecord, known: ReadonlyMap<string, EntityRecord>): Fault | null {
  for (const [kind, id] of Object.entries(record.parents)) {
    const reason = entityFault(id, known.get(id), { kind, category: record.category });
    if (reason !== null) return { field: `parents.${kind}`, reason };
  }
  return null;
}
