import { z } from 'zod';
import type { ApiKey } from '../../models/access/api-key';
import { apiVersion, part, scope } from './shared';

export const accountFields = {
  id: z.string().describe('Id of the account'),
  name: z.string().describe('Its name, for people'),
  credits: z.int().nullable().describe('What it has left; null is unlimited'),
};

const time = z.iso.datetime();

export const keyShown = {
  id: z.string().describe('Id of the key; not the key'),
  name: z.string().describe('Its name, for people'),
  versions: z.array(apiVersion).describe('API versions that it opens'),
  scopes: z.array(scope).describe('What it may do'),
  test: z.boolean().describe('Whether it sees the sandbox only'),
  created_at: time.describe('When it was made'),
  expires_at: time.nullable().describe('From then on it opens nothing; null: never'),
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

export const since = time.describe('From then on');
export const until = time.describe('Before then');

export const usage = z
  .array(
    part('UsageLine', {
      day: z.iso.date().describe('Of UTC'),
      endpoint: z.string().describe('Such as `v3.catalog.query`'),
      calls: z.int().describe('Calls that were charged'),
      credits: z.int().describe('What they were charged'),
    }),
  )
  .describe('By day, then endpoint; days without a charge are left out');
