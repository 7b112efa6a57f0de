import type { Numbered, RecordTransaction, UnpricedVariant } from '../../ports';
import { categoriesOf } from '../taxonomy';
import { productRow } from './derive-row';
import {
  type Deletion,
  type EntityRecord,
  isDeletion,
  type ProductRecord,
  type ReadRecords,
  type RecordKind,
  type WrittenRecords,
} from './records';
import type { WriteContext } from './run-stage';
import type { Batch, Fault, KnownTaxonomy, Reject, Stage } from './stage';

type Entity = EntityRecord | Deletion;
type Product = ProductRecord | Deletion;

export type Stages = {
  readonly [Kind in Exclude<RecordKind, 'entities'>]: Stage<ReadRecords[Kind], WrittenRecords[Kind]>;
};

const unchanged = async <Record>(batch: Batch<Record>): Promise<Batch<Record>> => batch;

/** The stages of the files of a bundle; entities have `entitiesStage`. */
export const stagesOf = (context: WriteContext): Stages => ({
  /** The id of a category must not be that of an entity. */
  categories: {
    inOrder: ({ id }) => [id],
    prepare: (batch, reject) => context.pictures.storeAll(batch, reject),
    async check(batch, reject, transaction) {
      const fit = await withoutEntities(batch, reject, transaction);
      for (const { record } of fit) context.taxonomy.categories.set(record.id, record);
      return fit;
    },
  },

  /** The categories of a tag must be known. */
  tags: {
    inOrder: ({ id }) => [id],
    prepare: unchanged,
    async check(batch, reject) {
      const { categories: known, tags } = context.taxonomy;
      const fit = accepted(batch, reject, ({ categories }) => {
        const position = categories.findIndex((each) => !known.has(each));
        const reason = `there is no category "${categories[position]}"`;
        return position < 0 ? null : { field: `categories.${position}`, reason };
      });
      for (const { record } of fit) tags.add(record.id);
      return fit;
    },
  },

  /** Synonyms (contract 13.14) refer to nothing that must exist, and no row is derived from them. */
  synonyms: { inOrder: ({ id }) => [id], prepare: unchanged, check: unchanged },
  products: productsStage(context),
  estimates: priceStage(),
  history: priceStage(),
  listings: priceStage(),
});

function accepted<Record>(
  batch: Batch<Record>,
  reject: Reject,
  faultOf: (record: Record) => Fault | null,
): Batch<Record> {
  return batch.filter(({ line, record }) => {
    const fault = faultOf(record);
    if (fault) reject(line, fault.field, fault.reason);
    return !fault;
  });
}

/** The records whose ids are of no entity; deletions pass. */
async function withoutEntities<Record extends { readonly id: string } | Deletion>(
  batch: Batch<Record>,
  reject: Reject,
  transaction: RecordTransaction,
  onlyLive = false,
): Promise<Batch<Record>> {
  const ids = batch.map(({ record }) => record.id).filter((id) => !PRODUCT_ALONE.test(id));
  const entities = await transaction.entities(ids, onlyLive);
  const faultOf = (id: string) => (entities.has(id) ? { field: 'id', reason: `"${id}" is an entity` } : null);
  return accepted(batch, reject, (record) => (isDeletion(record) ? null : faultOf(record.id)));
}

/** The id of a product that begins with no kind of entity, such as `product_line`. */
const PRODUCT_ALONE = /^product_[^_]*$/;

/** Products whose rows are derived before the database's answers to the previous batch are handled. */
const PREPARED_AT_ONCE = 16;

/** Everything that products name must be known. A variant belongs to the last product that names it (contract 13.15). */
const productsStage = ({ pictures, taxonomy }: WriteContext): Stages['products'] => ({
  inOrder: (product) => [product.id, ...(isDeletion(product) ? [] : product.variants.map(({ id }) => id))],
  async prepare(batch, reject) {
    const taxonomyVersion = await taxonomy.refresh();
    const entities = await taxonomy.entities(namedEntities(batch.map(({ record }) => record)));
    const fit = accepted<Product>(batch, reject, (product) =>
      isDeletion(product) ? null : (vocabularyFault(product, taxonomy) ?? attributeFault(product, entities)),
    );
    const context = { categories: taxonomy.categories, entities };
    const stored = await pictures.storeAll(fit, reject);
    const prepared: Numbered<WrittenRecords['products']>[] = [];
    for (const [position, { line, bytes, record }] of stored.entries()) {
      if (position % PREPARED_AT_ONCE === 0) await new Promise(setImmediate);
      const written = isDeletion(record)
        ? record
        : { row: productRow(record, context), taxonomyVersion, ...record };
      if ('row' in written && written.row.name === '') reject(line, 'title', NAMELESS);
      else prepared.push({ line, bytes, record: written });
    }
    return prepared;
  },
  check: (...batch) => withoutEntities(...batch, true),
});

const NAMELESS = 'is required of a product without any attribute that its name is made of, such as a brand';

export function namedEntities(products: Iterable<Product>): string[] {
  const named = new Set<string>();
  for (const product of products) {
    if (isDeletion(product)) continue;
    for (const ids of Object.values(product.attributes)) for (const id of ids) named.add(id);
  }
  return [...named];
}

/** Prices refer to variants of live products (contract 13.4, 13.15). */
const priceStage = <Record extends { readonly variant_id: string }>(): Stage<Record> => ({
  inOrder: () => [],
  prepare: unchanged,
  async check(batch, reject, transaction) {
    const ids = new Set(batch.map(({ record }) => record.variant_id));
    const found = await transaction.unpricedVariants([...ids]);
    const faults = new Map(found.map((variant) => [variant.id, unpricedFault(variant)]));
    return accepted(batch, reject, ({ variant_id }) => faults.get(variant_id) ?? null);
  },
});

/** Why a variant can have no prices. */
function unpricedFault({ id, known, product_id }: UnpricedVariant): Fault {
  const owner =
    product_id === null ? `no product names "${id}" any more` : `${product_id}, its product, is deleted`;
  return { field: 'variant', reason: known ? owner : `there is no variant "${id}"` };
}

/** The entity lines that, after one pass over their file, wait for a parent in a later line; and their ids. */
export class Waiting {
  readonly lines = new Set<number>();
  readonly ids = new Set<string>();
  /** The previous pass changed nothing: parents name each other in a cycle. */
  readonly #isStuck: boolean;

  /** @param before the lines that waited after the previous pass */
  constructor(private readonly before?: Waiting) {
    this.#isStuck = before !== undefined && before.lines.size === before.before?.lines.size;
  }

  /** Whether a line must be read again: one of its parents may still come, or it replaces a waiting line. */
  take({ line, record }: Numbered<Entity>, known: ReadonlyMap<string, EntityRecord>): boolean {
    if (this.#isStuck) return false;
    const mayCome = ({ category, parents }: EntityRecord) =>
      Object.entries(parents).some(
        ([field, id]) =>
          referenceFault(id, known, field, category) !== null && (this.before?.ids.has(id) ?? true),
      );
    if ((isDeletion(record) || !mayCome(record)) && !this.ids.has(record.id)) return false;
    this.lines.add(line);
    this.ids.add(record.id);
    return true;
  }
}

/** Entities, in one pass over their file; lines that name a parent in a later line are put into `waiting`. */
export const entitiesStage = ({ pictures, taxonomy }: WriteContext, waiting: Waiting): Stage<Entity> => ({
  inOrder: ({ id }) => [id],
  prepare: (batch, reject) => pictures.storeAll(batch, reject),
  async check(batch, reject, transaction) {
    const known = await knownTo(batch, transaction);
    const ids = batch.map(({ record }) => record.id);
    const products = await transaction.products(ids.filter((id) => id.startsWith('product_')));
    return batch.filter((numbered) => {
      if (waiting.take(numbered, known)) return false;
      const { line, record } = numbered;
      const own = products.has(record.id) ? OF_PRODUCT : null;
      const fault = isDeletion(record) ? null : (own ?? entityFault(record, taxonomy, known));
      if (fault) reject(line, fault.field, fault.reason);
      else if (!isDeletion(record)) known.set(record.id, record);
      return !fault;
    });
  },
});

const OF_PRODUCT = { field: 'id', reason: 'is the id of a product' };

async function knownTo(
  batch: Batch<Entity>,
  transaction: RecordTransaction,
): Promise<Map<string, EntityRecord>> {
  const named = batch.flatMap(({ record }) =>
    isDeletion(record) ? [record.id] : [record.id, ...Object.values(record.parents)],
  );
  return new Map(await transaction.entities([...new Set(named)]));
}

type Entities = ReadonlyMap<string, EntityRecord>;

function entityFault(record: EntityRecord, taxonomy: KnownTaxonomy, known: Entities): Fault | null {
  const { id, kind, category, tags, parents } = record;
  const before = known.get(id);
  if (before && !isInAll(category, before.category))
    return { field: 'category', reason: otherCategory(before) };
  if (taxonomy.categories.has(id)) return { field: 'id', reason: 'is the id of a category' };
  if (tags.length > 0 && kind !== 'style')
    return { field: 'tags', reason: `a ${kind} carries no tags, styles and products do` };
  const fault = vocabularyFault(record, taxonomy) ?? sharingFault(record, taxonomy);
  if (fault) return fault;
  for (const [field, parent] of Object.entries(parents)) {
    const reason = referenceFault(parent, known, field, category);
    if (reason !== null) return { field: `parents.${field}`, reason };
  }
  return null;
}

/** Only the outermost kind of each may be in several categories (contract 1.11). */
function sharingFault({ kind, category }: EntityRecord, { categories }: KnownTaxonomy): Fault | null {
  const ids = categoriesOf(category);
  const inner = ids.find((id) => categories.get(id)?.hierarchy[0] !== kind);
  if (ids.length === 1 || inner === undefined) return null;
  const reason = `is a list, but in "${inner}" a ${kind} is not the outermost level of the hierarchy`;
  return { field: 'category', reason };
}

function attributeFault({ attributes, category }: ProductRecord, entities: Entities): Fault | null {
  for (const [field, ids] of Object.entries(attributes)) {
    for (const id of ids) {
      const reason = referenceFault(id, entities, field, category);
      if (reason !== null) return { field: `attributes.${field}`, reason };
    }
  }
  return null;
}

function vocabularyFault(
  { category, tags }: { readonly category: string; readonly tags: readonly string[] },
  known: KnownTaxonomy,
): Fault | null {
  const unknown = categoriesOf(category).find((id) => !known.categories.has(id));
  if (unknown !== undefined) return { field: 'category', reason: `there is no category "${unknown}"` };
  const position = tags.findIndex((tag) => !known.tags.has(tag));
  if (position < 0) return null;
  return { field: `tags.${position}`, reason: `there is no tag "${tags[position]}"` };
}

/** Why an entity can't be named in a field of a record; null when it can. It must be in each category of the record. */
function referenceFault(id: string, entities: Entities, field: string, category: string): string | null {
  const entity = entities.get(id);
  if (!entity) return `there is no entity "${id}"`;
  if (entity.kind !== field) return `"${id}" is a ${entity.kind}`;
  return isInAll(entity.category, category) ? null : otherCategory(entity);
}

function isInAll(categories: string, wanted: string): boolean {
  const own = categoriesOf(categories);
  return categories === wanted || categoriesOf(wanted).every((id) => own.includes(id));
}

const otherCategory = ({ id, category }: EntityRecord): string =>
  `"${id}" belongs to the category ${categoriesOf(category)
    .map((each) => `"${each}"`)
    .join(' and ')}`;
