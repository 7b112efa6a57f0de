import type { Knex } from 'knex';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { API_VERSIONS, generateKey, hashKey, type KeyLimits } from '../../models/access/api-key';
import type { NewKey } from '../../models/access/key-service';
import { SYSTEM_CLOCK } from '../../scripts/composition/startup';

export interface KeyOptions extends Partial<Omit<NewKey, 'name' | 'limits'>> {
  readonly limits?: Partial<KeyLimits>;
  /** Of a new account; default unlimited. */
  readonly credits?: number | null;
}

export interface Payer {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

/** Creates a key, live and without limits unless told otherwise, and, unless one is named, an account that pays for it. */
export async function openAccount(
  knex: Knex,
  { credits = null, test = false, limits, ...options }: KeyOptions = {},
  clock = SYSTEM_CLOCK,
): Promise<Payer> {
  const accounts = new PostgresAccountRepository(knex, clock);
  const accountId = options.accountId ?? (await accounts.createAccount('test', credits)).id;
  const key = generateKey(test);
  const { id: keyId } = await accounts.createKey({
    ...{ name: 'test', versions: API_VERSIONS, ...options, accountId, test, hash: hashKey(key) },
    limits: { perSecond: null, perMinute: null, concurrency: null, ...limits },
  });
  return { accountId, keyId, key };
}
