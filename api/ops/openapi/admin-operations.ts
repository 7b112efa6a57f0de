import type { Operation } from './operation';

/** Errors that every address of operators can answer (404 where there is no token), and those with a body. */
const READ = [400, 401, 404, 405, 429, 431, 500, 503] as const;
const WRITTEN = [...READ, 413, 415] as const;

const admin = (
  operation: Pick<Operation, 'id' | 'method' | 'summary' | 'description' | 'answer' | 'errors'> & {
    readonly body?: string;
    readonly maybe?: readonly string[];
  },
): Operation => ({ tag: 'admin', version: null, headers: ['Cache-Control'], maybe: [], ...operation });

/** The operators' API in the order of the reference (contract 17). */
export const ADMIN_OPERATIONS: readonly Operation[] = [
  admin({
    id: 'listAccounts',
    method: 'get',
    summary: 'List the accounts',
    description: 'The oldest first, page by page.',
    answer: { schema: 'AccountList' },
    errors: READ,
  }),
  admin({
    id: 'createAccount',
    method: 'post',
    summary: 'Make an account',
    description: 'Unlimited, or with credits to start with.',
    body: 'NewAccount',
    answer: { schema: 'AccountShown' },
    errors: WRITTEN,
  }),
  admin({
    id: 'showAccount',
    method: 'get',
    summary: 'Show an account',
    description: 'What it has left, reservations of running calls not taken off.',
    answer: { schema: 'AccountShown' },
    errors: READ,
  }),
  admin({
    id: 'creditAccount',
    method: 'post',
    summary: 'Add credits to an account, or take some off',
    description:
      'Of a limited account; never below what running calls hold. Send an `Idempotency-Key`: repeated within 24 hours it gets the same answer and is not credited again.',
    body: 'Credit',
    answer: { schema: 'CreditsAdded' },
    errors: [...WRITTEN, 409],
    maybe: ['Idempotency-Replayed'],
  }),
  admin({
    id: 'keepPhotos',
    method: 'post',
    summary: "Keep an account's photos, or not",
    description: 'As long as their predictions. What was kept is deleted with `false`.',
    body: 'KeepPhotos',
    answer: { schema: 'AccountShown' },
    errors: WRITTEN,
  }),
  admin({
    id: 'showUsage',
    method: 'get',
    summary: 'What an account was charged',
    description:
      'By day and endpoint: the last 30 days (of UTC), or the period that you name, of at most 366 days.',
    answer: { schema: 'Usage' },
    errors: READ,
  }),
  admin({
    id: 'listKeys',
    method: 'get',
    summary: 'List the keys of an account',
    description: 'The oldest first, revoked and expired ones too, page by page.',
    answer: { schema: 'KeyList' },
    errors: READ,
  }),
  admin({
    id: 'createKey',
    method: 'post',
    summary: 'Make a key of an account',
    description: 'Its `secret` is shown once; only a hash of it is kept.',
    body: 'NewKey',
    answer: { schema: 'KeyMade' },
    errors: WRITTEN,
  }),
  admin({
    id: 'rotateKey',
    method: 'post',
    summary: 'Make a key that does the same',
    description:
      'The old one opens the API until the overlap is over. One that opens nothing already is a 409.',
    body: 'Rotation',
    answer: { schema: 'KeyMade' },
    errors: [...WRITTEN, 409],
  }),
  admin({
    id: 'revokeKey',
    method: 'delete',
    summary: 'Close a key at once',
    description: 'On every process. A key that is closed already stays so.',
    answer: { schema: 'KeyRevoked' },
    errors: READ,
  }),
  admin({
    id: 'showAuditLog',
    method: 'get',
    summary: 'Who did what and when',
    description: 'The newest first, page by page; commands too.',
    answer: { schema: 'AuditLog' },
    errors: READ,
  }),
];
