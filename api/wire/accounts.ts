import { z } from 'zod';
import type { ApiKey } from '../../models/access/api-key';
import { apiVersion, part, scope } from './shared';

export const accountFields = {
  id: z.string().describe('Id of the account'),
  name: z.string().describe('Display name'),
  credits: z.int().nullable().describe('Credits left; null means unlimited'),
};

const time = z.iso.datetime();

export const keyShown = {
  id: z.string().describe('Id of the key, which is not its secret'),
  name: z.string().describe('Display name'),
  versions: z.array(apiVersion).describe('API versions that the key may use'),
  scopes: z.array(scope).describe('Scopes of the key'),
  test: z.boolean().describe('Whether the key sees only the sandbox'),
  created_at: time.describe('When the key was created'),
  expires_at: time.nullable().describe('When the key stops working; null means never'),
};

/** A key as `keyShown` describes it; its secret is not stored. */
export const presentKey = ({ id, name, versions, scopes, test, createdAt, expiresAt }: ApiKey) => ({
  id,
  name,
  versions: [...versions],
  scopes: [...scopes],
  test,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
});

export const since = time.describe('Start of the period');
export const until = time.describe('End of the period, exclusive');

export const usage = z
  .array(
    part('UsageLine', {
      day: z.iso.date().describe('Day in UTC'),
      endpoint: z.string().describe('Name of the endpoint, such as `v3.catalog.query`'),
      calls: z.int().describe('Number of charged calls'),
      credits: z.int().describe('Credits charged for them'),
    }),
  )
  .describe('By day, then endpoint; days without a charge are left out');
