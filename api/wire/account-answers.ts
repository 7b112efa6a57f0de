import { z } from 'zod';
import { API_VERSIONS, SCOPES } from '../../models/access/api-key';

/** What an account has left; null is unlimited. */
export const credits = z.int().nullable();

const time = z.iso.datetime();

/** What callers and operators are told of a key. */
export const keyShown = {
  id: z.string().describe('Id of the key; not the key'),
  name: z.string().describe('Its name, for people'),
  versions: z.array(z.enum(API_VERSIONS)).describe('API versions that it opens'),
  scopes: z.array(z.enum(SCOPES)).describe('What it may do'),
  test: z.boolean().describe('Whether it sees the sandbox only'),
  created_at: time.describe('When it was made'),
  expires_at: time.nullable().describe('From then on it opens nothing; null: never'),
};

/** The period of a usage. */
export const since = time.describe('From then on');
/** Its end. */
export const until = time.describe('Before then');

/** What was charged, by day and endpoint. */
export const usage = z
  .array(
    z.object({
      day: z.iso.date().describe('Of UTC'),
      endpoint: z.string().describe('Such as `v3.catalog.query`'),
      calls: z.int().describe('Calls that were charged'),
      credits: z.int().describe('What they were charged'),
    }),
  )
  .describe('By day, then endpoint; days without a charge are left out');
