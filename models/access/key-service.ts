import { inject, injectable } from 'tsyringe';
import { badRequest, conflict, notFound } from '../errors';
import type { AccountRepository, AuditedTransaction, Clock, ListPage, NewKeyRecord } from '../ports';
import { PORTS } from '../ports';
import { requireAccount, unknownCursor } from './account-service';
import { type ApiKey, generateKey, hashKey } from './api-key';

/** The properties of a new key; without an account it belongs to the account `default`, which is created if missing. */
export type NewKey = Omit<NewKeyRecord, 'hash' | 'accountId'> & {
  readonly accountId?: string | undefined;
};

export interface CreatedKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/** Only hashes of keys are kept (contract 9). */
@injectable()
export class KeyService {
  constructor(
    @inject(PORTS.AccountRepository) private readonly accounts: AccountRepository,
    @inject(PORTS.AuditedTransaction) private readonly audited: AuditedTransaction,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  /** @throws AppError for an unknown account, and a key that would be unusable */
  async create(wanted: NewKey): Promise<CreatedKey> {
    this.#refusePast(wanted.expiresAt);
    return this.audited.run('keys create', async ({ accounts }) => {
      const accountId = wanted.accountId ?? (await accounts.ensureAccount('default')).id;
      await requireAccount(accounts, accountId);
      const secret = generateKey(wanted.test);
      const key = await accounts.createKey({ ...wanted, accountId, hash: hashKey(secret) });
      return { result: { key, secret }, accountId, subject: key.id, details: detailsOf(key) };
    });
  }

  list(): Promise<readonly ApiKey[]> {
    return this.accounts.listKeys();
  }

  /** Keys of an account, the oldest first. @throws AppError for an unknown account, and a page after a key that is not its own */
  async listOf(accountId: string, page: ListPage): Promise<readonly ApiKey[]> {
    await requireAccount(this.accounts, accountId);
    if (page.after !== null && (await this.accounts.key(page.after))?.accountId !== accountId) {
      throw unknownCursor();
    }
    return this.accounts.listKeys(accountId, page);
  }

  /**
   * Makes a key equivalent to another one, which stops working after an overlap.
   * @param expiresAt of the new key; default: it gets the original lifetime of the old one, even after earlier rotations
   * @throws AppError for a key that is unknown or no longer works, and a new one that would not work
   */
  async rotate(
    id: string,
    overlapMs: number,
    expiresAt?: Date,
  ): Promise<CreatedKey & { readonly oldEndsAt: Date }> {
    this.#refusePast(expiresAt);
    return this.audited.run('keys rotate', async ({ accounts }) => {
      const old = await accounts.key(id);
      if (!old) throw unknownKey(id);
      const secret = generateKey(old.test);
      const overlapEnd = new Date(this.clock.now().getTime() + overlapMs);
      const endsAt = old.expiresAt && old.expiresAt < overlapEnd ? old.expiresAt : overlapEnd;
      const key = await accounts.rotateKey(id, hashKey(secret), { endsAt, expiresAt });
      if (!key) {
        const why = old.revokedAt === null ? 'has expired' : 'is revoked';
        throw conflict(`The key "${id}" ${why}: make one with loupe keys create.`);
      }
      const details = { replaces: id, endsAt, ...detailsOf(key) };
      const { accountId, id: subject } = key;
      return { result: { key, secret, oldEndsAt: endsAt }, accountId, subject, details };
    });
  }

  /** Revokes a key at once, on every process. @throws AppError for an unknown key */
  revoke(id: string): Promise<void> {
    return this.audited.run('keys revoke', async ({ accounts }) => {
      const accountId = await accounts.revokeKey(id);
      if (accountId === null) throw unknownKey(id);
      return { result: undefined, accountId, subject: id };
    });
  }

  /** Makes a key of Loupe's own, without an audit entry, for the unlimited account of this name, which is created if missing. */
  async createInternalKey(account: string, wanted: Omit<NewKey, 'accountId'>): Promise<CreatedKey> {
    const { id: accountId } = await this.accounts.ensureAccount(account);
    const secret = generateKey(wanted.test);
    const key = await this.accounts.createKey({ ...wanted, accountId, hash: hashKey(secret) });
    return { key, secret };
  }

  async withTemporaryKey<Result>(
    account: string,
    wanted: Omit<NewKey, 'accountId'>,
    work: (secret: string) => Promise<Result>,
  ): Promise<Result> {
    const { key, secret } = await this.createInternalKey(account, wanted);
    try {
      return await work(secret);
    } finally {
      await this.accounts.revokeKey(key.id);
    }
  }

  #refusePast(expiresAt: Date | null | undefined): void {
    if (expiresAt == null || expiresAt > this.clock.now()) return;
    throw badRequest('expires_at: must lie in the future.', { field: 'expires_at' });
  }
}

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
