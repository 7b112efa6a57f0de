import { productRow } from './derive-row';
import { type Deletion, type DerivedProduct, isDeletion, type ProductRecord } from './records';
import { referenceFault } from './reference-fault';
import type { Batch, Numbered, Stage, WriteContext } from './stage';

type Read = ProductRecord | Deletion;
type Written = DerivedProduct | Deletion;

const NAMELESS = 'is required of a product without any attribute that its name is made of, such as a brand';

/** Products: what they name must be known. A variant goes to the product that names it last (contract 13.15). */
export function productsStage(context: WriteContext): Stage<Read, Written> {
  const { store, pictures, taxonomy } = context;
  return {
    key: (product) => product.id,
    inOrder: (product) => [product.id, ...variantIds(product)],
    async prepare(batch, reject) {
      const taxonomyVersion = await taxonomy.refresh();
      const entities = await store.entities(namedEntities(productsOf(batch)));
      const fit = batch.filter(({ line, record }) => {
        const fault = isDeletion(record) ? null : referenceFault(record, taxonomy, entities);
        if (fault) reject(line, fault.field, fault.reason);
        return !fault;
      });
      const around = { categories: taxonomy.categories, entities };
      const stored = await pictures.storeAll(fit, reject);
      return stored.flatMap<Numbered<Written>>(({ line, bytes, record }) => {
        if (isDeletion(record)) return [{ line, bytes, record }];
        const row = productRow(record, around);
        if (row.name === '') reject(line, 'title', NAMELESS);
        return row.name === '' ? [] : [{ line, bytes, record: { ...record, row, taxonomyVersion } }];
      });
    },
    check: async (batch) => batch,
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

const variantIds = (record: Read): string[] =>
  isDeletion(record) ? [] : record.variants.map(({ id }) => id);

const productsOf = (batch: Batch<Read>): ProductRecord[] =>
  batch.flatMap(({ record }) => (isDeletion(record) ? [] : [record]));
