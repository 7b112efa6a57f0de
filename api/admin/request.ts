import type { Request, Response } from 'express';
import type { AuditLog, Clock } from '../../models/ports';
import type { AdminServices } from '../api-services';

/** What a route of the operators' API works with, for one request. */
export interface Admin extends AdminServices {
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** Makes the answer to a request. */
export type AdminRoute = (req: Request, admin: Admin, res: Response) => Promise<object>;

/** Makes a thing, and the answer that shows it; `path` is the thing's own. */
export type MakingRoute = (
  req: Request,
  admin: Admin,
) => Promise<{ readonly path: string; readonly body: object }>;

/** One entry more than a page shows, which tells whether there is another page. */
export const andOneMore = <Page extends { readonly limit: number }>(page: Page): Page => ({
  ...page,
  limit: page.limit + 1,
});

/** What a page shows of what was read for it, and where the next one begins. */
export function pageOf<Entry extends { readonly id: string | number }>(
  entries: readonly Entry[],
  { limit }: { readonly limit: number },
): { readonly shown: Entry[]; readonly next_cursor: string | null } {
  const shown = entries.slice(0, limit);
  const last = shown.at(-1);
  return { shown, next_cursor: entries.length > limit && last ? String(last.id) : null };
}
