import { auditParameters, listParameters } from '../../admin/schema';
import { periodParameters } from '../../wire/period';
import { admin, type Operation } from './operation';
import { idParameter } from './parameters';
import { queryParameters } from './schemas';

const LIST = queryParameters(listParameters);

const ACCOUNT = idParameter('Id of the account', 'account_0197a3f0');
const KEY = idParameter('Id of the key', 'key_0197a3f0');

const MADE = { status: 201, headers: ['Cache-Control', 'Location'] } as const;

/** The operators' API in the order of the reference (contract 17). */
export const ADMIN_OPERATIONS: readonly Operation[] = [
  admin({
    id: 'listAccounts',
    summary: 'List the accounts',
    description: 'The oldest first, page by page.',
    parameters: LIST,
    answer: 'AccountList',
  }),
  admin({
    ...MADE,
    id: 'createAccount',
    summary: 'Make an account',
    description: 'Unlimited, or with credits to start with.',
    body: 'NewAccount',
    answer: 'AccountShown',
  }),
  admin({
    id: 'getAccount',
    summary: 'Show an account',
    description: 'What it has left, reservations of running calls not taken off.',
    parameters: [ACCOUNT],
    answer: 'AccountShown',
  }),
  admin({
    id: 'creditAccount',
    summary: 'Add credits to an account, or take some off',
    description:
      'Of a limited account; never below what running calls hold. Send an `Idempotency-Key`: repeated within 24 hours it gets the same answer and is not credited again.',
    parameters: [ACCOUNT],
    body: 'Credit',
    answer: 'CreditsAdded',
    errors: [409],
    maybe: ['Idempotency-Replayed'],
  }),
  admin({
    id: 'keepPhotos',
    summary: "Keep an account's photos, or not",
    description: 'As long as their predictions. What was kept is deleted with `false`.',
    parameters: [ACCOUNT],
    body: 'KeepPhotos',
    answer: 'AccountShown',
  }),
  admin({
    id: 'getUsage',
    summary: 'What an account was charged',
    description:
      'By day and endpoint: the last 30 days (of UTC), or the period that you name, of at most 366 days.',
    parameters: [ACCOUNT, ...queryParameters(periodParameters)],
    answer: 'Usage',
  }),
  admin({
    id: 'listKeys',
    summary: 'List the keys of an account',
    description: 'The oldest first, revoked and expired ones too, page by page.',
    parameters: [ACCOUNT, ...LIST],
    answer: 'KeyList',
  }),
  admin({
    ...MADE,
    id: 'createKey',
    summary: 'Make a key of an account',
    description: 'Its `secret` is shown once; only a hash of it is kept.',
    parameters: [ACCOUNT],
    body: 'NewKey',
    answer: 'KeyMade',
  }),
  admin({
    ...MADE,
    id: 'rotateKey',
    summary: 'Make a key that does the same',
    description:
      'The old one opens the API until the overlap is over. One that opens nothing already is a 409.',
    parameters: [KEY],
    body: 'Rotation',
    answer: 'KeyMade',
    errors: [409],
  }),
  admin({
    id: 'revokeKey',
    method: 'delete',
    summary: 'Close a key at once',
    description: 'On every process. A key that is closed already stays so.',
    parameters: [KEY],
    answer: 'KeyRevoked',
  }),
  admin({
    id: 'getAuditLog',
    summary: 'Who did what and when',
    description: 'The newest first, page by page; commands too.',
    parameters: queryParameters(auditParameters),
    answer: 'AuditLog',
  }),
];
