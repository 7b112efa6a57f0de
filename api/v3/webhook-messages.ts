import { z } from 'zod';
import type { WebhookEvent } from '../../models/webhooks/webhook';

/** A message to webhooks: when it is sent, its `data`, and an example of that. */
interface WebhookMessage {
  readonly summary: string;
  readonly data: z.ZodObject;
  readonly example: object;
}

const count = (of: string) => z.int().min(0).describe(of);
const share = (of: string) => z.number().min(0).max(1).describe(of);

/** By their event (contract 16.15, 16.16, 16.17). */
export const WEBHOOK_MESSAGES: Readonly<Record<WebhookEvent, WebhookMessage>> = {
  'vision.job.done': {
    summary: 'A job of the account is done',
    data: z.object({
      id: z.string().describe('Id of the job'),
      total: count('Entries of the job'),
      done: count('Entries that were identified'),
      failed: count('Entries whose answer is a refusal'),
      cancelled: count('Entries without an answer'),
    }),
    example: { id: 'job_V1StGXR8_Z5jdHi6B-myT', total: 3, done: 2, failed: 1, cancelled: 0 },
  },
  'account.credits.low': {
    summary: 'A charge took the balance below `credits_below`',
    data: z.object({
      credits: count('Credits that are left'),
      credits_below: count('The threshold of the webhook'),
    }),
    example: { credits: 497, credits_below: 500 },
  },
  'catalog.import.done': {
    summary: 'An import of the catalog is done',
    data: z.object({
      accepted: count('Records that were written'),
      rejected: count('Records that were not'),
    }),
    example: { accepted: 880, rejected: 2 },
  },
  'model.drift': {
    summary: 'The feedback of 30 days contradicts the confidence; at most once a week',
    data: z.object({
      claimed: share('Mean confidence of the answers'),
      right: share('Share of them that were right'),
      answers: count('Answers with feedback'),
    }),
    example: { claimed: 0.93, right: 0.78, answers: 412 },
  },
};
