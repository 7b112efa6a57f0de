import pMap from 'p-map';
import { z } from 'zod';
import { AppError, type ErrorCode, type ErrorExtras, internalError, unavailable } from '../../models/errors';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import type { NeighbourRequest } from '../../models/ports';
import type { Neighbourhood, Size, SmallImage } from '../../models/vision/neighbours';
import type { IndexOutcome } from '../index-images';

/** Names of the queues, after the installation's prefix. */
export const VISION_QUEUE = 'vision';
export const INDEX_QUEUE = 'index';

/** Raised when a payload changes, so that processes of two releases never misread one another's jobs. */
export const PAYLOAD_VERSION = 7;

/** The photos of a call as they travel through Redis, beside their bytes. Times are epoch milliseconds of the caller's clock. */
export interface VisionJob
  extends Pick<NeighbourRequest, 'requestId' | 'scope' | 'liveStamp' | 'deadlineAt' | 'trace'> {
  readonly v: number;
  /** Length of each photo in the attachment, and its digest; its size if that has its pixels, else it is a JPEG. */
  readonly images: readonly (Pick<SmallImage, 'digest'> & {
    readonly bytes: number;
    readonly size?: Size;
  })[];
  readonly askedAt: number;
}

/** Images of the catalog to embed under a version. */
export interface IndexJob {
  readonly v: number;
  readonly versionId: number;
  readonly images: readonly CatalogImage[];
}

/** How long the bytes of photos stay in Redis after the deadline; a worker tells from the rest how much time is left. */
export const BYTES_SLACK_MS = 5_000;

const UPGRADE_RETRY_SECONDS = 5;

/** @throws unavailable for a job of another release: during an upgrade a later call reaches a worker of the same one */
export function assertReadable({ v }: { readonly v: number }): void {
  if (v !== PAYLOAD_VERSION)
    throw unavailable('A worker of another release took the job; try again.', UPGRADE_RETRY_SECONDS);
}

const failure = z.object({
  status: z.number().int(),
  /** That of a later release may be unknown here. */
  code: z.custom<ErrorCode>((value) => typeof value === 'string'),
  message: z.string(),
  extras: z.custom<ErrorExtras>((value) => typeof value === 'object' && value !== null),
  headers: z.record(z.string(), z.string()),
});

/** One of our errors as a value, without its cause. */
export function failureAnswer({ status, code, message, extras, headers }: AppError) {
  return { ok: false as const, error: { status, code, message, extras, headers: { ...headers } } };
}

/** The outcome of a job, also a failure, as a value. */
type Answer<Value> = { readonly ok: true; readonly value: Value } | ReturnType<typeof failureAnswer>;
export type VisionAnswer = Answer<Neighbourhood>;
export type IndexAnswer = Answer<IndexOutcome>;

function answerOf<Value>() {
  const form = z.discriminatedUnion('ok', [
    z.object({
      ok: z.literal(true),
      value: z.custom<Value>((value) => typeof value === 'object' && value !== null),
    }),
    z.object({ ok: z.literal(false), error: failure }),
  ]);
  return (returned: unknown): Value => {
    const { data, error } = form.safeParse(returned);
    if (!data) throw internalError(error);
    if (data.ok) return data.value;
    const { status, code, message, extras, headers } = data.error;
    throw Object.assign(new AppError(code, message, { extras, headers }), { status });
  };
}

/** @throws the error that the worker returned; internalError for an answer of another release */
export const neighbourhoodOf = answerOf<Neighbourhood>();
export const indexOutcomeOf = answerOf<IndexOutcome>();

/** Images of one index job: seconds of work, so that progress shows and little is repeated after a crash. */
const INDEX_JOB_IMAGES = 32;

/** Embeds images job by job. @returns the outcome of all together */
export async function embedInJobs(
  images: readonly CatalogImage[],
  concurrency: number,
  embed: (images: readonly CatalogImage[]) => Promise<IndexOutcome>,
): Promise<IndexOutcome> {
  const jobs = Array.from({ length: Math.ceil(images.length / INDEX_JOB_IMAGES) }, (_, job) =>
    images.slice(job * INDEX_JOB_IMAGES, (job + 1) * INDEX_JOB_IMAGES),
  );
  const sum = { embedded: 0, failed: 0 };
  for (const { embedded, failed } of await pMap(jobs, embed, { concurrency })) {
    sum.embedded += embedded;
    sum.failed += failed;
  }
  return sum;
}
