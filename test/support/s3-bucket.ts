import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Access } from '../../db/files/s3-image-store';
import { silenceAwsSdk } from '../../scripts/config';

/** What the server with an S3 API of a test is reached by. */
export function s3Access(serverUrl: string): S3Access {
  silenceAwsSdk();
  const { origin, username, password } = new URL(serverUrl);
  return {
    endpoint: origin,
    region: 'us-east-1',
    pathStyle: true,
    credentials: { accessKeyId: decodeURIComponent(username), secretAccessKey: password },
  };
}

/** Makes a bucket; resolves with its name. */
export async function createBucket({ endpoint, region, credentials }: S3Access): Promise<string> {
  const own = { ...(endpoint ? { endpoint } : {}), ...(credentials ? { credentials } : {}) };
  const client = new S3Client({ ...own, region, forcePathStyle: true });
  const bucket = `test-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return bucket;
}

/** The settings of processes that reach it so. */
export const s3Settings = ({ endpoint, credentials }: S3Access): Readonly<Record<string, string>> => ({
  AWS_ENDPOINT_URL_S3: endpoint ?? '',
  AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
  AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
});
