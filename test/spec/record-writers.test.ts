import { openImport } from '../../db/catalog/import/import-store';
import { PostgresRecordStore } from '../../db/catalog/import/record-store';
import { OpenAuditEntry } from '../../db/core/audit-log';
import { PostgresHousekeepingStore } from '../../db/core/housekeeping-store';
import { PORTS } from '../../models/ports';
import { useAndClose } from '../../models/promises';
import { idsOf } from '../support/api-client';
import { holdMethod, requestText, sendRaw } from '../support/interrupted-calls';
import { bag, brandLine, fresh, pricedBag } from '../support/record-lines';
import { useWrittenCatalog } from '../support/written-catalog';

/** contract 15.5: several writers at the same time; `test/service/consistency.test.ts` has ten of them beside an import. */
const { service, writer, found, importFiles } = useWrittenCatalog();
const knex = () => service.knex;

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
  await held.waiting;
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
  await useAndClose(openImport(knex(), false), async (importing) => {
    const left = [id, ...Array.from({ length: 600 }, () => fresh('brand'))];
    await knex()('catalog_stale_rows').insert(left.map((each) => ({ id: each })));
    await writer.write([brandLine(brand, 'Afterwards')]);
    expect(await found(id)).toMatchObject({ name: 'Afterwards', attributes: [{}, { name: 'Afterwards' }] });
    expect(await knex()('catalog_stale_rows').whereIn('id', left)).toHaveLength(600);
    await importing.deriveStaleRows(left.length);
  });
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
    return entries.map(({ actor, action, subject, details }) => [actor, action, subject, details]);
  };
  /** The process dies before it can report the outcomes. */
  const dieAtTheEnd = () =>
    jest.spyOn(PostgresRecordStore.prototype, 'finish').mockRejectedValue(new Error('killed'));

  // contract 15.8, 10.2
  test('has one entry per call, even if the call changes nothing, is undone, or dies', async () => {
    const { api, keyId, accountId } = await service.newKey({ scopes: ['catalog:write'], credits: 0 });
    const ids = Array.from({ length: 150 }, () => fresh('product'));
    const { headers } = await api.write([{ products: { id: 'none' } }]);
    expect([headers.get('X-Credits-Used'), headers.get('X-Credits-Remaining')]).toEqual(['0', '0']);
    const gone = fresh('product');
    await api.write([bag(gone)]);
    expect((await api.remove(gone)).status).toBe(200);
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
    const by = `key ${keyId}`;
    expect(await entriesOf(accountId)).toEqual([
      [by, 'records delete', ids[0], { unfinished: true }],
      [by, 'records write', null, { unfinished: true }],
      [by, 'records write', null, { accepted: 2, rejected: 0 }],
      [by, 'records write', null, { failed: 'Error: killed' }],
      [by, 'records delete', gone, { accepted: 1, rejected: 0 }],
      [by, 'records write', null, { accepted: 1, rejected: 0 }],
      [by, 'records write', null, { accepted: 0, rejected: 1 }],
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
      ['somebody', 'catalog import', 'bundle', { accepted: 1, rejected: 0 }],
      ['somebody', 'catalog import', 'bundle', { unfinished: true }],
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
  await held.waiting;
  expect(await collect()).toBe(0);
  held.letGo();
  expect((await writing).body).toMatchObject({ accepted: 1 });
  expect(await images.size(address)).not.toBeNull();
});
