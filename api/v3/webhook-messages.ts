import { z } from 'zod';
import type { WebhookEvent } from '../../models/webhooks/webhook';

const message = (type: WebhookEvent, data: z.ZodObject) =>
  z.object({
    type: z.literal(type).describe('The event'),
    timestamp: z.iso.datetime().describe('When it happened'),
    data: data.describe('What happened'),
  });

const count = (of: string) => z.int().min(0).describe(of);

/** The messages that webhooks get, by their event (contract 16.15, 16.16, 16.17). */
export const WEBHOOK_MESSAGES: Readonly<Record<WebhookEvent, z.ZodObject>> = {
  'vision.job.done': message(
    'vision.job.done',
    z.object({
      id: z.string().describe('Id of the job'),
      total: count('Entries of the job'),
      done: count('Entries that were identified'),
      failed: count('Entries whose answer is a refusal'),
      cancelled: count('Entries without an answer'),
    }),
  ),
  'account.credits.low': message(
    'account.credits.low',
    z.object({
      credits: count('Credits that are left'),
      credits_below: count('The threshold of the webhook'),
    }),
  ),
  'catalog.import.done': message(
    'catalog.import.done',
    z.object({ accepted: count('Records that were written'), rejected: count('Records that were not') }),
  ),
  'model.drift': message(
    'model.drift',
    z.object({
      claimed: z.number().min(0).max(1).describe('Mean confidence of the answers'),
      right: z.number().min(0).max(1).describe('Share of them that were right'),
      answers: count('Answers with feedback'),
    }),
  ),
};
