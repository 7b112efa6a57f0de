import type { Request } from 'express';
import type { z } from 'zod';
import { API_VERSIONS, SCOPES } from '../../models/access/api-key';
import type { MadeKey } from '../../models/access/key-service';
import { idOf } from '../middleware/request-address';
import { validate } from '../middleware/validate';
import { type keyList, type keyMade, type keyRevoked, presentMadeKey, presentOwnedKey } from './answers';
import { type Admin, andOneMore, pageOf } from './request';
import { keyBody, listPage, rotationBody } from './schema';

const HOUR_MS = 3_600_000;

const made = (key: MadeKey) => ({
  path: `/admin/v1/keys/${key.key.id}`,
  body: presentMadeKey(key) satisfies z.output<typeof keyMade>,
});

/** `GET /admin/v1/accounts/{id}/keys` */
export async function listKeys(req: Request, { keys }: Admin): Promise<z.output<typeof keyList>> {
  const page = listPage(req.query);
  const { shown, next_cursor } = pageOf(await keys.listOf(idOf(req), andOneMore(page)), page);
  return { success: true, keys: shown.map(presentOwnedKey), next_cursor };
}

/** `POST /admin/v1/accounts/{id}/keys`: the only answer with the secret. */
export async function createKey(req: Request, { keys }: Admin) {
  const { versions, scopes, limits, expires_at: expiresAt = null, ...wanted } = validate(keyBody, req.body);
  const key = await keys.create({
    ...wanted,
    accountId: idOf(req),
    versions: API_VERSIONS.filter((each) => versions.includes(each)),
    scopes: SCOPES.filter((each) => scopes.includes(each)),
    limits: {
      perSecond: limits.per_second ?? null,
      perMinute: limits.per_minute ?? null,
      concurrency: limits.concurrency ?? null,
    },
    expiresAt,
  });
  return made(key);
}

/** `POST /admin/v1/keys/{id}/rotate` */
export async function rotateKey(req: Request, { keys }: Admin) {
  const { overlap_hours: hours, expires_at: expiresAt } = validate(rotationBody, req.body);
  return made(await keys.rotate(idOf(req), hours * HOUR_MS, expiresAt));
}

/** `DELETE /admin/v1/keys/{id}` */
export async function revokeKey(req: Request, { keys }: Admin): Promise<z.output<typeof keyRevoked>> {
  const id = idOf(req);
  await keys.revoke(id);
  return { success: true, id, revoked: true };
}
