import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { BegunEntry } from '../../db/accounts/audit-log';
import { openImport } from '../../db/catalog/import/open-import';
import { SCOPES } from '../../models/access/api-key';
import { StoredPictures } from '../../models/catalog/stored-pictures';
import { type Clock, type ImageStore, type IndexQueue, PORTS } from '../../models/ports';
import { importBundle } from '../../scripts/import/import-bundle';
import { ApiClient } from './api-client';
import { type CatalogSource, FIXTURE } from './fixture-data';
import { type TestService, useService } from './service';
import { StoredVectors } from './stored-vectors';
import { temporaryFolder } from './temporary-folder';

/** The fixture in a database apart, since tests that write the catalog leave it changed. */
export const WRITTEN: CatalogSource = { ...FIXTURE, name: 'written' };

/** As well, for tests that take out again what they write. */
export const RESTORED: CatalogSource = { ...FIXTURE, name: 'restored' };

/** A caller who may do everything. */
export async function writerOf(service: TestService): Promise<ApiClient> {
  return (await service.newKey({ scopes: SCOPES })).api;
}

/** A service whose catalog the tests of a file write, by call or by import; its pictures are embedded by `vectors`. */
export function useWrittenCatalog(settings: Readonly<Record<string, string>> = {}) {
  const vectors = new StoredVectors(() => service);
  const service = useService(settings, { [PORTS.IndexQueue]: vectors }, WRITTEN);
  let own: ApiClient;
  beforeAll(async () => {
    own = await writerOf(service);
  });
  const writer = new ApiClient(
    () => service.url,
    () => own.key,
  );
  const knex = () => service.resolve<Knex>(PORTS.Knex);
  /** A row with its prices, or the status of a refusal. */
  const found = async (id: string) => {
    const { status, body } = await writer.item(id, 'taxonomy,pricing');
    return status === 200 ? body.data[0] : status;
  };
  return { service, vectors, writer, knex, found, importFiles: bundleImporter(service, vectors) };
}

/** Tells what this run writes from what an earlier run left. */
export const RUN = Date.now().toString(36);

let count = 0;
/** An id that nobody else has. */
export function fresh(kind: string): string {
  count += 1;
  return `${kind}_${RUN}x${process.pid}x${count}`;
}

/** A croc Birkin of the fixture's taxonomy, in a line of its own. */
export const bag = (id: string, rest: object = {}) => ({
  products: {
    id,
    category: 'handbags',
    attributes: { brand: 'brand_hermes', model: 'model_birkin', style: 'style_birkin_croc' },
    ...rest,
  },
});

export const variantOf = (id: string): string => id.replace('product_', 'variant_');

export const brandLine = (id: string, name: string) => ({
  entities: { id, kind: 'brand', name, category: 'handbags' },
});

export const price = (id: string, A: number, rest: object = {}) => ({
  estimates: { variant: variantOf(id), source: 'ebay', region: 'NA', A, ...rest },
});

/** A product with one variant, and its price. */
export const pricedBag = (id: string, A: number, rest: object = {}) => [
  bag(id, { variants: [{ id: variantOf(id) }], ...rest }),
  price(id, A),
];

/** Imports bundles, given as records by file, beside a running service as the nightly command does. */
function bundleImporter(service: TestService, queue: IndexQueue) {
  const folder = temporaryFolder();
  return (files: Readonly<Record<string, readonly object[]>>, entry: BegunEntry | null = null) => {
    const bundle = mkdtempSync(join(folder, 'bundle-'));
    for (const [name, values] of Object.entries(files)) {
      writeFileSync(join(bundle, name), values.map((value) => `${JSON.stringify(value)}\n`).join(''));
    }
    const nothing = () => undefined;
    return importBundle(
      { bundle, report: join(folder, 'rejects.txt'), dryRun: false, wait: false, transactionMs: 50 },
      {
        openImport: (dryRun) => openImport(service.resolve<Knex>(PORTS.Knex), dryRun, 1, entry),
        images: service.resolve<ImageStore>(PORTS.ImageStore),
        pictures: service.resolve(StoredPictures),
        storedImages: service.resolve(PORTS.StoredImageIndex),
        embedding: { embeddings: service.resolve(PORTS.EmbeddingRepository), queue },
        clock: service.resolve<Clock>(PORTS.Clock),
      },
      { begin: nothing, reach: nothing, end: nothing, note: nothing },
    );
  };
}
