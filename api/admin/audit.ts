import type { Request } from 'express';
import type { z } from 'zod';
import { type auditLog, presentEntry } from './answers';
import { type Admin, andOneMore, pageOf } from './request';
import { auditFilter } from './schema';

/** `GET /admin/v1/audit` */
export async function showAuditLog({ query }: Request, { audit }: Admin): Promise<z.output<typeof auditLog>> {
  const filter = auditFilter(query);
  const { shown, next_cursor } = pageOf(await audit.list(andOneMore(filter)), filter);
  return { success: true, entries: shown.map(presentEntry), next_cursor };
}
