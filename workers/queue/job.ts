import { z } from 'zod';
import { AppError, type ErrorCode, type ErrorExtras, internalError, unavailable } from '../../models/errors';
import type { NeighbourRequest } from '../../models/ports';
import type { Calibration } from '../../models/vision/embedding-model';
import { jpegOf, type Neighbourhood, type PreparedImage } from '../../models/vision/neighbours';
import type { IndexOutcome } from '../index-images';

/** Names of the queues, below the prefix of the installation. */
export const VISION_QUEUE = 'vision';
export const INDEX_QUEUE = 'index';

/** Images of one index job: seconds of work, so that progress shows and little is repeated after a crash. */
export const INDEX_JOB_IMAGES = 32;

/** Raised when a payload changes, so that processes of two releases never misread one another's jobs. */
const PAYLOAD_VERSION = 4;

/** The photos of a call as they travel through Redis, beside their bytes. Times are epoch milliseconds of the caller's clock. */
export type VisionJob = z.infer<typeof visionJob>;

const visionJob = z.object({
  v: z.literal(PAYLOAD_VERSION),
  requestId: z.string(),
  /** How many bytes the JPEG of each photo has, one behind the other, and its digest. */
  images: z.array(z.object({ bytes: z.number().int(), digest: z.string() })),
  limit: z.number().int().positive(),
  scope: z.object({
    category: z.string().nullable(),
    filters: z.array(
      z.object({ field: z.string(), include: z.array(z.string()), exclude: z.array(z.string()) }),
    ),
    sandbox: z.literal(true).exactOptional(),
  }),
  askedAt: z.number(),
  deadlineAt: z.number(),
  /** As W3C Trace Context has it; absent where calls are not traced. */
  trace: z.object({ traceparent: z.string(), tracestate: z.string().optional() }).optional(),
});

/**
 * The outcome for photos: it is a value, even a failure. A neighbour is its image, the products that show it, its distance,
 * and its distance to each view of each photo, to six decimals.
 */
export type VisionAnswer = z.infer<typeof visionAnswer>;

const failure = z.object({
  status: z.number().int(),
  /** Of a later release it may be one that is not known here. */
  code: z.custom<ErrorCode>((value) => typeof value === 'string'),
  message: z.string(),
  extras: z.custom<ErrorExtras>((value) => typeof value === 'object' && value !== null),
  headers: z.record(z.string(), z.string()),
});

const visionAnswer = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    version: z.object({
      id: z.number().int(),
      model: z.string(),
      calibration: z.custom<Calibration>((value) => typeof value === 'object' && value !== null).nullable(),
    }),
    neighbours: z.array(z.tuple([z.number().int(), z.array(z.string()), z.number()]).rest(z.number())),
    timings: z.object({ queueMs: z.number(), embedMs: z.number(), neighboursMs: z.number() }),
  }),
  z.object({ ok: z.literal(false), error: failure }),
]);

/** Images of the catalog to embed under a version. */
export type IndexJob = z.infer<typeof indexJob>;

const indexJob = z.object({
  v: z.literal(PAYLOAD_VERSION),
  versionId: z.number().int(),
  images: z.array(z.object({ id: z.number().int(), address: z.string() })).min(1),
});

/** The outcome for the images of one job. */
export type IndexAnswer = z.infer<typeof indexAnswer>;

const indexAnswer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), embedded: z.number().int(), failed: z.number().int() }),
  z.object({ ok: z.literal(false), error: failure }),
]);

/** The job of a call, and the JPEGs of its photos, one behind the other. */
export async function visionJobOf(
  { requestId, images, limit, scope, deadlineAt, trace }: NeighbourRequest,
  askedAt: number,
): Promise<{ readonly job: VisionJob; readonly jpegs: Buffer }> {
  const jpegs = await Promise.all(images.map(jpegOf));
  const { category, filters, sandbox } = scope;
  const job: VisionJob = {
    v: PAYLOAD_VERSION,
    requestId,
    images: images.map(({ digest }, at) => ({ bytes: jpegs[at]?.length ?? 0, digest })),
    limit,
    scope: {
      category,
      filters: filters.map(({ field, include, exclude }) => ({
        field,
        include: [...include],
        exclude: [...exclude],
      })),
      ...(sandbox ? { sandbox } : {}),
    },
    askedAt,
    deadlineAt,
    ...(trace ? { trace } : {}),
  };
  const [first] = jpegs;
  return { job, jpegs: jpegs.length === 1 && first ? first : Buffer.concat(jpegs) };
}

/** The photos of a job. @throws unavailable where their bytes are gone */
export function photosOfJob({ images }: VisionJob, jpegs: Buffer | null): PhotosOfJob {
  const length = images.reduce((sum, { bytes }) => sum + bytes, 0);
  // It was answered, and a Redis that came back from before knows the photo's end and not its answer.
  if (jpegs?.length !== length) throw unavailable('The queue lost the photo.', 1);
  let at = 0;
  return images.map(({ bytes, digest }) => {
    at += bytes;
    return { jpeg: jpegs.subarray(at - bytes, at), digest };
  });
}

type PhotosOfJob = readonly Pick<PreparedImage, 'jpeg' | 'digest'>[];

/** Consecutive parts of at most `size` values. */
export function slices<Value>(values: readonly Value[], size: number): Value[][] {
  const count = Math.ceil(values.length / size);
  return Array.from({ length: count }, (_, part) => values.slice(part * size, (part + 1) * size));
}

/** The outcome for all slices together. */
export const sumOf = (outcomes: readonly IndexOutcome[]): IndexOutcome => ({
  embedded: outcomes.reduce((sum, { embedded }) => sum + embedded, 0),
  failed: outcomes.reduce((sum, { failed }) => sum + failed, 0),
});

export const indexJobOf = (versionId: number, images: IndexJob['images']): IndexJob => ({
  v: PAYLOAD_VERSION,
  versionId,
  images,
});

/** @throws internalError for a payload of another release */
export const parseVisionJob = (data: unknown): VisionJob => parse(visionJob, data);

/** @throws internalError for a payload of another release */
export const parseIndexJob = (data: unknown): IndexJob => parse(indexJob, data);

/** The neighbourhood as it goes back: three kilobytes for sixty neighbours of four views, sixty for five photos. */
export const answerWith = ({ version, neighbours, timings }: Neighbourhood): VisionAnswer => ({
  ok: true,
  version,
  neighbours: neighbours.map(({ imageId, products, distance, byView = [] }) => [
    imageId,
    [...products],
    rounded(distance),
    ...byView.map(rounded),
  ]),
  timings,
});

const rounded = (distance: number): number => Number(distance.toFixed(6));

export const indexAnswerWith = (outcome: IndexOutcome): IndexAnswer => ({ ok: true, ...outcome });

/** One of our errors as a value, without its cause. */
export const failureAnswer = (error: AppError): { ok: false; error: z.infer<typeof failure> } => {
  const { status, code, message, extras, headers } = error;
  return { ok: false, error: { status, code, message, extras, headers: { ...headers } } };
};

/** @throws the error that the worker returned; internalError for an answer of another release */
export function neighbourhoodOf(returned: unknown): Neighbourhood {
  const answer = parse(visionAnswer, returned);
  if (!answer.ok) throw errorOf(answer.error);
  const { version, timings } = answer;
  const neighbours = answer.neighbours.map(([imageId, products, distance, ...byView]) =>
    byView.length > 0 ? { imageId, products, distance, byView } : { imageId, products, distance },
  );
  return { version, neighbours, timings };
}

/** @throws the error that the worker returned; internalError for an answer of another release */
export function indexOutcomeOf(returned: unknown): IndexOutcome {
  const answer = parse(indexAnswer, returned);
  if (!answer.ok) throw errorOf(answer.error);
  return { embedded: answer.embedded, failed: answer.failed };
}

const errorOf = ({ status, code, message, extras, headers }: z.infer<typeof failure>): AppError =>
  Object.assign(new AppError(code, message, { extras, headers }), { status });

function parse<Schema extends z.ZodType>(schema: Schema, data: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw internalError(parsed.error);
  return parsed.data;
}
