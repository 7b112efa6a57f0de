import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LocalImageStore } from '../../db/files/local-image-store';
import { type MovedImages, moveImages } from '../../db/files/move-images';
import type { BucketLocation, S3ImageStore } from '../../db/files/s3-image-store';
import { type ImageStore, PORTS, type Progress } from '../../models/ports';
import { type Config, silenceAwsSdk } from '../config';
import { adapterOf, type Startup } from './startup';
import { waitForStore } from './wait-for-store';

/** Where images are kept: the bucket of `IMAGE_STORE`, else the data folder (contract 13.11). */
export const imageStoreOf = (config: Config): ImageStore =>
  config.IMAGE_STORE === undefined ? localImages(config) : bucketImages(config, config.IMAGE_STORE);

export async function assertImagesReachable({ config, container, logger }: Startup): Promise<void> {
  const images = adapterOf(container, PORTS.ImageStore);
  const setting = config.IMAGE_STORE === undefined ? 'DATA_DIR' : 'IMAGE_STORE';
  await waitForStore(setting, () => images.check(), { waitMs: config.STORE_WAIT_MS, logger });
}

/** Copies the stored images to a bucket, from the data folder if the setting names that bucket already. @throws StoreFault */
export async function moveImagesTo(
  config: Config,
  location: BucketLocation,
  progress: Progress,
): Promise<MovedImages> {
  const to = bucketImages(config, location);
  const isSet = isDeepStrictEqual(config.IMAGE_STORE, location);
  const from = isSet ? localImages(config) : imageStoreOf(config);
  try {
    await to.check();
    return await moveImages(from, to, progress);
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

const localImages = (config: Config): ImageStore => new LocalImageStore(join(config.DATA_DIR, 'images'));

/** The images of a bucket, with the access that the settings give. AWS's SDK is loaded only here. */
function bucketImages(config: Config, location: BucketLocation): S3ImageStore {
  silenceAwsSdk();
  const s3: typeof import('../../db/files/s3-image-store') = require('../../db/files/s3-image-store');
  const endpoint = config.AWS_ENDPOINT_URL_S3 ?? config.AWS_ENDPOINT_URL;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = config;
  const { AWS_SESSION_TOKEN: sessionToken, IMAGE_STORE_PATH_STYLE: pathStyle } = config;
  return new s3.S3ImageStore(location, {
    endpoint,
    region: config.AWS_REGION,
    pathStyle: pathStyle === undefined ? endpoint !== undefined : pathStyle === 'true',
    credentials:
      accessKeyId && secretAccessKey
        ? { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
        : undefined,
  });
}
