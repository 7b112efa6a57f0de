import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresIdempotencyStore } from '../../db/accounts/idempotency-store';
import { PostgresSearchMissStore } from '../../db/catalog/search-miss-store';
import { PostgresHousekeepingStore } from '../../db/core/housekeeping-store';
import { PostgresVisionJobStore } from '../../db/jobs/vision-job-store';
import { PostgresWebhookStore } from '../../db/webhooks/webhook-store';
import type { Clock } from '../../models/ports';
import { at } from '../../models/random';
import type { NewJob } from '../../models/vision/jobs/vision-job';
import { useDatabase } from '../support/database';
import { HandClock } from '../support/hand-clock';
import { openAccount } from '../support/open-account';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const NOON = Date.parse('2026-03-01T12:00:00Z');

const storesOf = (knex: Knex, clock: Clock) => ({
  knex,
  accounts: new PostgresAccountRepository(knex, clock),
  ledger: new PostgresCreditLedger(knex, clock),
  idempotency: new PostgresIdempotencyStore(knex, clock),
  housekeeping: new PostgresHousekeepingStore(knex, clock),
  jobs: new PostgresVisionJobStore(knex, clock),
  webhooks: new PostgresWebhookStore(knex, clock),
  misses: new PostgresSearchMissStore(knex),
});
export type Stores = ReturnType<typeof storesOf>;

export type Owner = Awaited<ReturnType<ReturnType<typeof useTwoProcesses>['owner']>>;

/** Two processes with connections of their own on one database, and their clock, for the tests of a file. */
export function useTwoProcesses() {
  const database = useDatabase();
  const clock = new HandClock(NOON);
  let stores: readonly Stores[] = [];
  beforeAll(async () => {
    stores = [database.knex, await database.connect()].map((knex) => storesOf(knex, clock));
  });
  beforeEach(() => {
    clock.at = NOON;
  });
  return {
    ...{ database, clock },
    here: () => at(stores, 0),
    there: () => at(stores, 1),
    /** A new account with a test key, unlimited unless told otherwise. */
    owner: async (credits: number | null = null) => ({
      ...(await openAccount(database.knex, { credits, test: true })),
      test: true,
    }),
  };
}

export function jobOf(owner: Owner, entries = 1, id: string = randomUUID()): NewJob {
  const photos = [{ kind: 'url' as const, url: new URL('https://a.example/1.jpg') }];
  const entry = { photos, category: null, filters: [], explain: false, minConfidence: null };
  return { ...owner, id, includes: [], baseUrl: '', entries: Array.from({ length: entries }, () => entry) };
}

/** Registers a webhook for the message of `sendDrift`; false when the owner has reached the limit. */
export async function addWebhook({ webhooks }: Stores, owner: Owner, id: string = randomUUID()) {
  const noted = { actor: 'test', action: 'webhooks register', accountId: null, subject: null, details: {} };
  const wanted = { events: ['model.drift'] as const, creditsBelow: null, secret: 's' };
  const url = new URL(`https://a.example/${id}`);
  return (await webhooks.add({ ...owner, ...wanted, url, id }, 10, noted)) !== null;
}

export const sendDrift = ({ webhooks }: Stores) =>
  webhooks.sendDrift({ claimed: 0.9, right: 0.5, answers: 200 }, null, 0);
