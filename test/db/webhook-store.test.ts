import { PostgresWebhookStore } from '../../db/webhooks/webhook-store';
import { openAccount } from '../faults/books';
import { useDatabase } from '../support/database';

jest.setTimeout(240_000);

let now = new Date('2026-03-01T12:00:00Z');
const clock = { now: () => now };
const lease = (): Date => new Date(now.getTime() + 30_000);

const database = useDatabase();
let first: PostgresWebhookStore;
let second: PostgresWebhookStore;
let accountId: string;
let keyId: string;
const NOTED = { actor: 'test', action: 'webhooks register', accountId: null, subject: null, details: {} };

beforeAll(async () => {
  // As two processes, each with connections of its own.
  first = new PostgresWebhookStore(database.knex, clock);
  second = new PostgresWebhookStore(await database.connect(), clock);
  ({ accountId, keyId } = await openAccount({ database }, 'test', { test: false }));
}, 240_000);
const webhookOf = (id: string) => ({
  ...{ id, accountId, keyId, test: false, secret: 'whsec_AAAA', creditsBelow: null },
  ...{ url: new URL(`https://a.example/${id}`), events: ['model.drift'] as const },
});
const address = (id: string) => first.add(webhookOf(id), 100, NOTED);
const drift = () => first.tellOfDrift({ claimed: 0.9, right: 0.5, answers: 200 }, null, 0);

// contract 16.13, 16.14
test('two processes never take the same message, and an endpoint gets one at a time', async () => {
  const ids = Array.from({ length: 20 }, (_, at) => `w${at}`);
  for (const id of ids) await address(id);
  await drift();
  await drift();
  const takeAll = async (store: PostgresWebhookStore): Promise<string[]> => {
    const taken: string[] = [];
    for (;;) {
      const message = await store.begin(30_000);
      if (!message) return taken;
      taken.push(message.endpointId);
    }
  };
  // One that finds all others locked comes back later; in the end each was taken once.
  const taken: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const takers = [first, second, first, second].map(takeAll);
    taken.push(...(await Promise.all(takers)).flat());
  }
  expect(taken.sort()).toEqual([...ids].sort());
  now = lease();
  expect(await second.begin(30_000)).toMatchObject({ tries: 1 });
});

test('the message with the fewest tries comes first, so a failing one blocks no other', async () => {
  await database.knex('webhook_endpoints').delete();
  await address('one');
  await drift();
  const poison = await first.begin(30_000);
  const again = { message: now, endpoint: now, dropBefore: new Date(0) };
  if (poison) await first.failed(poison, 'no', again);
  await drift();
  const next = await first.begin(30_000);
  expect([poison?.tries, next?.tries, next?.id === poison?.id]).toEqual([1, 1, false]);
});

test('removing an endpoint removes its messages', async () => {
  await address('gone');
  await drift();
  expect(await second.remove({ accountId: 'account_of_nobody', test: false }, 'gone', NOTED)).toBe(false);
  expect(await second.remove({ accountId, test: false }, 'gone', NOTED)).toBe(true);
  expect(await database.knex('webhook_messages').where({ endpoint_id: 'gone' })).toEqual([]);
});
