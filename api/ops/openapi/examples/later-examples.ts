import type { z } from 'zod';
import type { jobAnswer, webhook } from '../../../v3/answers';
import { catalog, type Examples, LARGER_PHOTO, PHOTO } from './example';
import { product } from './rows';

const job: z.output<typeof jobAnswer> = {
  success: true,
  id: 'job_V1StGXR8_Z5jdHi6B-myT',
  status: 'running',
  created_at: '2026-03-15T12:00:00.000Z',
  total: 3,
  done: 1,
  failed: 1,
  cancelled: 0,
  credits_used: 5,
  data: [
    {
      state: 'done',
      prediction_id: '0197a3f0-5b7e-7c21-9e44-8d2f6a1b3c55',
      answer: catalog([{ ...product, confidence: 0.97 }], { credits_used: 5 }),
    },
    {
      state: 'failed',
      prediction_id: null,
      answer: {
        success: false,
        error: 'unprocessable',
        message: 'The address answered with HTTP status 404.',
        request_id: 'job_V1StGXR8_Z5jdHi6B-myT.1',
        reason: 'url_status',
      },
    },
    { state: 'waiting', prediction_id: null, answer: null },
  ],
};

const address: z.output<typeof webhook> = {
  id: 'webhook_V1StGXR8_Z5jdHi6B-myT',
  url: 'https://shop.example/loupe',
  events: ['vision.job.done', 'account.credits.low'],
  credits_below: 500,
  created_at: '2026-03-15T12:00:00.000Z',
  disabled_at: null,
  failures: 0,
  last_failure: null,
};

/** Of what is answered later, and how callers are told. */
export const LATER_EXAMPLES = {
  createJob: {
    requests: {
      photos: {
        summary: 'A piece by one photo, and one by two',
        value: {
          entries: [
            { base64: PHOTO, category_id: 'handbags' },
            { images: [{ base64: LARGER_PHOTO }, { base64: LARGER_PHOTO }] },
          ],
          includes: ['taxonomy', 'pricing'],
        },
      },
    },
    answers: {
      queued: {
        summary: 'Nothing is looked at yet',
        value: {
          ...{ ...job, status: 'queued', total: 1, done: 0, failed: 0, credits_used: 0 },
          data: [{ state: 'waiting', prediction_id: null, answer: null }],
        },
      },
    },
  },
  showJob: { answers: { running: { summary: 'One entry is still to be looked at', value: job } } },
  cancelJob: {
    answers: {
      cancelled: {
        summary: 'The last entry was not begun',
        value: {
          ...{ ...job, status: 'done', cancelled: 1 },
          data: [...job.data.slice(0, 2), { state: 'cancelled', prediction_id: null, answer: null }],
        },
      },
    },
  },
  createWebhook: {
    requests: {
      jobsAndCredits: {
        summary: 'When a job is done, and before credits end',
        value: { url: address.url, events: address.events, credits_below: 500 },
      },
    },
    answers: {
      registered: {
        summary: 'With its secret',
        value: { success: true, ...address, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
      },
    },
  },
  listWebhooks: { answers: { one: { summary: 'One address', value: { success: true, data: [address] } } } },
  removeWebhook: { answers: { removed: { summary: 'Removed', value: { success: true, id: address.id } } } },
} satisfies Readonly<Record<string, Examples>>;
