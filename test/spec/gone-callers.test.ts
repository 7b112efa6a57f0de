import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresItemSales } from '../../db/catalog/item-sales';
import { Billing } from '../../models/access/billing';
import { endsOf, holdMethod } from '../support/hold-method';
import { type RawCall, requestText, sendRaw } from '../support/raw-caller';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';

/** Who is gone before the charge is booked is not charged, on every endpoint, at every moment. */
const service = useService();
useEmbeddedPictures(service, {
  'https://pictures.example/birkin_croc-30.jpg': 0,
  'https://pictures.example/speedy_epi.jpg': 10,
});

let photo: { base64: string };

beforeEach(async () => {
  service.queue.reset();
  await service.sees(['product_birkin_croc', 0.05]);
  photo = { base64: (await service.photo()).toString('base64') };
  service.log.clear();
});

const ENDPOINTS: readonly [name: string, call: () => RawCall][] = [
  ['v1 products', () => ({ method: 'GET', path: '/v1/products' })],
  ['v2 products', () => ({ method: 'POST', path: '/v2/products', body: {} })],
  ['v2 vision', () => ({ method: 'POST', path: '/v2/vision', body: photo })],
  ['a catalog query', () => ({ method: 'POST', path: '/v3/catalog/query', body: { includes: ['pricing'] } })],
  ['an item', () => ({ method: 'GET', path: '/v3/catalog/items/product_birkin_croc?includes=pricing' })],
  [
    'several items',
    () => ({ method: 'POST', path: '/v3/catalog/items', body: { ids: ['product_birkin_croc', 'x'] } }),
  ],
  ['similar items', () => ({ method: 'GET', path: '/v3/catalog/items/product_birkin_croc/similar' })],
  [
    'v3 vision',
    () => ({ method: 'POST', path: '/v3/vision/identify', body: { ...photo, includes: ['pricing'] } }),
  ],
];

const NAMED: readonly [name: string, call: () => RawCall][] = ENDPOINTS.flatMap(([name, call]) =>
  call().method === 'POST'
    ? [[`${name} with an Idempotency-Key`, () => ({ ...call(), headers: { 'Idempotency-Key': 'gone' } })]]
    : [],
);

const isPhoto = ([name]: (typeof ENDPOINTS)[number]) => name.includes('vision');
/** Rows of pages and by id are booked as they are read, unless their answer is to be kept. */
const isSold = ([name]: (typeof ENDPOINTS)[number]) =>
  ['v1 products', 'v2 products', 'a catalog query', 'an item', 'several items'].includes(name);
const all = [...ENDPOINTS, ...NAMED];
const photos = all.filter(isPhoto);
const rows = all.filter((endpoint) => !isPhoto(endpoint));
const sold = all.filter(isSold);
const settled = all.filter((endpoint) => !isSold(endpoint));

/** Each moment of a call until its charge is booked, as a method that is under way. */
const MOMENTS = [
  ['while its credits are reserved', photos, () => holdMethod(PostgresCreditLedger.prototype, 'reserve')],
  [
    'when its credits are reserved',
    photos,
    () => holdMethod(PostgresCreditLedger.prototype, 'reserve', 'after'),
  ],
  ['when its balance suffices', rows, () => holdMethod(Billing.prototype, 'cover', 'after')],
  ['before its charge is booked', settled, () => holdMethod(PostgresCreditLedger.prototype, 'settle')],
  [
    'while its charge is booked',
    settled,
    () => holdMethod(PostgresCreditLedger.prototype, 'settle', 'after'),
  ],
  ['before its rows are sold', sold, () => holdMethod(PostgresItemSales.prototype, 'sell')],
  ['while its rows are sold', sold, () => holdMethod(PostgresItemSales.prototype, 'sell', 'after')],
] as const;

// contract 10.6
describe.each(MOMENTS)('a caller that hangs up %s is not charged for', (_moment, endpoints, hold) => {
  test.each(endpoints)('%s', (_endpoint, call) => isNotCharged(call(), hold));
});

/** A body that breaks off meanwhile ends its call before. */
describe('a caller that hangs up while its key is looked up is not charged for', () => {
  const bodiless = ENDPOINTS.filter(([, call]) => call().method === 'GET');
  test.each(bodiless)('%s', (_endpoint, call) =>
    isNotCharged(call(), () => holdMethod(PostgresAccountRepository.prototype, 'callerByKeyHash')),
  );
});

async function isNotCharged(call: RawCall, hold: () => ReturnType<typeof holdMethod>): Promise<void> {
  const { api, key, accountId } = await service.newKey({ credits: 100 });
  const ends = endsOf([Billing.prototype, 'charge'], [PostgresCreditLedger.prototype, 'takeBack']);
  const held = hold();
  try {
    const socket = await sendRaw(service.url, requestText(call, key));
    await held.waiting(1);
    await hangUp(socket);
  } finally {
    held.letGo();
  }
  await ends.all();
  expect(await standing(accountId)).toEqual({ booked: 0, balance: 100 });
  // Nothing is held back either, and the call can be made again.
  const { method, path, body, headers = {} } = call;
  const again = await api.send(method, path, { body, headers });
  expect(again.status).toBe(200);
  const used = Number(again.headers.get('X-Credits-Used'));
  expect(used).toBeGreaterThan(0);
  expect(await standing(accountId)).toEqual({ booked: used, balance: 100 - used });
}

test('requests sent ahead on one connection are begun one after the other, and not at all for who hung up', async () => {
  const { key, accountId } = await service.newKey({ credits: 100 });
  const [first, second] = [
    { method: 'POST', path: '/v3/vision/identify', body: photo },
    { method: 'GET', path: '/v3/catalog/items/product_birkin_croc' },
  ] as const;
  const ends = endsOf([Billing.prototype, 'charge']);
  const letGo = service.queue.holds();
  const socket = await sendRaw(service.url, requestText(first, key) + requestText(second, key));
  await service.queue.asked();
  await hangUp(socket);
  letGo();
  await ends.all();
  expect(await standing(accountId)).toEqual({ booked: 0, balance: 100 });
  expect(await service.log.lines(0)).toHaveLength(1);
});

// contract 12.8
test('requests sent ahead on one connection are answered in their order', async () => {
  const { key, accountId } = await service.newKey({ credits: 100 });
  const item = { method: 'GET', path: '/v3/catalog/items/product_birkin_croc' } as const;
  const last = { ...item, headers: { Connection: 'close' } };
  const socket = await sendRaw(service.url, requestText(item, key).repeat(11) + requestText(last, key));
  const answers = await text(socket);
  const left = [...answers.matchAll(/^X-Credits-Remaining: (\d+)/gim)].map(([, credits]) => Number(credits));
  expect(left).toEqual(Array.from({ length: 12 }, (_, call) => 99 - call));
  expect(await standing(accountId)).toEqual({ booked: 12, balance: 88 });
});

const standing = async (accountId: string) => ({
  booked: await service.creditsBooked(accountId),
  balance: await service.balance(accountId),
});

/** Hangs up, and waits until the service has seen it: then it writes the line of the request. */
async function hangUp(socket: Socket): Promise<void> {
  const before = (await service.log.lines(0)).length;
  socket.destroy();
  await service.log.lines(before + 1);
}
