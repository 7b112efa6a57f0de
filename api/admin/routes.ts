import type { Request, Response } from 'express';
import { API_VERSIONS, SCOPES } from '../../models/access/api-key';
import type { CreatedKey } from '../../models/access/key-service';
import type { ApiServices, ApiSettings } from '../api-services';
import type { OperatorRoutes } from '../middleware/endpoint-kinds';
import { serializeAnswer } from '../middleware/idempotency';
import { setCreated } from '../middleware/links';
import { idOf } from '../middleware/request-address';
import { validate } from '../middleware/validate';
import { periodOf } from '../wire/accounts';
import { presentAccount, presentEntry, presentOwnedKey } from './answers';
import * as schema from './schema';

const HOUR_MS = 3_600_000;

/** The operators' API (contract 17.3, 17.8). */
export function operatorRoutes({ audit, clock }: ApiServices, settings: ApiSettings): OperatorRoutes {
  const getAccount: OperatorRoutes['getAccount'] = async (req, { accounts }) => ({
    account: presentAccount(await accounts.show(idOf(req))),
  });
  /** The only answer that contains the secret. */
  const answerKey = (req: Request, res: Response, { key, secret }: CreatedKey) => {
    setCreated(req, res, settings, `/admin/v1/keys/${key.id}`);
    return { key: presentOwnedKey(key), secret };
  };
  return {
    listAccounts: async ({ query }, { accounts }) => {
      const { shown, next_cursor } = await pageOf(schema.listPage(query), (wanted) => accounts.list(wanted));
      return { accounts: shown.map(presentAccount), next_cursor };
    },
    createAccount: async (req, { accounts }, res) => {
      const { name, credits } = validate(schema.accountBody, req.body);
      const account = presentAccount(await accounts.create(name, credits));
      setCreated(req, res, settings, `/admin/v1/accounts/${account.id}`);
      return { account };
    },
    getAccount,
    keepPhotos: async (req, admin, res) => {
      const { keep } = validate(schema.keepPhotosBody, req.body);
      await admin.accounts.keepPhotos(idOf(req), keep);
      return getAccount(req, admin, res);
    },
    /** The answer to a call with an idempotency key is stored with the credit. */
    creditAccount: async (req, { accounts }, res) => {
      const { amount, note = null } = validate(schema.creditBody, req.body);
      const account = idOf(req);
      const { claimed } = res.locals;
      const answer = (credits: number) => serializeAnswer(res, { success: true, account, amount, credits });
      const credits = await accounts.credit(account, amount, note, claimed && { ...claimed, answer });
      return { account, amount, credits };
    },
    getUsage: async (req, { accounts }) => {
      const account = idOf(req);
      const { since, until } = periodOf(req.query, clock.now());
      const lines = await accounts.usage(account, since, until);
      const credits = lines.reduce((sum, line) => sum + line.credits, 0);
      const period = { since: since.toISOString(), until: until.toISOString() };
      return { account, ...period, credits, usage: [...lines] };
    },
    listKeys: async (req, { keys }) => {
      const page = schema.listPage(req.query);
      const { shown, next_cursor } = await pageOf(page, (wanted) => keys.listOf(idOf(req), wanted));
      return { keys: shown.map(presentOwnedKey), next_cursor };
    },
    createKey: async (req, { keys }, res) => {
      const { versions, scopes, limits, expires_at, ...wanted } = validate(schema.keyBody, req.body);
      const made = await keys.create({
        ...wanted,
        accountId: idOf(req),
        versions: API_VERSIONS.filter((each) => versions.includes(each)),
        scopes: SCOPES.filter((each) => scopes.includes(each)),
        limits: {
          perSecond: limits.per_second ?? null,
          perMinute: limits.per_minute ?? null,
          concurrency: limits.concurrency ?? null,
        },
        expiresAt: expires_at ?? null,
      });
      return answerKey(req, res, made);
    },
    rotateKey: async (req, { keys }, res) => {
      const { overlap_hours: hours, expires_at: expiresAt } = validate(schema.rotationBody, req.body);
      return answerKey(req, res, await keys.rotate(idOf(req), hours * HOUR_MS, expiresAt));
    },
    revokeKey: async (req, { keys }) => {
      const id = idOf(req);
      await keys.revoke(id);
      return { id, revoked: true };
    },
    getAuditLog: async ({ query }, { accounts }) => {
      const filter = schema.auditFilter(query);
      if (filter.accountId !== null) await accounts.show(filter.accountId);
      const { shown, next_cursor } = await pageOf(filter, (wanted) => audit.list(wanted));
      return { entries: shown.map(presentEntry), next_cursor };
    },
  };
}

/** A page, and where the next one begins; one extra entry is read to tell whether there is another page. */
async function pageOf<
  Page extends { readonly limit: number },
  Entry extends { readonly id: string | number },
>(page: Page, read: (page: Page) => Promise<readonly Entry[]>) {
  const entries = await read({ ...page, limit: page.limit + 1 });
  const shown = entries.slice(0, page.limit);
  const last = shown.at(-1);
  return { shown, next_cursor: entries.length > page.limit && last ? String(last.id) : null };
}
