import { auditParameters, listParameters } from '../../admin/schema';
import { periodParameters } from '../../wire/period';
import { admin } from './operation';
import { idParameter } from './parameters';
import { queryParameters } from './schemas';

const LIST = queryParameters(listParameters);

const ACCOUNT = idParameter('Id of the account', 'account_0197a3f0');
const KEY = idParameter('Id of the key', 'key_0197a3f0');

/** The operators' API in the order of the reference (contract 17). */
export const ADMIN_OPERATIONS = {
  listAccounts: admin('List the accounts', 'The oldest first, page by page.', {
    parameters: LIST,
    answer: 'AccountList',
  }),
  createAccount: admin('Make an account', 'Unlimited, or with credits to start with.', {
    status: 201,
    body: 'NewAccount',
    answer: 'AccountShown',
  }),
  getAccount: admin('Show an account', 'What it has left, reservations of running calls not taken off.', {
    parameters: [ACCOUNT],
    answer: 'AccountShown',
  }),
  creditAccount: admin(
    'Add credits to an account, or take some off',
    'Of a limited account; never below what running calls hold. Send an `Idempotency-Key`: repeated within 24 hours it gets the same answer and is not credited again.',
    {
      parameters: [ACCOUNT],
      body: 'Credit',
      answer: 'CreditsAdded',
      errors: [409],
      maybe: ['Idempotency-Replayed'],
    },
  ),
  keepPhotos: admin(
    "Keep an account's photos, or not",
    'As long as their predictions. What was kept is deleted with `false`.',
    { parameters: [ACCOUNT], body: 'KeepPhotos', answer: 'AccountShown' },
  ),
  getUsage: admin(
    'What an account was charged',
    'By day and endpoint: the last 30 days (of UTC), or the period that you name, of at most 366 days.',
    { parameters: [ACCOUNT, ...queryParameters(periodParameters)], answer: 'Usage' },
  ),
  listKeys: admin(
    'List the keys of an account',
    'The oldest first, revoked and expired ones too, page by page.',
    { parameters: [ACCOUNT, ...LIST], answer: 'KeyList' },
  ),
  createKey: admin('Make a key of an account', 'Its `secret` is shown once; only a hash of it is kept.', {
    status: 201,
    parameters: [ACCOUNT],
    body: 'NewKey',
    answer: 'KeyMade',
  }),
  rotateKey: admin(
    'Make a key that does the same',
    'The old one opens the API until the overlap is over. One that opens nothing already is a 409.',
    { status: 201, parameters: [KEY], body: 'Rotation', answer: 'KeyMade', errors: [409] },
  ),
  revokeKey: admin('Close a key at once', 'On every process. A key that is closed already stays so.', {
    method: 'delete',
    parameters: [KEY],
    answer: 'KeyRevoked',
  }),
  getAuditLog: admin('Who did what and when', 'The newest first, page by page; commands too.', {
    parameters: queryParameters(auditParameters),
    answer: 'AuditLog',
  }),
};
