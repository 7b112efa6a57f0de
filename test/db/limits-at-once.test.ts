import { randomBytes } from 'node:crypto';
import { CREDITS_MAX } from '../../models/access/credits';
import { type Stores, useTwoProcesses } from './stores';

/** contract 9.13: a limit on a number is never exceeded, however many calls of however many processes arrive at once. */
jest.setTimeout(240_000);

const { clock, here, there, owner: newOwner } = useTwoProcesses();
const AT_ONCE = 30;

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
  'texts that found nothing of a day': async () => {
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

test.each(Object.entries(LIMITS))('%s', async (_what, make) => {
  const { max, call } = await make();
  const calls = Array.from({ length: AT_ONCE }, (_, at) => call(at % 2 === 0 ? here() : there(), at));
  expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(max);
  expect(await call(here(), AT_ONCE)).toBe(false);
});

test('concurrent calls for one account name make one account', async () => {
  const { accounts } = here();
  const made = await Promise.all(Array.from({ length: 8 }, () => accounts.ensureAccount('default')));
  expect(new Set(made.map(({ id }) => id))).toEqual(new Set(['account_default']));
  expect((await accounts.listAccounts()).filter(({ name }) => name === 'default')).toHaveLength(1);
});
