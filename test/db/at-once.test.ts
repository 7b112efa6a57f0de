import { randomBytes } from 'node:crypto';
import { CREDITS_MAX } from '../../models/access/credits';
import { addWebhook, jobOf, type Owner, type Stores, sendDrift, useTwoProcesses } from './stores';

const { clock, database, here, there, owner: newOwner } = useTwoProcesses();
const LEASE_MS = 30_000;

/** What several concurrent loops of both processes take, until each finds nothing. */
async function takenByAll<Taken>(take: (stores: Stores) => Promise<Taken | null>): Promise<Taken[]> {
  const takeAll = async (stores: Stores): Promise<Taken[]> => {
    const taken: Taken[] = [];
    for (let next = await take(stores); next; next = await take(stores)) taken.push(next);
    return taken;
  };
  return (await Promise.all([here(), there(), here(), there()].map(takeAll))).flat();
}

describe('entries of vision jobs', () => {
  const OPEN_MAX = 1_000;
  const add = (owner: Owner, count: number, id?: string) =>
    here().jobs.add(jobOf(owner, count, id), OPEN_MAX);

  beforeEach(() => database.knex('vision_jobs').delete());

  // contract 16.3, 16.4
  test('two processes never begin the same entry, until its lease ends', async () => {
    await add(await newOwner(), 60);
    const begun = await takenByAll(({ jobs }) => jobs.begin(LEASE_MS));
    const positions = begun.map(({ position }) => position).sort((left, right) => left - right);
    expect(positions).toEqual(Array.from({ length: 60 }, (_, at) => at));
    clock.at += LEASE_MS;
    expect(await there().jobs.begin(LEASE_MS)).toMatchObject({ position: 0, tries: 2 });
  });

  test('an entry is finished once, by the process that leases it, or when its job is deleted', async () => {
    const owner = await newOwner();
    await add(owner, 1);
    const dead = await here().jobs.begin(LEASE_MS);
    clock.at += LEASE_MS;
    const alive = await there().jobs.begin(LEASE_MS);
    if (!dead || !alive) throw new Error('nothing is due');
    const answer = { state: 'done' as const, predictionId: 'p', answer: { success: true, credits_used: 3 } };
    const finished = [dead, alive, alive].map((entry) => here().jobs.finish(entry, answer));
    expect((await Promise.all(finished)).filter(Boolean)).toHaveLength(1);
    await here().jobs.deleteOf(owner.accountId);
    expect(await here().jobs.finish(alive, answer)).toBe(true);
  });

  // contract 16.5
  describe('the account served longest ago', () => {
    let many: Owner;
    let one: Owner;
    beforeEach(async () => {
      [many, one] = [await newOwner(), await newOwner()];
    });
    const turns = async (count: number, without: string[] = []) => {
      const names: unknown[] = [];
      for (let turn = 0; turn < count; turn += 1) {
        const entry = await here().jobs.begin(LEASE_MS, without);
        names.push(entry && (entry.accountId === one.accountId ? 'one' : 'many'));
      }
      return names;
    };

    test('has the next turn, however many jobs others have', async () => {
      for (let at = 0; at < 50; at += 1) await add(many, 1);
      expect(await turns(2)).toEqual(['many', 'many']);
      await add(one, 5);
      expect(await turns(10)).toEqual(Array(5).fill(['one', 'many']).flat());
    });

    test('keeps its turn while it has no entries', async () => {
      for (let at = 0; at < 5; at += 1) {
        await add(many, 1);
        expect(await turns(1)).toEqual(['many']);
      }
      await add(one, 1);
      await add(many, 1);
      expect(await turns(3)).toEqual(['one', 'many', null]);
    });

    test('is skipped while it is excluded', async () => {
      await add(many, 3);
      await add(one, 3);
      expect(await turns(4, [many.accountId])).toEqual(['one', 'one', 'one', null]);
      expect(await turns(1)).toEqual(['many']);
    });
  });
});

describe('webhook messages', () => {
  const begin = ({ webhooks }: Stores) => webhooks.begin(LEASE_MS);
  let owner: Owner;

  beforeEach(async () => {
    await database.knex('webhook_endpoints').delete();
    owner = await newOwner();
  });

  // contract 16.13, 16.14
  test('two processes never take the same message, and an endpoint gets one at a time', async () => {
    const ids = Array.from({ length: 10 }, (_, at) => `w${at}`);
    for (const id of ids) await addWebhook(here(), owner, id);
    await sendDrift(here());
    await sendDrift(here());
    const taken: string[] = [];
    // One that finds all others locked comes back later; in the end each was taken once.
    for (let round = 0; round < 10; round += 1)
      taken.push(...(await takenByAll(begin)).map(({ endpointId }) => endpointId));
    expect(taken.sort()).toEqual(ids);
    clock.at += LEASE_MS;
    expect(await begin(there())).toMatchObject({ tries: 1 });
  });

  test('the message with the fewest tries comes first, so a failing one blocks no other', async () => {
    await addWebhook(here(), owner);
    await sendDrift(here());
    const poison = await begin(here());
    if (!poison) throw new Error('no message is due');
    const again = { message: clock.now(), endpoint: clock.now(), dropBefore: new Date(0) };
    await here().webhooks.failed(poison, 'no', again);
    await sendDrift(here());
    const next = await begin(here());
    expect([poison.tries, next?.tries, next?.id === poison.id]).toEqual([1, 1, false]);
  });
});

const CALLS_AT_ONCE = 30;

/** How many fit, and a call that resolves to whether it was let through. */
type Limit = { readonly max: number; readonly call: (stores: Stores, at: number) => Promise<boolean> };

const LIMITS: Record<string, () => Promise<Limit>> = {
  'new keys of a rotation without an overlap': async () => {
    const { keyId } = await newOwner();
    const endsAt = clock.now();
    return {
      max: 1,
      call: async ({ accounts }) => (await accounts.rotateKey(keyId, randomBytes(32), { endsAt })) !== null,
    };
  },
  'calls of a test key, of which one may count for several': async () => {
    const { keyId } = await newOwner();
    return { max: 7, call: ({ accounts }) => accounts.countTestCalls(keyId, 7, 50) };
  },
  credits: async () => {
    const { accountId } = await newOwner(CREDITS_MAX - 10);
    return {
      max: 3,
      call: async ({ ledger }) => (await ledger.topUp(accountId, 3, null).catch(() => null)) !== null,
    };
  },
  'failed searches per day': async () => {
    const known = Array.from({ length: 990 }, (_, at) => ({ query: `known ${at}`, misses: 3 }));
    await here().misses.add('2026-03-01', known);
    return {
      max: 10,
      call: async ({ misses, knex }, at) => {
        await misses.add('2026-03-01', [{ query: `new ${at}`, misses: 3 }]);
        return (await knex('search_misses').where({ query: `new ${at}` })).length === 1;
      },
    };
  },
};

// contract 9.13
test.each(Object.entries(LIMITS))('a limit on %s holds under concurrent calls', async (_what, make) => {
  const { max, call } = await make();
  const calls = Array.from({ length: CALLS_AT_ONCE }, (_, at) => call(at % 2 === 0 ? here() : there(), at));
  expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(max);
  expect(await call(here(), CALLS_AT_ONCE)).toBe(false);
});

test('concurrent calls for one account name make one account', async () => {
  const { accounts } = here();
  const made = await Promise.all(Array.from({ length: 8 }, () => accounts.ensureAccount('default')));
  expect(new Set(made.map(({ id }) => id))).toEqual(new Set(['account_default']));
  expect((await accounts.listAccounts()).filter(({ name }) => name === 'default')).toHaveLength(1);
});
