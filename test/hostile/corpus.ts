import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';

/** Limits of the service, for which the largest requests are made. */
export const LIMITS = { bytesMax: 256 * 1024, pixelsMax: 4_000_000 };

export interface HostileRequest {
  readonly name: string;
  readonly path: string;
  /** Besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepted answers: a status, with the `reason` or `field` of a refusal behind it. Without it any documented one is. */
  readonly verdicts?: readonly string[];
  /** Made on demand: together they are larger than memory should be. */
  readonly body: () => Promise<Buffer>;
}

interface CorpusEntry extends HostileRequest {
  readonly kind: string;
}

/** Text, or parts of it. A pair is repeated as often as it says, or as the limit of bytes allows; `{number}` in it is its number. */
type Content = string | readonly (string | readonly [unit: string, times: number | null])[];

/** A line of `corpus.jsonl`, with one of `picture` (its bytes in base64), `text` (the value of `base64`) and `body`. */
interface CorpusLine extends Omit<CorpusEntry, 'body' | 'path'> {
  readonly path?: string;
  readonly picture?: Content;
  /** The name of the sound picture that shows the same. */
  readonly sound?: string;
  readonly text?: string;
  /** In latin1, so each character is a byte. */
  readonly body?: Content;
  readonly gzip?: true;
}

export const PATHS = ['/v3/vision/identify', '/v2/vision', '/api/v3/vision/identify'] as const;

const lines: readonly CorpusLine[] = readFileSync(join(__dirname, 'corpus.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

/** The pictures of the corpus; those of the kind `sound` are faultless. */
export const PICTURES = lines.flatMap(({ kind, name, picture, sound = '' }) =>
  typeof picture === 'string' ? [{ kind, name, sound, bytes: Buffer.from(picture, 'base64') }] : [],
);

/** A body with a photo; needs no escaping copy, since base64 has nothing to escape. */
export const bodyWith = (picture: Buffer): Buffer =>
  Buffer.from(`{"base64":"${picture.toString('base64')}"}`, 'latin1');

/** What is checked in, and pictures as large as the limits allow. Entries take turns at the vision endpoints. */
export function hostileCorpus(): CorpusEntry[] {
  const entries = [...lines.map(fromLine), ...largestPictures()];
  return entries.map((entry, index) => ({ path: PATHS[index % PATHS.length] ?? PATHS[0], ...entry }));
}

function fromLine({ picture, text, body = '', sound: _, gzip, ...rest }: CorpusLine) {
  return {
    ...rest,
    body: async (): Promise<Buffer> => {
      if (picture !== undefined) return bodyWith(bytesOf(picture, 'base64', LIMITS.bytesMax));
      if (text !== undefined) return Buffer.from(JSON.stringify({ base64: text }));
      const bytes = bytesOf(body, 'latin1', Math.floor((LIMITS.bytesMax * 4) / 3));
      return gzip ? gzipSync(bytes) : bytes;
    },
  };
}

function bytesOf(content: Content, encoding: 'base64' | 'latin1', bytesMax: number): Buffer {
  const parts = (typeof content === 'string' ? [content] : content).map((part) => {
    const [unit, times] = typeof part === 'string' ? ([part, 1] as const) : part;
    return { unit: Buffer.from(unit, encoding), times };
  });
  const room = parts.reduce((left, { unit, times }) => (times === 1 ? left - unit.length : left), bytesMax);
  return Buffer.concat(
    parts.map(({ unit, times }) => {
      const count = times ?? Math.floor(room / unit.length);
      if (!unit.includes('{number}')) return Buffer.alloc(count * unit.length, unit);
      const numbered = Array.from({ length: count }, (_, at) => String(unit).replace('{number}', String(at)));
      return Buffer.from(numbered.join(''));
    }),
  );
}

function largestPictures(): Omit<CorpusEntry, 'path'>[] {
  const { pixelsMax } = LIMITS;
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
      return bodyWith(await picture.png().toBuffer());
    },
  }));
}
