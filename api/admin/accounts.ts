import type { Request, Response } from 'express';
import type { z } from 'zod';
import { storedForm } from '../middleware/kept-answer';
import { idOf } from '../middleware/request-address';
import { validate } from '../middleware/validate';
import { presentUsage } from '../wire/accounts';
import { periodOf } from '../wire/period';
import {
  type accountList,
  type accountShown,
  type auditLog,
  type creditsAdded,
  presentAccount,
  presentEntry,
  type usageShown,
} from './answers';
import { type Admin, andOneMore, pageOf } from './request';
import { accountBody, auditFilter, creditBody, keepPhotosBody, listPage } from './schema';

type Shown = Promise<z.output<typeof accountShown>>;

/** `GET /admin/v1/accounts` */
export async function listAccounts(
  { query }: Request,
  { accounts }: Admin,
): Promise<z.output<typeof accountList>> {
  const page = listPage(query);
  const { shown, next_cursor } = pageOf(await accounts.list(andOneMore(page)), page);
  return { success: true, accounts: shown.map(presentAccount), next_cursor };
}

/** `POST /admin/v1/accounts` */
export async function createAccount({ body }: Request, { accounts }: Admin) {
  const { name, credits } = validate(accountBody, body);
  const account = presentAccount(await accounts.create(name, credits));
  return {
    path: `/admin/v1/accounts/${account.id}`,
    body: { success: true, account } satisfies Awaited<Shown>,
  };
}

/** `GET /admin/v1/accounts/{id}` */
export async function showAccount(req: Request, { accounts }: Admin): Shown {
  return { success: true, account: presentAccount(await accounts.show(idOf(req))) };
}

/** `POST /admin/v1/accounts/{id}/credits`; the answer of a call that names itself is kept with the credit. */
export async function creditAccount(
  req: Request,
  { accounts }: Admin,
  res: Response,
): Promise<z.output<typeof creditsAdded>> {
  const { amount, note = null } = validate(creditBody, req.body);
  const account = idOf(req);
  const answer = (credits: number) => ({ success: true as const, account, amount, credits });
  const { claimed } = res.locals;
  const once = claimed && { ...claimed, answer: (credits: number) => storedForm(res, answer(credits)) };
  return answer(await accounts.credit(account, amount, note, once));
}

/** `POST /admin/v1/accounts/{id}/keep-photos` */
export async function keepPhotos(req: Request, admin: Admin): Shown {
  const { keep } = validate(keepPhotosBody, req.body);
  await admin.accounts.keepPhotos(idOf(req), keep);
  return showAccount(req, admin);
}

/** `GET /admin/v1/accounts/{id}/usage` */
export async function showUsage(
  req: Request,
  { accounts, clock }: Admin,
): Promise<z.output<typeof usageShown>> {
  const account = idOf(req);
  const { since, until } = periodOf(req.query, clock.now());
  const lines = await accounts.usage(account, since, until);
  return {
    success: true,
    account,
    since: since.toISOString(),
    until: until.toISOString(),
    credits: lines.reduce((sum, line) => sum + line.credits, 0),
    usage: presentUsage(lines),
  };
}

/** `GET /admin/v1/audit` */
export async function showAuditLog({ query }: Request, { audit }: Admin): Promise<z.output<typeof auditLog>> {
  const filter = auditFilter(query);
  const { shown, next_cursor } = pageOf(await audit.list(andOneMore(filter)), filter);
  return { success: true, entries: shown.map(presentEntry), next_cursor };
}
