import { networkFault, StoreFault } from '../../models/store-fault';

/** What a server says of a request that it refuses, and what an operator does about it. */
const REFUSALS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket: make it, or name another',
  InvalidAccessKeyId: 'the key is not known there: is AWS_ACCESS_KEY_ID right?',
  SignatureDoesNotMatch: 'the key does not fit: are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY right?',
  ExpiredToken: 'the key has expired: renew AWS_SESSION_TOKEN',
  AccessDenied: 'the key may not do that: it needs to list, read, write and delete there',
  PermanentRedirect: 'the bucket is in another region: set AWS_REGION',
  AuthorizationHeaderMalformed: 'the bucket is in another region: set AWS_REGION',
  CredentialsProviderError: 'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  RequestTimeTooSkewed: "this machine's clock is wrong",
};

/**
 * Why a bucket can't be used, as a sentence for an operator. What a server answers repeats parts of the credentials, and
 * is left out.
 */
export function s3Fault(error: unknown, { bucket }: { readonly bucket: string }): StoreFault {
  if (error instanceof StoreFault) return error;
  const name = error instanceof Error ? error.name : '';
  const where = `the bucket "${bucket}"`;
  const refusal = REFUSALS[name];
  if (refusal !== undefined) return new StoreFault(`${where}: ${refusal}`, false);
  const network = networkFault(error, 'the server of AWS_ENDPOINT_URL_S3');
  if (network !== null) return new StoreFault(`${where}: ${network.says}`, network.mayPass);
  if (name === 'TimeoutError') return new StoreFault(`${where}: it does not answer`, true);
  const status = statusOf(error);
  const answer = status === undefined ? '' : `, status ${status}`;
  return new StoreFault(`${where}: it refuses (${name}${answer})`, status === undefined || status >= 500);
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error && '$metadata' in error)) return undefined;
  return (error.$metadata as { readonly httpStatusCode?: number }).httpStatusCode;
}
