import type { z } from 'zod';
import type { jobAnswer, webhook } from '../../../v3/answers';
import { catalog, LARGER_PHOTO, one, PHOTO } from './example';
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
  key_id: 'key_V1StGXR8_Z5jdHi6B-myT',
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
  createJob: one(
    'A piece by one photo, and one by two',
    {
      ...{ ...job, status: 'queued', total: 1, done: 0, failed: 0, credits_used: 0 },
      data: [{ state: 'waiting', prediction_id: null, answer: null }],
    },
    {
      entries: [
        { base64: PHOTO, category_id: 'handbags' },
        { images: [{ base64: LARGER_PHOTO }, { base64: LARGER_PHOTO }] },
      ],
      includes: ['taxonomy', 'pricing'],
    },
  ),
  getJob: one('One entry is still to be looked at', job),
  cancelJob: one('The last entry was not begun', {
    ...{ ...job, status: 'done', cancelled: 1 },
    data: [...job.data.slice(0, 2), { state: 'cancelled', prediction_id: null, answer: null }],
  }),
  createWebhook: one(
    'When a job is done, and before credits end',
    { success: true, ...address, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
    { url: address.url, events: address.events, credits_below: 500 },
  ),
  listWebhooks: one('One address', { success: true, data: [address] }),
  deleteWebhook: one('Removed', { success: true, id: address.id }),
};
