import { type AuditLog, PORTS } from '../../models/ports';
import { ApiClient } from '../support/api-client';
import { useService } from '../support/service';
import { StoredVectors } from '../support/stored-vectors';
import { bag, fresh, price, pricedBag, variantOf, WRITTEN, writerOf } from '../support/written-catalog';

/** contract 15: what writing the catalog over HTTP changes, when that is seen, and who may. */
const vectors = new StoredVectors(() => service);
const service = useService({}, { [PORTS.IndexQueue]: vectors }, WRITTEN);
let writer: ApiClient;
beforeAll(async () => {
  writer = await writerOf(service);
});

async function found(id: string, includes = 'taxonomy,pricing') {
  const { status, body } = await writer.item(id, includes);
  return status === 200 ? body.data[0] : status;
}

describe('a change', () => {
  // contract 15.4
  test('of an entity is seen in the rows that name it when it is accepted', async () => {
    const [brand, id] = [fresh('brand'), fresh('product')];
    const named = (name: string) => ({ entities: { id: brand, kind: 'brand', name, category: 'handbags' } });
    await writer.write([named('Before'), bag(id, { attributes: { brand } })]);
    await writer.write([named('Afterwards')]);
    expect(await found(id)).toMatchObject({ name: 'Afterwards', attributes: [{}, { name: 'Afterwards' }] });
  });

  // contract 15.4
  test('of more rows than follow at once is seen in all of them soon', async () => {
    const brand = fresh('brand');
    const named = (name: string) => ({ entities: { id: brand, kind: 'brand', name, category: 'handbags' } });
    const many = Array.from({ length: 600 }, () => bag(fresh('product'), { attributes: { brand } }));
    await writer.write([named('Early'), ...many]);
    expect(await writer.write([named('Late')])).toMatchObject({ status: 200, body: { accepted: 1 } });
    const filters = [{ field: 'brand', include: [brand] }];
    const names = async () =>
      new Set((await writer.query({ filters, page_size: 100, page: 5 })).body.data.map(({ name }) => name));
    while (!(await names()).has('Late')) await new Promise(setImmediate);
    expect(await names()).toEqual(new Set(['Late']));
  }, 60_000);

  // contract 15.6, 13.4
  test('takes a product out and brings it back with the next full record', async () => {
    const id = fresh('product');
    await writer.write(pricedBag(id, 9));
    const { status, body } = await writer.remove(id);
    expect([status, body]).toEqual([200, { success: true, id, deleted: true, credits_used: 0 }]);
    expect(await found(id)).toBe(404);
    const { body: late } = await writer.write([price(id, 8)]);
    expect(late.data).toMatchObject([{ field: 'variant', reason: `${id}, its product, is deleted` }]);
    await writer.write(pricedBag(id, 10));
    expect(await found(id)).toMatchObject({ variants: [{ pricing: { market_estimates: [{ A: 10 }] } }] });
    await writer.write([{ products: { id, deleted: true } }]);
    expect(await found(id)).toBe(404);
  });

  // contract 15.6
  test('deletes an entity, and is 404 for what is unknown, deleted, a category, a tag or a variant', async () => {
    const [brand, id] = [fresh('brand'), fresh('product')];
    await writer.write([
      { entities: { id: brand, kind: 'brand', name: 'Gone', category: 'handbags' } },
      bag(id, { attributes: { brand }, variants: [{ id: variantOf(id) }] }),
    ]);
    expect((await writer.remove(brand)).status).toBe(200);
    expect(await found(brand)).toBe(404);
    expect(await found(id)).toMatchObject({ name: 'Gone' });
    for (const none of [brand, 'product_nobody', 'handbags', 'edition:limited', variantOf(id)]) {
      expect([none, (await writer.remove(none)).status]).toEqual([none, 404]);
    }
    expect((await writer.remove('a\0b')).status).toBe(400);
  });
});

describe('GET /v3/catalog/records/:id/status', () => {
  afterEach(() => vectors.release());

  const until = async (id: string, isReached: (pictures: { pending: number }) => boolean) => {
    for (;;) {
      const { body } = await writer.recordStatus(id);
      if (isReached(body.pictures)) return body;
      await new Promise(setImmediate);
    }
  };

  // contract 15.4, 15.7
  test('tells of pictures that wait, that are embedded, and that failed, which the next record tries again', async () => {
    const id = fresh('product');
    const [own, lost, ofVariant] = ['a', 'b', 'c'].map((name) => `https://p.example/${id}/${name}.jpg`);
    const record = bag(id, {
      images: [own, lost],
      variants: [{ id: variantOf(id), images: [ofVariant, own] }],
    });
    vectors.hold();
    vectors.unreachable.add(String(lost));
    await writer.write([record]);
    const { status, body } = await writer.recordStatus(id);
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        id,
        searchable: true,
        identifiable: false,
        pictures: { embedded: 0, pending: 3, failed: 0 },
        credits_used: 0,
      },
    ]);
    vectors.release();
    expect(await until(id, ({ pending }) => pending === 0)).toMatchObject({
      identifiable: true,
      pictures: { embedded: 2, pending: 0, failed: 1 },
    });
    vectors.unreachable.clear();
    await writer.write([record]);
    const mended = await until(id, (pictures) => !('failed' in pictures) || pictures.failed === 0);
    expect(mended.pictures).toEqual({ embedded: 3, pending: 0, failed: 0 });
  });

  // contract 15.7
  test('tells of entities and categories, and is 404 for what is unknown or deleted', async () => {
    const nothing = { embedded: 0, pending: 0, failed: 0 };
    const row = { searchable: true, identifiable: false, pictures: nothing };
    expect((await writer.recordStatus('brand_hermes')).body).toMatchObject(row);
    expect((await writer.recordStatus('handbags')).body).toMatchObject(row);
    // A facet is no row of its own.
    expect((await writer.recordStatus('colour_noir')).body).toMatchObject({ ...row, searchable: false });
    for (const none of ['product_nobody', 'product_deleted', 'variant_birkin_croc_30']) {
      expect([none, (await writer.recordStatus(none)).status]).toEqual([none, 404]);
    }
  });
});

describe('who writes', () => {
  // contract 9.3, 15.8
  test('needs a live key with the scope catalog:write', async () => {
    const id = fresh('product');
    const reader = service.api;
    for (const answer of [
      await reader.write([bag(id)]),
      await reader.remove('product_birkin_croc'),
      await reader.recordStatus('product_birkin_croc'),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    }
    const { api } = await service.newKey({ scopes: ['catalog:write'], versions: ['v1'] });
    expect((await api.write([bag(id)])).status).toBe(403);
    const trial = await service.newKey({ scopes: ['catalog:write'], test: true });
    expect((await trial.api.write([bag(id)])).status).toBe(403);
    expect((await service.anybody.write([bag(id)])).status).toBe(401);
    expect(await found(id)).toBe(404);
  });

  // contract 15.8, 10.2
  test('pays nothing, and is named in the audit log with what was written', async () => {
    const { api, keyId, accountId } = await service.newKey({ scopes: ['catalog:write'], credits: 0 });
    const id = fresh('product');
    const { headers } = await api.write([bag(id), bag(fresh('product'), { category: 'cars' })]);
    expect([headers.get('X-Credits-Used'), headers.get('X-Credits-Remaining')]).toEqual(['0', '0']);
    await api.remove(id);
    const log = await service
      .resolve<AuditLog>(PORTS.AuditLog)
      .list({ accountId, since: null, before: null, limit: 9 });
    expect(log.map(({ actor, action, subject, details }) => [actor, action, subject, details])).toEqual([
      [`key ${keyId}`, 'records delete', id, { accepted: 1, rejected: 0 }],
      [`key ${keyId}`, 'records write', null, { accepted: 1, rejected: 1 }],
    ]);
  });

  // contract 12.6
  test('writes once under one Idempotency-Key, however often it is sent', async () => {
    const [id, name] = [fresh('product'), `key-${fresh('call')}`];
    const first = await writer.write([bag(id, { popularity: 1 })], { 'Idempotency-Key': name });
    await writer.write([bag(id, { popularity: 2 })]);
    const again = await writer.write([bag(id, { popularity: 1 })], { 'Idempotency-Key': name });
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(await found(id)).toMatchObject({ popularity: 2 });
    expect((await writer.write([bag(id)], { 'Idempotency-Key': name })).status).toBe(409);
    const gone = await writer.remove(id, { 'Idempotency-Key': `${name}-d` });
    const goneAgain = await writer.remove(id, { 'Idempotency-Key': `${name}-d` });
    expect([goneAgain.status, goneAgain.body]).toEqual([200, gone.body]);
  });
});
