import { OpenAuditEntry } from '../../db/accounts/audit-log';
import { openImport } from '../../db/catalog/import/import-store';
import { PostgresRecordStore } from '../../db/catalog/import/record-store';
import { PostgresHousekeepingStore } from '../../db/core/housekeeping-store';
import { PORTS } from '../../models/ports';
import { idsOf } from '../support/api-client';
import { holdMethod, requestText, sendRaw } from '../support/interrupted-calls';
import { bag, brandLine, fresh, pricedBag, useWrittenCatalog, variantOf } from '../support/written-catalog';

/** contract 15.5: several writers at the same time. */
const { service, writer, found, importFiles } = useWrittenCatalog();
const knex = () => service.knex;

afterEach(() => jest.restoreAllMocks());

/** The process dies when that transaction has done its work, which is rolled back. */
const dieInTransaction = (number: number) => {
  const { transaction } = PostgresRecordStore.prototype;
  let calls = 0;
  jest.spyOn(PostgresRecordStore.prototype, 'transaction').mockImplementation(function (
    this: PostgresRecordStore,
    work,
  ) {
    calls += 1;
    const isLast = calls === number;
    return transaction.call(this, async (records) => {
      const result = await work(records);
      if (isLast) throw new Error('killed');
      return result;
    });
  });
};

// contract 15.5
test('ten writers and an import: the last whole record wins, and nothing is lost or duplicated', async () => {
  const brand = fresh('brand');
  const contested = Array.from({ length: 40 }, () => fresh('product'));
  const own = Array.from({ length: 10 }, () => Array.from({ length: 15 }, () => fresh('product')));
  const imported = Array.from({ length: 300 }, () => fresh('product'));
  await writer.write([brandLine(brand, 'Start')]);
  /** Popularity, keyword and price of one version go together. */
  const version = (id: string, number: number) =>
    pricedBag(id, 1_000 + number, {
      popularity: number,
      keywords: [`version ${number}`],
      attributes: { brand, style: 'style_birkin_croc' },
    });
  const rounds = own.map(async (ids, at) => {
    const { body } = await writer.write([
      ...ids.flatMap((id) => version(id, at)),
      ...contested.flatMap((id) => version(id, 100 + at)),
      brandLine(brand, `Name ${at}`),
    ]);
    expect(body.rejected).toBe(0);
  });
  const records = [...imported, ...contested].map((id) => version(id, 500));
  const importing = importFiles({
    products: records.map(([{ products }]) => products),
    estimates: records.map(([, { estimates }]) => estimates),
  });
  let finished = false;
  const reading = readWhole(contested, () => finished);
  const [{ accepted, rejected }] = await Promise.all([importing, ...rounds]);
  finished = true;
  expect((await reading).seen).toBeGreaterThan(0);
  expect([accepted, rejected]).toEqual([2 * records.length, 0]);

  const everything = [...contested, ...own.flat(), ...imported];
  const { count } = (await knex()('catalog_search').whereIn('id', everything).count('* as count'))[0] ?? {};
  expect(Number(count)).toBe(everything.length);
  const brandName = (await writer.item(brand)).body.data[0]?.name;
  expect(brandName).toMatch(/^Name \d$/);
  for (const id of [...contested, ...own.flat(), ...imported.slice(0, 20)]) {
    const row = await found(id);
    // No matter who wrote last, the row has the brand's current name.
    expect(row).toMatchObject({ name: `${brandName} Crocodile`, variants: [{ id: variantOf(id) }] });
  }
  for (const [at, ids] of own.entries()) {
    expect(await found(String(ids[0]))).toMatchObject({
      popularity: at,
      variants: [{ pricing: { market_estimates: [{ A: 1_000 + at }] } }],
    });
  }
  const filters = [{ field: 'brand', include: [brand] }];
  const total = (await writer.query({ filters, page_size: 1 })).body.total_results;
  expect(total).toBe(everything.length);
}, 180_000);

/** Checks until `isOver`, and at least once, that nobody sees one version's popularity with another's keyword. */
async function readWhole(ids: readonly string[], isOver: () => boolean): Promise<{ seen: number }> {
  let seen = 0;
  do {
    const rows: { popularity: number; words: string }[] = await knex()('catalog_search')
      .whereIn('id', ids)
      .select('popularity', knex().raw('words::text AS words'));
    for (const { popularity, words } of rows) expect(words).toContain(`'${popularity}'`);
    seen += 1;
  } while (!isOver());
  return { seen };
}

// contract 15.5, 13.15
test('a variant that many products claim at once belongs to exactly one of them', async () => {
  const products = Array.from({ length: 8 }, () => fresh('product'));
  const variant = fresh('variant');
  const answers = await Promise.all(
    products.map((id) => writer.write([bag(id, { variants: [{ id: variant }] })])),
  );
  expect(answers.map(({ body }) => body.accepted)).toEqual(products.map(() => 1));
  const rows = (await writer.items({ ids: products })).body.data;
  expect(rows.flatMap(({ variants }) => variants?.map(({ id }) => id) ?? [])).toEqual([variant]);
});

// contract 15.5
test('a product prepared under an old name of its brand is written under the new one', async () => {
  const [brand, id] = [fresh('brand'), fresh('product')];
  await writer.write([brandLine(brand, 'Old')]);
  const held = holdMethod(PostgresRecordStore.prototype, 'transaction');
  const importing = importFiles({ products: [{ id, category: 'handbags', attributes: { brand } }] });
  await held.waiting(1);
  held.passNew();
  await writer.write([brandLine(brand, 'New')]);
  held.letGo();
  expect(await importing).toMatchObject({ accepted: 1, rejected: 0 });
  expect(await found(id)).toMatchObject({ name: 'New' });
});

// contract 15.4, 15.5
test('a change is visible at once in the rows that name it, even while an import has many other rows left to update', async () => {
  const [brand, id] = [fresh('brand'), fresh('product')];
  await writer.write([brandLine(brand, 'Before'), bag(id, { attributes: { brand } })]);
  const importing = await openImport(knex(), false);
  try {
    const left = [id, ...Array.from({ length: 600 }, () => fresh('brand'))];
    await knex()('catalog_stale_rows').insert(left.map((each) => ({ id: each })));
    await writer.write([brandLine(brand, 'Afterwards')]);
    expect(await found(id)).toMatchObject({ name: 'Afterwards', attributes: [{}, { name: 'Afterwards' }] });
    expect(await knex()('catalog_stale_rows').whereIn('id', left)).toHaveLength(600);
    await importing.deriveStaleRows(left.length);
  } finally {
    await importing.close();
  }
});

// contract 15.5, 10.6
test('a body that breaks off changes nothing', async () => {
  const id = fresh('product');
  const body = `${JSON.stringify(bag(id))}\n`;
  const length = { 'Content-Length': String(Buffer.byteLength(body) + 100) };
  const headers = { 'Content-Type': 'application/x-ndjson', ...length };
  const head = requestText({ method: 'PUT', path: '/v3/catalog/records', headers }, String(writer.key));
  service.log.clear();
  const socket = await sendRaw(service.url, head + body);
  socket.destroy();
  await service.log.lines(1);
  expect(await found(id)).toBe(404);
});

// contract 15.5
test('a call that dies between records leaves whole ones, and has the same result when it is sent again', async () => {
  const ids = Array.from({ length: 250 }, () => fresh('product'));
  const lines = ids.flatMap((id) => pricedBag(id, 5));
  dieInTransaction(2);
  const killed = await writer.write(lines);
  jest.restoreAllMocks();
  expect(killed.status).toBe(500);
  const rows = () => knex()('catalog_search').whereIn('id', ids);
  const left = (await rows()).length;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(ids.length);
  expect(await knex()('variants').whereIn('product_id', ids)).toHaveLength(left);
  expect((await writer.write(lines)).body).toMatchObject({ accepted: 500, rejected: 0 });
  expect(await rows()).toHaveLength(ids.length);
  expect(idsOf(await writer.items({ ids: ids.slice(0, 5), includes: ['pricing'] }))).toEqual(ids.slice(0, 5));
});

describe('the audit log', () => {
  const entriesOf = async (accountId: string) => {
    const filter = { accountId, since: null, before: null, limit: 9 };
    const entries = await service.resolve(PORTS.AuditLog).list(filter);
    return entries.map(({ action, details }) => [action, details]);
  };
  /** The process dies before it can report the outcomes. */
  const dieAtTheEnd = () =>
    jest.spyOn(PostgresRecordStore.prototype, 'finish').mockRejectedValue(new Error('killed'));

  // contract 15.8
  test('has one entry per call, even if the call changes nothing, is undone, or dies', async () => {
    const { api, accountId } = await service.newKey({ scopes: ['catalog:write'] });
    const ids = Array.from({ length: 150 }, () => fresh('product'));
    await api.write([{ products: { id: 'none' } }]);
    dieInTransaction(1);
    await api.write([bag(fresh('product'))]);
    jest.restoreAllMocks();
    await api.write([...pricedBag(fresh('product'), 1)]);
    dieAtTheEnd();
    dieInTransaction(2);
    expect((await api.write(ids.map((id) => bag(id)))).status).toBe(500);
    jest.restoreAllMocks();
    expect(await knex()('products').whereIn('id', ids)).not.toHaveLength(0);
    dieAtTheEnd();
    expect((await api.remove(String(ids[0]))).status).toBe(500);
    expect(await entriesOf(accountId)).toEqual([
      ['records delete', { unfinished: true }],
      ['records write', { unfinished: true }],
      ['records write', { accepted: 2, rejected: 0 }],
      ['records write', { failed: 'Error: killed' }],
      ['records write', { accepted: 0, rejected: 1 }],
    ]);
  });

  // contract 15.8, 14.8
  test('has a killed import from its first change on', async () => {
    const { accountId } = await service.newKey();
    const entry = () =>
      new OpenAuditEntry(service.resolve(PORTS.Clock), {
        ...{ actor: 'somebody', action: 'catalog import', accountId, subject: 'bundle', details: {} },
      });
    const files = { products: [bag(fresh('product')).products] };
    dieAtTheEnd();
    await expect(importFiles(files, entry())).rejects.toThrow('killed');
    jest.restoreAllMocks();
    await importFiles(files, entry());
    expect(await entriesOf(accountId)).toEqual([
      ['catalog import', { accepted: 1, rejected: 0 }],
      ['catalog import', { unfinished: true }],
    ]);
  });
});

// contract 13.5, 15.2
test('a stored picture that a call is naming stays, even if housekeeping runs before the call has written', async () => {
  const images = service.resolve(PORTS.ImageStore);
  const address = await images.put(Buffer.from(fresh('picture')), 'png');
  const collect = () =>
    service
      .resolve(PostgresHousekeepingStore)
      .collectImages([address], service.clock.now(), async ([gone]) => images.remove(String(gone)));
  await collect();
  service.clock.advance(1);
  const held = holdMethod(PostgresRecordStore.prototype, 'transaction');
  const writing = writer.write([bag(fresh('product'), { images: [`${service.url}${address}`] })]);
  await held.waiting(1);
  expect(await collect()).toBe(0);
  held.letGo();
  expect((await writing).body).toMatchObject({ accepted: 1 });
  expect(await images.size(address)).not.toBeNull();
});
