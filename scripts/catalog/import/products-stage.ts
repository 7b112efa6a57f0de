import type { EntityReference, VariantOwner } from '../../../db/catalog-import/import-target';
import { namedEntities } from '../../../db/catalog-import/load-sources';
import { type Deletion, isDeletion, type ProductRecord } from '../../../db/catalog-import/records';
import { productSchema } from './catalog-records';
import type { ImportContext } from './import-context';
import { parseDeletable } from './parse-record';
import { plainProduct } from './plain-records';
import { entityFault, type Fault, vocabularyFault } from './reference-fault';
import type { Loads, Numbered, Reject, Stage } from './stage';

/** Products: what they name must be known, and their variants must be nobody else's. */
export function productsStage(context: ImportContext): Stage<ProductRecord | Deletion> {
  return {
    file: 'products.jsonl',
    parse: (text) => parseDeletable(text, productSchema, plainProduct),
    key: (product) => product.id,
    inOrder: true,
    write: (records) => context.target.writeProducts(records),
    async prepare(batch, reject) {
      const complete = await completeProducts(context, batch, reject);
      await context.target.prepareProducts(complete.map(({ record }) => record));
      return complete;
    },
    loads: loadsOf(context),
    async check(batch, reject) {
      const owners = await ownersOf(context, batch);
      return batch.filter(({ line, record }) => {
        const fault = owners.apply(record);
        if (fault) reject(line, fault.field, fault.reason);
        return !fault;
      });
    },
  };
}

/** Those that name what is there, with their pictures stored. */
async function completeProducts(
  context: ImportContext,
  batch: readonly Line[],
  reject: Reject,
): Promise<readonly Line[]> {
  const entities = await entitiesOf(context, batch);
  const fit = batch.filter(({ line, record }) => {
    const fault = isDeletion(record) ? null : referenceFault(record, context, entities);
    if (fault) reject(line, fault.field, fault.reason);
    return !fault;
  });
  return await context.pictures.storeAll(fit, reject);
}

/** A load takes a product with its variants, if none of them is there. */
function loadsOf(context: ImportContext): Loads<ProductRecord | Deletion> | undefined {
  const { target } = context;
  if (target.lanes === 0) return undefined;
  return {
    lanes: target.lanes,
    keys: (record) =>
      isDeletion(record) ? null : [record.id, ...record.variants.map((variant) => variant.id)],
    areNew: (records) => target.areNewProducts(records.map((record) => record.id)),
    prepare: (batch, reject) => completeProducts(context, batch, reject),
    write: (load, turn) => target.writeLoad(load, turn),
    begin: async () => {
      const load = await target.beginProducts();
      return {
        get bytes() {
          return load.bytes;
        },
        prepare: (records) => load.prepare?.(productsOf(records)) ?? Promise.resolve(),
        add: (record) => {
          if (!isDeletion(record)) load.add(record);
        },
        write: (turn) => load.write(turn),
      };
    },
  };
}

/**
 * Which product has which variant, as the records of a batch change it one after the other. A variant belongs to one
 * product; another one may take it after the first gave it up or was deleted.
 */
class VariantOwners {
  private readonly byVariant = new Map<string, VariantOwner>();
  private readonly byProduct = new Map<string, Set<string>>();

  constructor(owners: readonly VariantOwner[]) {
    for (const owner of owners) this.set(owner);
  }

  /** Lets a record have its variants, or says which it can't have. */
  apply(record: ProductRecord | Deletion): Fault | null {
    const variants = isDeletion(record) ? [] : record.variants;
    for (const [position, { id }] of variants.entries()) {
      const owner = this.byVariant.get(id);
      if (owner && !owner.deleted && owner.product_id !== record.id) {
        return { field: `variants.${position}.id`, reason: `"${id}" belongs to ${owner.product_id}` };
      }
    }
    for (const id of [...(this.byProduct.get(record.id) ?? [])]) {
      if (isDeletion(record)) this.set({ id, product_id: record.id, deleted: true });
      else this.delete(id);
    }
    for (const { id } of variants) this.set({ id, product_id: record.id, deleted: false });
    return null;
  }

  private set(owner: VariantOwner): void {
    this.delete(owner.id);
    this.byVariant.set(owner.id, owner);
    const siblings = this.byProduct.get(owner.product_id) ?? new Set();
    this.byProduct.set(owner.product_id, siblings.add(owner.id));
  }

  private delete(id: string): void {
    const owner = this.byVariant.get(id);
    if (!owner) return;
    this.byVariant.delete(id);
    this.byProduct.get(owner.product_id)?.delete(id);
  }
}

type Line = Numbered<ProductRecord | Deletion>;

async function entitiesOf(
  { target }: ImportContext,
  batch: readonly Line[],
): Promise<ReadonlyMap<string, EntityReference>> {
  return await target.entities(namedEntities(productsOf(recordsOf(batch))));
}

async function ownersOf({ target }: ImportContext, batch: readonly Line[]): Promise<VariantOwners> {
  const variants = productsOf(recordsOf(batch)).flatMap((product) =>
    product.variants.map((variant) => variant.id),
  );
  const ids = batch.map(({ record }) => record.id);
  return new VariantOwners(await target.variants([...new Set(variants)], ids));
}

const productsOf = (records: readonly (ProductRecord | Deletion)[]): ProductRecord[] =>
  records.filter((record): record is ProductRecord => !isDeletion(record));

const recordsOf = (batch: readonly Line[]): (ProductRecord | Deletion)[] => batch.map(({ record }) => record);

function referenceFault(
  product: ProductRecord,
  context: ImportContext,
  entities: ReadonlyMap<string, EntityReference>,
): Fault | null {
  const unknown = vocabularyFault(product, context);
  if (unknown) return unknown;
  const { attributes } = product;
  for (const field in attributes) {
    for (const id of attributes[field] ?? []) {
      const reason = entityFault(id, entities.get(id), { kind: field, category: product.category });
      if (reason !== null) return { field: `attributes.${field}`, reason };
    }
  }
  return null;
}
