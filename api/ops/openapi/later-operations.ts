import { billed, LIMITS, type Operation, V3, WITH_BODY, WITH_KEY } from './operation';

/** What is answered later, and how callers are told (contract 16). */
export const LATER_OPERATIONS: readonly Operation[] = [
  billed({
    id: 'createJob',
    method: 'post',
    tag: 'v3',
    summary: 'Identify many photos later',
    description: `Up to 100 \`entries\`, each one identification; the answer is the job, before any of them is looked at. Ask for it by its \`id\` until its \`status\` is \`done\`.

- Prefer \`url\` to \`base64\`: the body is limited to twice that of an identification.
- A photo that can't be used is the answer of its entry; a malformed entry refuses the job.
- Photos of identifications go first. What is unavailable for the moment is tried again for a day.
- **Credits:** each entry as its identification; the job itself is free. The balance must cover the dearest entry.`,
    version: V3,
    body: 'JobRequest',
    answer: { schema: 'JobAnswer' },
    status: 202,
    errors: WITH_BODY,
  }),
  billed({
    id: 'showJob',
    method: 'get',
    tag: 'v3',
    summary: 'A job and its answers',
    description:
      'Each entry has the body that its identification gives, of a refusal too, once it has been looked at. Kept as long as predictions are. Free.',
    version: V3,
    answer: { schema: 'JobAnswer' },
    errors: [...WITH_KEY, 404],
    maybe: LIMITS,
  }),
  billed({
    id: 'cancelJob',
    method: 'delete',
    tag: 'v3',
    summary: 'Cancel what is left of a job',
    description:
      'Entries that are not begun will have no answer, and cost nothing; those that are begun end as they would. Answers stay. Free.',
    version: V3,
    answer: { schema: 'JobAnswer' },
    errors: [...WITH_KEY, 404],
    maybe: LIMITS,
  }),
  billed({
    id: 'createWebhook',
    method: 'post',
    tag: 'v3',
    summary: 'Be told what happens',
    description: `Registers an \`https\` address. Each message is a POST of \`{"type", "timestamp", "data"}\`, signed as [Standard Webhooks](https://www.standardwebhooks.com) say; the \`secret\` of this answer verifies it, and no later answer has it.

- \`vision.job.done\`: a job of the account has ended; \`id\`, \`total\`, \`done\`, \`failed\`, \`cancelled\`.
- \`account.credits.low\`: a charge took the balance below \`credits_below\`; \`credits\`, \`credits_below\`.
- \`catalog.import.done\`: \`accepted\`, \`rejected\`.
- \`model.drift\`: by the feedback of 30 days confidence is not true any more; \`claimed\`, \`right\`, \`answers\`. At most once a week.

A message comes at least once, with the same \`webhook-id\`: until your 2xx, with growing pauses, for a day. A 410 ends them all. Free.`,
    version: V3,
    body: 'WebhookRequest',
    answer: { schema: 'WebhookAnswer' },
    status: 201,
    errors: WITH_BODY,
  }),
  billed({
    id: 'listWebhooks',
    method: 'get',
    tag: 'v3',
    summary: 'The addresses that are told',
    description: 'All of the account, with what failed last, without their secrets. Free.',
    version: V3,
    answer: { schema: 'WebhooksAnswer' },
    errors: WITH_KEY,
    maybe: LIMITS,
  }),
  billed({
    id: 'removeWebhook',
    method: 'delete',
    tag: 'v3',
    summary: 'Be told no more',
    description: 'Removes an address with all that it was still to be told. Free.',
    version: V3,
    answer: { schema: 'WebhookRemoved' },
    errors: [...WITH_KEY, 404],
    maybe: LIMITS,
  }),
];
