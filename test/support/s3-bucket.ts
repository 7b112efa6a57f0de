import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { LocalImageStore } from '../../db/files/local-image-store';
import { moveImages } from '../../db/files/move-images';
import { type S3Access, S3ImageStore } from '../../db/files/s3-image-store';
import { NO_PROGRESS } from '../../models/ports';
import { processEnvironment, silenceAwsSdk } from '../../scripts/config';

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

export async function createBucket({ endpoint, region, credentials }: S3Access): Promise<string> {
  const own = { ...(endpoint ? { endpoint } : {}), ...(credentials ? { credentials } : {}) };
  const client = new S3Client({ ...own, region, forcePathStyle: true });
  const bucket = `test-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return bucket;
}

export const s3Settings = ({ endpoint, credentials }: S3Access): Readonly<Record<string, string>> => ({
  AWS_ENDPOINT_URL_S3: endpoint ?? '',
  AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
  AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
});

/** Settings for a bucket with all images of a folder; none where the tests have no object store. */
export async function inOwnBucket(images: string): Promise<Readonly<Record<string, string>>> {
  const url = processEnvironment()['TEST_S3_URL'];
  if (!url) return {};
  const access = s3Access(url);
  const bucket = await createBucket(access);
  const [from, to] = [new LocalImageStore(images), new S3ImageStore({ bucket, prefix: '' }, access)];
  await moveImages(from, to, NO_PROGRESS);
  await to.close();
  return { ...s3Settings(access), IMAGE_STORE: `s3://${bucket}` };
}
