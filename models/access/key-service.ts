import { inject, injectable } from 'tsyringe';
import { conflict, notFound } from '../errors';
import { type AccountRepository, type AuditedWork, type Clock, PORTS } from '../ports';
import { requireAccount } from './account-service';
import type { ApiKey } from './api-key';
import { hashKey, makeKey } from './credential';

/** What a new key is to be. */
export type NewKey = Omit<Parameters<AccountRepository['createKey']>[0], 'hash'>;

/** A key with its secret, which is shown once. */
export interface MadeKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/** Keys that open the API, as an operator manages them (contract 9). Only their hashes are kept. */
@injectable()
export class KeyService {
  constructor(
    @inject(PORTS.AccountRepository) private readonly accounts: AccountRepository,
    @inject(PORTS.AuditedWork) private readonly audited: AuditedWork,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  /** @throws AppError for an unknown account */
  create(wanted: NewKey): Promise<MadeKey> {
    return this.audited.run('keys create', async ({ accounts }) => {
      const { accountId, test } = wanted;
      await requireAccount(accounts, accountId);
      const secret = makeKey(test);
      const key = await accounts.createKey({ ...wanted, hash: hashKey(secret) });
      return { result: { key, secret }, accountId, subject: key.id, details: detailsOf(key) };
    });
  }

  list(): Promise<readonly ApiKey[]> {
    return this.accounts.listKeys();
  }

  /**
   * Makes a key that does the same as another, which opens nothing after an overlap.
   *
   * @param expiresAt of the new key; undefined: it lives as long as the old one was made to
   * @throws AppError for a key that is unknown or opens nothing already
   */
  rotate(id: string, overlapMs: number, expiresAt?: Date): Promise<MadeKey> {
    return this.audited.run('keys rotate', async ({ accounts }) => {
      const old = (await accounts.listKeys()).find((key) => key.id === id);
      if (!old) throw unknownKey(id);
      const secret = makeKey(old.test);
      const endsAt = new Date(this.clock.now().getTime() + overlapMs);
      const key = await accounts.rotateKey(id, hashKey(secret), { endsAt, expiresAt });
      if (!key) {
        const why = old.revokedAt === null ? 'has expired' : 'is revoked';
        throw conflict(`The key "${id}" ${why}: make one with loupe keys create.`);
      }
      const details = { replaces: id, endsAt, ...detailsOf(key) };
      return { result: { key, secret }, accountId: key.accountId, subject: key.id, details };
    });
  }

  /** Closes a key at once, on every process. @throws AppError for an unknown key */
  revoke(id: string): Promise<void> {
    return this.audited.run('keys revoke', async ({ accounts }) => {
      const accountId = await accounts.revokeKey(id);
      if (accountId === null) throw unknownKey(id);
      return { result: undefined, accountId, subject: id };
    });
  }

  /**
   * Makes a key of Loupe's own for the unlimited account of this name, which is made if there is none. It
   * is no operator's action, so the audit log does not have it.
   */
  async createOwn(account: string, wanted: Omit<NewKey, 'accountId'>): Promise<MadeKey> {
    const known = (await this.accounts.listAccounts()).find(({ name }) => name === account);
    const { id: accountId } = known ?? (await this.accounts.createAccount(account, null));
    const secret = makeKey(wanted.test);
    const key = await this.accounts.createKey({ ...wanted, accountId, hash: hashKey(secret) });
    return { key, secret };
  }

  /** Does `work` with a key as `createOwn` makes it, which opens nothing afterwards. */
  async lend<Result>(
    account: string,
    wanted: Omit<NewKey, 'accountId'>,
    work: (secret: string) => Promise<Result>,
  ): Promise<Result> {
    const { key, secret } = await this.createOwn(account, wanted);
    try {
      return await work(secret);
    } finally {
      await this.accounts.revokeKey(key.id);
    }
  }
}

/** What the audit log says of a new key. */
const detailsOf = ({ name, versions, scopes, test, limits, expiresAt }: ApiKey) => ({
  name,
  versions,
  scopes,
  test,
  limits,
  expiresAt,
});

const unknownKey = (id: string) =>
  notFound(`There is no key "${id}"; loupe keys list shows those that there are.`);
