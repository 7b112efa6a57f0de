import sharp, { type FailOnOptions } from 'sharp';
import { SharpImagePreparer } from '../../workers/image/sharp-image-preparer';
import { hostileCorpus } from './corpus/hostile-corpus';

const LEVELS: readonly FailOnOptions[] = ['none', 'truncated', 'error', 'warning'];
const KINDS = [
  'sound',
  'odd',
  'lost pixels',
  'truncated at a quarter',
  'truncated at a border',
  'flipped bytes',
  'colour forms',
  'metadata',
];
const FORMATS = ['JPEG', 'PNG', 'WebP'];
const LIMITS = { bytesMax: 2 ** 20, pixelsMax: 4_000_000 };

const accepts = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

/** Prints what each level of the decoder's strictness accepts of the corpus, beside what Loupe does (docs/hostile-input.md). */
export async function printStrictness(): Promise<void> {
  const corpus = await hostileCorpus(4, LIMITS);
  const loupe = new SharpImagePreparer(LIMITS);
  console.log(`| kind | format | pictures | ${LEVELS.join(' | ')} | Loupe |`);
  for (const kind of KINDS) {
    for (const format of FORMATS) {
      const pictures = corpus
        .filter((entry) => entry.kind === kind && new RegExp(format, 'i').test(entry.name))
        .map((entry) => Buffer.from(JSON.parse(entry.make().toString()).base64, 'base64'));
      const accepted = [...LEVELS, 'Loupe'].map(() => 0);
      for (const bytes of pictures) {
        for (const [index, failOn] of LEVELS.entries()) {
          const small = sharp(bytes, { failOn, sequentialRead: true, pages: 1 }).resize(32).raw().toBuffer();
          accepted[index] = (accepted[index] ?? 0) + Number(await accepts(small));
        }
        const last = LEVELS.length;
        accepted[last] = (accepted[last] ?? 0) + Number(await accepts(loupe.prepare(bytes)));
      }
      console.log(`| ${[kind, format, pictures.length, ...accepted].join(' | ')} |`);
    }
  }
}
