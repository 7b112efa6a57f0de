import { change, json, type Operation, plain } from './operation';
import { idParameter } from './parameters';

const JOB = idParameter('The `id` of the job', 'job_V1StGXR8_Z5jdHi6B-myT');

/** What is answered later, and how callers are told (contract 16). */
export const LATER_OPERATIONS: readonly Operation[] = [
  json({
    id: 'createJob',
    summary: 'Identify many photos later',
    description: `Up to 100 \`entries\`, each one identification; the answer is the job, before any of them is looked at. Ask for it by its \`id\` until its \`status\` is \`done\`.

- Prefer \`url\` to \`base64\`: the body is limited to twice that of an identification.
- A photo that can't be used is the answer of its entry; a malformed entry refuses the job.
- Photos of identifications go first, then accounts take turns. What is unavailable for the moment is tried again for a day.
- **Credits:** each entry as its identification; the job itself is free. The balance must cover the dearest entry.`,
    body: 'JobRequest',
    answer: 'JobAnswer',
    maybe: ['Deprecation'],
    status: 202,
  }),
  plain({
    id: 'getJob',
    summary: 'A job and its answers',
    description:
      'Each entry has the body that its identification gives, of a refusal too, once it has been looked at. Kept as long as predictions are. Free.',
    parameters: [JOB],
    answer: 'JobAnswer',
  }),
  change({
    id: 'cancelJob',
    summary: 'Cancel what is left of a job',
    description:
      'Entries that are not begun will have no answer, and cost nothing; those that are begun end as they would. Answers stay. Free.',
    parameters: [JOB],
    answer: 'JobAnswer',
  }),
  json({
    id: 'createWebhook',
    summary: 'Be told what happens',
    description: `Registers an \`https\` address. Each message is a POST of \`{"type", "timestamp", "data"}\`, signed as [Standard Webhooks](https://www.standardwebhooks.com) say; the \`secret\` of this answer verifies it, and no later answer has it: it is null when the call is repeated with its \`Idempotency-Key\`.

- \`vision.job.done\`: a job made by a key of the same kind, live or test, has ended; \`id\`, \`total\`, \`done\`, \`failed\`, \`cancelled\`.
- \`account.credits.low\`: a charge took the balance below \`credits_below\`; \`credits\`, \`credits_below\`.
- \`catalog.import.done\`: \`accepted\`, \`rejected\`.
- \`model.drift\`: by the feedback of 30 days confidence is not true any more; \`claimed\`, \`right\`, \`answers\`. At most once a week.

A message comes at least once, with the same \`webhook-id\`: until your 2xx, with growing pauses, for a day. A 410 ends them all. Free.`,
    body: 'WebhookRequest',
    answer: 'WebhookAnswer',
    status: 201,
  }),
  plain({
    id: 'listWebhooks',
    summary: 'The addresses that are told',
    description:
      'Those registered by live keys of the account or, for a test key, by its test keys, with what failed last and without their secrets. Free.',
    answer: 'WebhooksAnswer',
  }),
  change({
    id: 'deleteWebhook',
    summary: 'Be told no more',
    description: 'Removes an address with all that it was still to be told. Free.',
    parameters: [idParameter('The `id` of the webhook', 'webhook_V1StGXR8_Z5jdHi6B-myT')],
    answer: 'WebhookRemoved',
  }),
];
