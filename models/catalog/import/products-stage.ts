import type { VariantOwner } from '../../ports';
import { productRow } from './derive-row';
import { type Deletion, type DerivedProduct, isDeletion, type ProductRecord } from './records';
import { type Fault, referenceFault } from './reference-fault';
import type { Batch, Stage, WriteContext } from './stage';

type Read = ProductRecord | Deletion;
type Written = DerivedProduct | Deletion;

/** Products: what they name must be known, and their variants must be nobody else's. */
export function productsStage(context: WriteContext): Stage<Read, Written> {
  const { store, pictures, taxonomy } = context;
  return {
    key: (product) => product.id,
    inOrder: true,
    async prepare(batch, reject) {
      const taxonomyVersion = await taxonomy.refresh();
      const entities = await store.entities(namedEntities(productsOf(batch)));
      const fit = batch.filter(({ line, record }) => {
        const fault = isDeletion(record) ? null : referenceFault(record, taxonomy, entities);
        if (fault) reject(line, fault.field, fault.reason);
        return !fault;
      });
      const stored = await pictures.storeAll(fit, reject);
      const around = { categories: taxonomy.categories, entities };
      return stored.map(({ line, bytes, record }) => {
        const written = isDeletion(record)
          ? record
          : { ...record, row: productRow(record, around), taxonomyVersion };
        return { line, bytes, record: written };
      });
    },
    async check(batch, reject, transaction) {
      const variants = productsOf(batch).flatMap((product) => product.variants.map((variant) => variant.id));
      const ids = batch.map(({ record }) => record.id);
      const owners = new VariantOwners(await transaction.variantOwners([...new Set(variants)], ids));
      return batch.filter(({ line, record }) => {
        const fault = owners.apply(record);
        if (fault) reject(line, fault.field, fault.reason);
        return !fault;
      });
    },
    write: (records, transaction) => transaction.write('products', records),
  };
}

/** The ids of all entities that products name. */
export function namedEntities(products: Iterable<ProductRecord>): string[] {
  const named = new Set<string>();
  for (const { attributes } of products) {
    for (const field in attributes) for (const id of attributes[field] ?? []) named.add(id);
  }
  return [...named];
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

const productsOf = (batch: Batch<Read>): ProductRecord[] =>
  batch.flatMap(({ record }) => (isDeletion(record) ? [] : [record]));
