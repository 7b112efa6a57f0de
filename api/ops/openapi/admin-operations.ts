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
  createAccount: admin('Create an account', 'Unlimited, or with an opening balance.', {
    status: 201,
    body: 'NewAccount',
    answer: 'AccountShown',
  }),
  getAccount: admin(
    'Show an account',
    'Its balance, from which the reservations of running calls are not subtracted.',
    {
      parameters: [ACCOUNT],
      answer: 'AccountShown',
    },
  ),
  creditAccount: admin(
    'Add credits to an account, or remove some',
    'For accounts with a limit; never below what running calls have reserved. Send an `Idempotency-Key`: repeated within 24 hours it gets the same answer and is not credited again.',
    {
      parameters: [ACCOUNT],
      body: 'Credit',
      answer: 'CreditsAdded',
      errors: [409],
      maybe: ['Idempotency-Replayed'],
    },
  ),
  keepPhotos: admin(
    "Turn the storage of an account's photos on or off",
    'Stored photos are kept as long as their predictions; `false` deletes them.',
    { parameters: [ACCOUNT], body: 'KeepPhotos', answer: 'AccountShown' },
  ),
  getUsage: admin(
    'Show what an account was charged',
    'By day and endpoint: the last 30 days (of UTC), or the period that you name, of at most 366 days.',
    { parameters: [ACCOUNT, ...queryParameters(periodParameters)], answer: 'Usage' },
  ),
  listKeys: admin(
    'List the keys of an account',
    'The oldest first, revoked and expired ones too, page by page.',
    { parameters: [ACCOUNT, ...LIST], answer: 'KeyList' },
  ),
  createKey: admin('Create a key for an account', 'Its `secret` is shown once; only a hash of it is kept.', {
    status: 201,
    parameters: [ACCOUNT],
    body: 'NewKey',
    answer: 'KeyMade',
  }),
  rotateKey: admin(
    'Replace a key',
    'The new key has the same rights; the old one works until the overlap ends. A key that no longer works is a 409.',
    { status: 201, parameters: [KEY], body: 'Rotation', answer: 'KeyMade', errors: [409] },
  ),
  revokeKey: admin(
    'Revoke a key',
    'It stops working at once, on every process. Revoking it again changes nothing.',
    {
      method: 'delete',
      parameters: [KEY],
      answer: 'KeyRevoked',
    },
  ),
  getAuditLog: admin(
    'Read the audit log',
    'Who did what and when, commands too; the newest first, page by page.',
    {
      parameters: queryParameters(auditParameters),
      answer: 'AuditLog',
    },
  ),
};
