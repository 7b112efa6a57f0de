import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';

/** Limits of the service that the largest requests are made for. */
export interface CorpusLimits {
  readonly bytesMax: number;
  readonly pixelsMax: number;
}

/** One hostile request to a vision endpoint. */
export interface HostileEntry {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  /** Besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepted answers: a status, with the `reason` or `field` of a refusal behind it. */
  readonly verdicts: readonly string[];
  /** The body as it is sent. Made on demand: together they are larger than memory should be. */
  readonly body: () => Promise<Buffer>;
}

/**
 * Bytes that are written out, or parts one after the other. A part that is a pair is repeated, so often as it says, or as the
 * limit of bytes allows; `{number}` in it is its number.
 */
type Content = string | readonly (string | readonly [unit: string, times: number | null])[];

/** A line of `corpus.jsonl`, with one of `picture` (its bytes in base64), `text` (the value of `base64`) and `body`. */
interface CorpusLine extends Omit<HostileEntry, 'body' | 'path'> {
  readonly path?: string;
  readonly picture?: Content;
  /** The name of the sound picture that shows the same. */
  readonly sound?: string;
  readonly text?: string;
  /** In latin1, so that each character is a byte. */
  readonly body?: Content;
  /** Whether the body is compressed before it is sent. */
  readonly gzip?: true;
}

/** A checked-in picture. */
export interface CorpusPicture {
  readonly kind: string;
  readonly name: string;
  readonly bytes: Buffer;
  readonly sound: string | null;
}

const PATHS = ['/v3/vision/identify', '/v2/vision', '/api/v3/vision/identify'] as const;

const lines: readonly CorpusLine[] = readFileSync(join(__dirname, 'corpus.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

/** The pictures that are checked in whole; those of the kind `sound` have nothing wrong with them. */
export const PICTURES: readonly CorpusPicture[] = lines.flatMap(({ kind, name, picture, sound = null }) =>
  typeof picture === 'string' ? [{ kind, name, sound, bytes: Buffer.from(picture, 'base64') }] : [],
);

/** The sound picture of this name, such as `baseline jpeg`. */
export function soundPicture(name: string): Buffer {
  const found = PICTURES.find((picture) => picture.kind === 'sound' && picture.name === name);
  if (!found) throw new Error(`there is no sound picture "${name}"`);
  return found.bytes;
}

/** A body with a photo; needs no escaping copy, since base64 has nothing to escape. */
export const base64Body = (base64: string): Buffer => Buffer.from(`{"base64":"${base64}"}`, 'latin1');

/** What is checked in, and pictures as large as the limits allow. Entries take turns at the vision endpoints. */
export function hostileCorpus(limits: CorpusLimits): HostileEntry[] {
  const entries = [...lines.map((line) => fromLine(line, limits)), ...largestPictures(limits)];
  return entries.map((entry, index) => ({ path: PATHS[index % PATHS.length] ?? PATHS[0], ...entry }));
}

function fromLine({ picture, text, body = '', sound: _, gzip, ...rest }: CorpusLine, limits: CorpusLimits) {
  return {
    ...rest,
    body: async (): Promise<Buffer> => {
      if (picture !== undefined)
        return base64Body(bytesOf(picture, 'base64', limits.bytesMax).toString('base64'));
      if (text !== undefined) return Buffer.from(JSON.stringify({ base64: text }));
      const bytes = bytesOf(body, 'latin1', Math.floor((limits.bytesMax * 4) / 3));
      return gzip ? gzipSync(bytes) : bytes;
    },
  };
}

function bytesOf(content: Content, encoding: 'base64' | 'latin1', bytesMax: number): Buffer {
  if (typeof content === 'string') return Buffer.from(content, encoding);
  const parts = content.map((part) =>
    typeof part === 'string'
      ? Buffer.from(part, encoding)
      : ([Buffer.from(part[0], encoding), part[1]] as const),
  );
  const room = parts.reduce((left, part) => left - (Buffer.isBuffer(part) ? part.length : 0), bytesMax);
  return Buffer.concat(
    parts.map((part) => {
      if (Buffer.isBuffer(part)) return part;
      const [unit, times = null] = part;
      return repeated(unit, times ?? Math.floor(room / unit.length));
    }),
  );
}

function repeated(unit: Buffer, times: number): Buffer {
  if (!unit.includes('{number}')) return Buffer.alloc(times * unit.length, unit);
  return Buffer.from(
    Array.from({ length: times }, (_, at) => String(unit).replace('{number}', String(at))).join(''),
  );
}

/** Pictures of one colour around the limit of pixels. */
function largestPictures({ pixelsMax }: CorpusLimits): Omit<HostileEntry, 'path'>[] {
  const side = Math.floor(Math.sqrt(pixelsMax));
  const rows = Math.floor(pixelsMax / side);
  const sizes = [
    ['PNG just within the pixels', side, rows, '200'],
    ['PNG one row over the pixels', side, rows + 1, '422 image_too_large'],
    ['PNG of four times the pixels', side * 2, side * 2, '422 image_too_large'],
  ] as const;
  return sizes.map(([name, width, height, verdict]) => ({
    ...{ kind: 'bombs', name, verdicts: [verdict] },
    body: async () => {
      const picture = sharp({ create: { width, height, channels: 3, background: '#000' } });
      return base64Body((await picture.png().toBuffer()).toString('base64'));
    },
  }));
}
