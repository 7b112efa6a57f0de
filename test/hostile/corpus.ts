import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bombs, type CorpusLimits, type HostileEntry } from './bombs';

/** A line of `corpus.jsonl`, with one of `picture` (base64 of its bytes), `text` (the value of `base64`) and `body`. */
interface CorpusLine extends Omit<HostileEntry, 'body' | 'path'> {
  readonly path?: string;
  readonly picture?: string;
  /** The name of the sound picture that shows the same. */
  readonly sound?: string;
  readonly text?: string;
  /** In latin1, so that each character is a byte. */
  readonly body?: string;
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

/** The pictures that are checked in; those of the kind `sound` have nothing wrong with them. */
export const PICTURES: readonly CorpusPicture[] = lines.flatMap(({ kind, name, picture, sound = null }) =>
  picture === undefined ? [] : [{ kind, name, sound, bytes: Buffer.from(picture, 'base64') }],
);

/** The sound picture of this name, such as `baseline jpeg`. */
export function soundPicture(name: string): Buffer {
  const found = PICTURES.find((picture) => picture.kind === 'sound' && picture.name === name);
  if (!found) throw new Error(`there is no sound picture "${name}"`);
  return found.bytes;
}

/** A body with a photo; needs no escaping copy, since base64 has nothing to escape. */
export const base64Body = (base64: string): Buffer => Buffer.from(`{"base64":"${base64}"}`, 'latin1');

/** What is checked in, and what is made as large as the limits allow. Entries take turns at the vision endpoints. */
export function hostileCorpus(limits: CorpusLimits): HostileEntry[] {
  return [...lines.map(fromLine), ...bombs(limits, soundPicture)].map((entry, index) => ({
    path: PATHS[index % PATHS.length] ?? PATHS[0],
    ...entry,
  }));
}

function fromLine({ picture, text, body, sound: _, ...rest }: CorpusLine) {
  return {
    ...rest,
    body: (): Buffer => {
      if (picture !== undefined) return base64Body(picture);
      return text === undefined
        ? Buffer.from(body ?? '', 'latin1')
        : Buffer.from(JSON.stringify({ base64: text }));
    },
  };
}
