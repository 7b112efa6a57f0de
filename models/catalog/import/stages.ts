import type { RecordTransaction, VariantOwner } from '../../ports';
import { categoriesOf } from '../taxonomy';
import { productRow } from './derive-row';
import {
  belongsElsewhere,
  entityFault,
  type Fault,
  isInAll,
  type Named,
  referenceFault,
  vocabularyFault,
} from './faults';
import {
  type Deletion,
  type EntityRecord,
  isDeletion,
  type ProductRecord,
  type ReadRecords,
  type RecordKind,
  type WrittenRecords,
} from './records';
import type { Batch, Numbered, Reject, Stage, WriteContext } from './stage';

type Entity = EntityRecord | Deletion;
type Product = ProductRecord | Deletion;

type Stages = {
  readonly [Kind in Exclude<RecordKind, 'entities'>]: Stage<ReadRecords[Kind], WrittenRecords[Kind]>;
};

const unchanged = async <Record>(batch: Batch<Record>): Promise<Batch<Record>> => batch;

/** The stages of the files of a bundle; entities have `entitiesStage`. */
export const stagesOf = (context: WriteContext): Stages => ({
  /** The id of a category must be no entity's. */
  categories: {
    key: ({ id }) => id,
    inOrder: ({ id }) => [id],
    prepare: (batch, reject) => context.pictures.storeAll(batch, reject),
    async check(batch, reject, transaction) {
      const entities = await transaction.entities(batch.map(({ record }) => record.id));
      return accepted(batch, reject, ({ id }) =>
        entities.has(id) ? { field: 'id', reason: `"${id}" is an entity` } : null,
      ).map((numbered) => {
        context.taxonomy.categories.set(numbered.record.id, numbered.record);
        return numbered;
      });
    },
  },

  /** The categories of a tag must be known. */
  tags: {
    key: ({ id }) => id,
    inOrder: ({ id }) => [id],
    prepare: unchanged,
    async check(batch, reject) {
      return accepted(batch, reject, ({ id, categories }) => {
        const position = categories.findIndex((each) => !context.taxonomy.categories.has(each));
        if (position < 0) context.taxonomy.tags.add(id);
        const reason = `there is no category "${categories[position]}"`;
        return position < 0 ? null : { field: `categories.${position}`, reason };
      });
    },
  },

  /** Synonyms (contract 13.14) name nothing that must be known, and no row follows from them. */
  synonyms: { key: ({ id }) => id, inOrder: () => [], prepare: unchanged, check: unchanged },

  products: productsStage(context),
  // Ids, sources and addresses hold no space.
  estimates: priceStage(({ variant_id, source, region }) => `${variant_id} ${source} ${region}`),
  history: priceStage(({ variant_id, region, date, source }) => `${variant_id} ${region} ${date} ${source}`),
  listings: priceStage(({ variant_id, region, link }) => `${variant_id} ${region} ${link}`),
});

/** What of a batch has no fault; the rest is rejected. */
function accepted<Record>(
  batch: Batch<Record>,
  reject: Reject,
  faultOf: (record: Record) => Fault | null,
): Numbered<Record>[] {
  return batch.filter(({ line, record }) => {
    const fault = faultOf(record);
    if (fault) reject(line, fault.field, fault.reason);
    return !fault;
  });
}

/** What products name must be known. A variant goes to the product that names it last (contract 13.15). */
function productsStage({ store, pictures, taxonomy }: WriteContext): Stages['products'] {
  return {
    key: ({ id }) => id,
    inOrder: (product) => [product.id, ...(isDeletion(product) ? [] : product.variants.map(({ id }) => id))],
    async prepare(batch, reject) {
      const taxonomyVersion = await taxonomy.refresh();
      const entities = await store.entities(namedEntities(batch.map(({ record }) => record)));
      const fit = accepted<Product>(batch, reject, (product) =>
        isDeletion(product) ? null : referenceFault(product, taxonomy, entities),
      );
      const around = { categories: taxonomy.categories, entities };
      const stored = await pictures.storeAll(fit, reject);
      return stored.flatMap<Numbered<WrittenRecords['products']>>(({ line, bytes, record }) => {
        if (isDeletion(record)) return [{ line, bytes, record }];
        const row = productRow(record, around);
        if (row.name === '') reject(line, 'title', NAMELESS);
        return row.name === '' ? [] : [{ line, bytes, record: { ...record, row, taxonomyVersion } }];
      });
    },
    check: unchanged,
  };
}

const NAMELESS = 'is required of a product without any attribute that its name is made of, such as a brand';

/** The ids of all entities that products name. */
export function namedEntities(products: Iterable<Product>): string[] {
  const named = new Set<string>();
  for (const product of products) {
    if (isDeletion(product)) continue;
    for (const ids of Object.values(product.attributes)) for (const id of ids) named.add(id);
  }
  return [...named];
}

/** Prices are about variants of live products (contract 13.4, 13.15). */
function priceStage<Record extends { readonly variant_id: string }>(
  key: (record: Record) => string,
): Stage<Record> {
  return {
    key,
    inOrder: () => [],
    prepare: unchanged,
    async check(batch, reject, transaction) {
      const ids = new Set(batch.map(({ record }) => record.variant_id));
      const found = await transaction.variantOwners([...ids]);
      const owners = new Map(found.map((owner) => [owner.id, owner]));
      return accepted(batch, reject, ({ variant_id }) => ownerFault(variant_id, owners.get(variant_id)));
    },
  };
}

/** Why a variant can have no prices; null when it can. */
function ownerFault(id: string, owner: VariantOwner | undefined): Fault | null {
  const fault = (reason: string) => ({ field: 'variant', reason });
  if (!owner) return fault(`there is no variant "${id}"`);
  if (owner.product_id === null) return fault(`no product names "${id}" any more`);
  return owner.deleted ? fault(`${owner.product_id}, its product, is deleted`) : null;
}

/** The lines of entities that wait, after one pass over their file, for a parent in a later line; and their ids. */
export class Waiting {
  readonly lines = new Set<number>();
  readonly ids = new Set<string>();
  readonly #mayCome: ReadonlySet<string> | null;
  readonly #countBefore: number;
  /** The last pass changed nothing: the parents name each other in a circle. */
  readonly #isStuck: boolean;

  /** @param before those after the pass before; null in the first */
  constructor(before: Waiting | null) {
    this.#mayCome = before?.ids ?? null;
    this.#countBefore = before?.lines.size ?? Number.NaN;
    this.#isStuck = before !== null && before.lines.size === before.#countBefore;
  }

  /** Whether a line is to be read again: it names what may still come, or it replaces a line that waits. */
  take({ line, record }: Numbered<Entity>, known: ReadonlyMap<string, EntityRecord>): boolean {
    if (this.#isStuck) return false;
    const parents = isDeletion(record) ? [] : Object.values(record.parents);
    const mayCome = (id: string) => !known.has(id) && (this.#mayCome?.has(id) ?? true);
    if (!parents.some(mayCome) && !this.ids.has(record.id)) return false;
    this.lines.add(line);
    this.ids.add(record.id);
    return true;
  }
}

/** Entities, in one pass over their file; lines that name a parent of a later line are put into `waiting`. */
export function entitiesStage({ pictures, taxonomy }: WriteContext, waiting: Waiting): Stage<Entity> {
  return {
    key: ({ id }) => id,
    inOrder: ({ id }) => [id],
    prepare: (batch, reject) => pictures.storeAll(batch, reject),
    async check(batch, reject, transaction) {
      const known = await knownTo(batch, transaction);
      return batch.filter((numbered) => {
        if (waiting.take(numbered, known)) return false;
        const fault = isDeletion(numbered.record) ? null : faultOf(numbered.record, taxonomy, known);
        if (fault) reject(numbered.line, fault.field, fault.reason);
        else if (!isDeletion(numbered.record)) known.set(numbered.record.id, numbered.record);
        return !fault;
      });
    },
  };
}

async function knownTo(
  batch: Batch<Entity>,
  transaction: RecordTransaction,
): Promise<Map<string, EntityRecord>> {
  const named = batch.flatMap(({ record }) =>
    isDeletion(record) ? [record.id] : [record.id, ...Object.values(record.parents)],
  );
  return new Map(await transaction.entities([...new Set(named)]));
}

function faultOf(
  record: EntityRecord,
  taxonomy: Named,
  known: ReadonlyMap<string, EntityRecord>,
): Fault | null {
  const before = known.get(record.id);
  if (before && !isInAll(record.category, before.category)) {
    return { field: 'category', reason: belongsElsewhere(record.id, before.category) };
  }
  if (taxonomy.categories.has(record.id)) return { field: 'id', reason: 'is the id of a category' };
  if (record.tags.length > 0 && record.kind !== 'style') {
    return { field: 'tags', reason: `a ${record.kind} carries no tags, styles and products do` };
  }
  return vocabularyFault(record, taxonomy) ?? sharingFault(record, taxonomy) ?? parentFault(record, known);
}

/** Only the outermost kind of each may be in several categories (contract 1.11). */
function sharingFault({ kind, category }: EntityRecord, { categories }: Named): Fault | null {
  const ids = categoriesOf(category);
  const inner = ids.find((id) => categories.get(id)?.hierarchy[0] !== kind);
  if (ids.length === 1 || inner === undefined) return null;
  return {
    field: 'category',
    reason: `is a list, but in "${inner}" a ${kind} is not the outermost level of the hierarchy`,
  };
}

function parentFault(record: EntityRecord, known: ReadonlyMap<string, EntityRecord>): Fault | null {
  for (const [kind, id] of Object.entries(record.parents)) {
    const reason = entityFault(id, known.get(id), { kind, category: record.category });
    if (reason !== null) return { field: `parents.${kind}`, reason };
  }
  return null;
}
