import type { z } from 'zod';
import type { ApiKey } from '../../models/access/api-key';
import type { UsageLine } from '../../models/ports';
import type { usage } from './account-answers';

/** A key as `keyShown` describes it; its secret is known to nobody. */
export const presentKey = ({ id, name, versions, scopes, test, createdAt, expiresAt }: ApiKey) => ({
  id,
  name,
  versions: [...versions],
  scopes: [...scopes],
  test,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
});

/** What was charged, as `usage` describes it. */
export const presentUsage = (lines: readonly UsageLine[]): z.output<typeof usage> =>
  lines.map(({ day, endpoint, calls, credits: charged }) => ({ day, endpoint, calls, credits: charged }));
