import { catalog, LARGER_PHOTO, one, PHOTO, PREDICTION, product } from './parts';

const entry = (state: string) => ({ state, prediction_id: null, answer: null });
const job = {
  success: true,
  id: 'job_V1StGXR8_Z5jdHi6B-myT',
  status: 'running',
  created_at: '2026-03-15T12:00:00.000Z',
  total: 3,
  done: 1,
  failed: 1,
  cancelled: 0,
  credits_used: 5,
};
const finished = [
  {
    state: 'done',
    prediction_id: PREDICTION,
    answer: catalog([{ ...product, confidence: 0.97 }], { credits_used: 5 }),
  },
  {
    ...entry('failed'),
    answer: {
      success: false,
      error: 'unprocessable',
      message: 'The address answered with HTTP status 404.',
      request_id: 'job_V1StGXR8_Z5jdHi6B-myT.1',
      reason: 'url_status',
    },
  },
];

const webhook = {
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

/** Examples of what is answered later, and of how callers are told (contract 16). */
export const LATER_EXAMPLES = {
  createJob: one(
    'A piece by one photo, and one by two',
    {
      ...{ ...job, status: 'queued', total: 2, done: 0, failed: 0, credits_used: 0 },
      data: [entry('waiting'), entry('waiting')],
    },
    {
      entries: [
        { base64: PHOTO, category_id: 'handbags' },
        { images: [{ base64: LARGER_PHOTO }, { base64: LARGER_PHOTO }] },
      ],
      includes: ['taxonomy', 'pricing'],
    },
  ),
  getJob: one('One entry is still to be looked at', { ...job, data: [...finished, entry('waiting')] }),
  cancelJob: one('The last entry was not begun', {
    ...{ ...job, status: 'done', cancelled: 1 },
    data: [...finished, entry('cancelled')],
  }),
  createWebhook: one(
    'When a job is done, and before credits end',
    { success: true, ...webhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
    { url: webhook.url, events: webhook.events, credits_below: 500 },
  ),
  listWebhooks: one('One address', { success: true, data: [webhook] }),
  deleteWebhook: one('Removed', { success: true, id: webhook.id }),
};
