import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as s3 from '@aws-sdk/client-s3';
import { IMAGE_TYPES, type ImageExtension } from '../../models/catalog/item';
import { unavailable } from '../../models/errors';
import type { ImageStore, OpenImage } from '../../models/ports';
import { networkFault, StoreFault } from '../../models/store-fault';
import { addressParts, imageAddress } from './image-address';

export interface BucketLocation {
  readonly bucket: string;
  /** The prefix of all keys; empty, or without slashes at its ends. */
  readonly prefix: string;
}

export interface S3Access {
  /** Undefined: Amazon's, by the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Whether the bucket is named in the path, and not in the host name. */
  readonly pathStyle: boolean;
  /** Undefined: those of the machine's role or of the AWS configuration. */
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
    | undefined;
}

/** Tries of a request, the first included. */
const TRIES = 3;
const CONNECT_MS = 3_000;
/** Longest silence of a server. */
const SILENCE_MS = 20_000;

/**
 * Images by content in an S3-compatible bucket: `/images/<sha256>.<extension>` is the object `<prefix>/images/…`, which a cache
 * may serve. An object is complete or absent, and never changes (contract 13.11). Fails with 503 (contract 13.12).
 */
export class S3ImageStore implements ImageStore {
  readonly #client: s3.S3Client;

  constructor(
    private readonly location: BucketLocation,
    access: S3Access,
  ) {
    const { credentials, pathStyle, endpoint, region } = access;
    this.#client = new s3.S3Client({
      region,
      forcePathStyle: pathStyle,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
      maxAttempts: TRIES,
      // Servers other than Amazon's know no checksums but the one that every request is signed with.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        socketTimeout: SILENCE_MS,
        // A picture that is sent slowly holds a connection, and must not hold up the others.
        httpAgent: { maxSockets: Number.POSITIVE_INFINITY },
        httpsAgent: { maxSockets: Number.POSITIVE_INFINITY },
      },
    });
  }

  async put(bytes: Buffer, extension: ImageExtension): Promise<string> {
    const address = imageAddress(bytes, extension);
    const request = new s3.PutObjectCommand({
      ...this.#object(address),
      Body: bytes,
      ContentType: IMAGE_TYPES[extension],
      CacheControl: 'public, max-age=31536000, immutable',
    });
    await this.#client.send(request).catch(this.#refuse('stored'));
    return address;
  }

  async get(address: string): Promise<Buffer | null> {
    return this.#read(address, async (object) => {
      const { Body } = await this.#client.send(new s3.GetObjectCommand(object));
      return buffer(Body as Readable);
    });
  }

  async open(address: string): Promise<OpenImage | null> {
    return this.#read(address, async (object) => {
      const { Body, ContentLength } = await this.#client.send(new s3.GetObjectCommand(object));
      return { bytes: ContentLength ?? 0, content: Body as Readable };
    });
  }

  async size(address: string): Promise<number | null> {
    return this.#read(address, async (object) => {
      const { ContentLength } = await this.#client.send(new s3.HeadObjectCommand(object));
      return ContentLength ?? null;
    });
  }

  async *addresses(prefix = ''): AsyncGenerator<string> {
    const { Bucket, Key: from } = this.#object('/images/');
    const pages = s3.paginateListObjectsV2({ client: this.#client }, { Bucket, Prefix: `${from}${prefix}` });
    try {
      for await (const { Contents = [] } of pages) {
        for (const { Key = '' } of Contents) {
          const address = `/images/${Key.slice(from.length)}`;
          if (addressParts(address) !== null) yield address;
        }
      }
    } catch (error) {
      this.#refuse('listed')(error);
    }
  }

  async remove(address: string): Promise<void> {
    await this.#read(address, (object) => this.#client.send(new s3.DeleteObjectCommand(object)));
  }

  /** Of several that name a new store at once, the last one names it; so each learns the name when it asks again. */
  async identity(): Promise<string | null> {
    const object = this.#object('/store-id');
    try {
      const { Body } = await this.#client.send(new s3.GetObjectCommand(object));
      return (await buffer(Body as Readable)).toString();
    } catch (error) {
      if (!isMissing(error)) throw s3Fault(error, this.location);
    }
    await this.#client.send(new s3.PutObjectCommand({ ...object, Body: randomUUID() })).catch(this.#fail);
    return null;
  }

  async check(): Promise<void> {
    const { Bucket, Key: Prefix } = this.#object('/images/');
    await this.#client.send(new s3.ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 })).catch(this.#fail);
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  /** Null for an address that is not ours, and where there is no such object. */
  async #read<Result>(
    address: string,
    reading: (object: { Bucket: string; Key: string }) => Promise<Result>,
  ): Promise<Result | null> {
    if (addressParts(address) === null) return null;
    try {
      return await reading(this.#object(address));
    } catch (error) {
      return isMissing(error) ? null : this.#refuse('read')(error);
    }
  }

  readonly #fail = (error: unknown): never => {
    throw s3Fault(error, this.location);
  };

  /** 503 when the server is away, or refuses. */
  #refuse(what: 'stored' | 'read' | 'listed'): (error: unknown) => never {
    return (error) => {
      throw unavailable(`Images cannot be ${what} now.`, 60, s3Fault(error, this.location));
    };
  }

  #object(address: string): { Bucket: string; Key: string } {
    const { bucket: Bucket, prefix } = this.location;
    return { Bucket, Key: prefix === '' ? address.slice(1) : `${prefix}${address}` };
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');

/** A server's reasons for refusing a request, and what an operator does about each. */
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

/** Why a bucket can't be used, for an operator; without the server's answer, which repeats parts of the credentials. */
export function s3Fault(error: unknown, { bucket }: { readonly bucket: string }): StoreFault {
  if (error instanceof StoreFault) return error;
  const name = error instanceof Error ? error.name : '';
  const where = `the bucket "${bucket}"`;
  const refusal = REFUSALS[name];
  if (refusal !== undefined) return new StoreFault(`${where}: ${refusal}`, false);
  const network = networkFault(error, 'the server of AWS_ENDPOINT_URL_S3');
  if (network !== null) return new StoreFault(`${where}: ${network.says}`, network.isTransient);
  if (name === 'TimeoutError') return new StoreFault(`${where}: it does not answer`, true);
  const status = statusOf(error);
  const answer = status === undefined ? '' : `, status ${status}`;
  return new StoreFault(`${where}: it refuses (${name}${answer})`, status === undefined || status >= 500);
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error && '$metadata' in error)) return undefined;
  return (error.$metadata as { readonly httpStatusCode?: number }).httpStatusCode;
}
