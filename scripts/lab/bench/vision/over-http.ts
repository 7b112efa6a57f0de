import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { z } from 'zod';
import type { InstalledModel } from '../../../../models/ports';
import { modelReference } from '../../../../models/vision/embedding-model';
import { distortPhoto } from '../../../../workers/image/distortion/distort-photo';
import { onInstallation } from '../installation';
import { Client } from '../load';
import type { Measurement } from '../table';
import {
  type CatalogPhoto,
  combinations,
  everyNth,
  LEVELS,
  LEVELS_REJECTED,
  OTHER_PHOTO,
  onPhotoSet,
  type PhotoSet,
  percent,
  type Query,
  shareText,
  type VisionBenchOptions,
  writeRecords,
} from './photo-set';

const CONCURRENCY = 3;
/** One item in so many is removed from the catalog, so that its photos show an unknown item. */
const UNKNOWN_EVERY = 5;

/** What the service answers to photos. */
interface Answer {
  /** A product or a taxonomy row; undefined for an empty answer. */
  readonly first: string | undefined;
  /** The products, best first. */
  readonly products: readonly string[];
}

/** A query with its answers: with `min_confidence: 0`, and with the floor of the model. */
interface Asked {
  readonly query: Query;
  readonly answer: Answer;
  readonly floored: Answer;
}

/**
 * Recall of a model on real photos over HTTP, through the whole service: every photo of the set in the catalog, every query sent with
 * `min_confidence: 0` and with the floor of the model. Then the same queries of items that were removed from the catalog.
 */
export const benchVision = (options: VisionBenchOptions): Promise<Measurement> =>
  onPhotoSet(options, async (set, model) => {
    const levels = [...new Set(set.queries.map(({ level }) => level))];
    const queries = levels.flatMap((level) =>
      everyNth(
        set.queries.filter((query) => query.level === level),
        level === OTHER_PHOTO ? 1 : options.sample,
      ),
    );
    const { known, unknown } = await withPhotoService(set, model, async ({ identify, remove }) => {
      const ask = async (query: Query): Promise<Asked> => ({
        ...{ query, answer: await identify([query.file], { min_confidence: 0 }) },
        floored: await identify([query.file]),
      });
      const found = await pMap(queries, ask, { concurrency: CONCURRENCY });
      const removed = everyNth([...new Set(queries.map(({ product }) => product))], UNKNOWN_EVERY);
      await remove(removed);
      const rest = queries.filter(({ product }) => removed.includes(product));
      return { known: found, unknown: await pMap(rest, ask, { concurrency: CONCURRENCY }) };
    });
    const sorts = [...new Set(queries.map(sortOf))].sort();
    const isProductFirst = ({ floored: { first, products } }: Asked) => !!first && first === products[0];
    const isRightFirst = ({ query, floored }: Asked) => floored.first === query.product;
    const lines: [string, (of: readonly Asked[]) => string][] = [
      [`${modelReference(model.manifest)}: recall@1 / @3 / @5`, recallText],
      ['answered at the floor', (of) => shareText(of, ({ floored }) => floored.first !== undefined)],
      ['right product first', (of) => shareText(of, isRightFirst)],
      [
        'right product among the rows',
        (of) => shareText(of, ({ query, floored }) => floored.products.includes(query.product)),
      ],
      ['wrong product first', (of) => shareText(of, (each) => isProductFirst(each) && !isRightFirst(each))],
      [
        'taxonomy row first',
        (of) => shareText(of, (each) => each.floored.first !== undefined && !isProductFirst(each)),
      ],
    ];
    const rejectable = unknown.filter(({ query }) => LEVELS_REJECTED.includes(query.level));
    return {
      title: `in % on real photos over HTTP: ${set.photos.length} catalog photos, ${queries.length} queries, product rows only`,
      head: [
        '',
        'all',
        ...sorts.map((sort) => `${sort} (${queries.filter((each) => sortOf(each) === sort).length})`),
      ],
      rows: lines.map(([name, text]) => [
        ...[name, text(known)],
        ...sorts.map((sort) => text(known.filter(({ query }) => sortOf(query) === sort))),
      ]),
      notes: [
        'In brackets the 95 % limits (Wilson).',
        `At the floor of ${model.manifest.calibration?.floor} ${shareText(rejectable, isProductFirst)} % of ${rejectable.length} unknown queries (levels 1, 2 and real) are answered with a product first.`,
      ],
    };
  });

/** The column of a query: its level and kind, and the set of a pair. */
const sortOf = ({ level, kind, set }: Query): string =>
  `${level === OTHER_PHOTO ? 'other photo,' : `L${level}`} ${kind}${set ? ` (${set})` : ''}`;

function recallText(asked: readonly Asked[]): string {
  const within = (most: number) => (each: Asked) =>
    each.answer.products.slice(0, most).includes(each.query.product);
  const shares = [3, 5].map((most) => percent(asked.filter(within(most)).length / asked.length));
  return [shareText(asked, within(1)), ...shares].join(' / ');
}

/** One call: photos of a piece, and its place in the table. */
interface Trial {
  readonly sort: string;
  readonly row: string;
  readonly product: CatalogPhoto;
  readonly files: readonly string[];
}

const PHOTOS = [1, 2, 3] as const;
const SCOPED = ', with its category';

/**
 * What further photos of a piece are worth over HTTP: recall@1 with one, two and three photos, with and without the category, and with
 * one photo of something else among them. Real photos of pieces with two or more of them, and distorted ones of the pairs and of every
 * `sample`-th other piece.
 */
export const benchSeveral = (options: VisionBenchOptions): Promise<Measurement> =>
  onPhotoSet(options, async (set, model, folder) => {
    const real = realTrials(set);
    const scoped = real.filter(({ row }) => row.length === 1);
    const trials = [
      ...real,
      ...scoped.map((each) => ({ ...each, row: `${each.row}${SCOPED}` })),
      ...(await distortedTrials(set, folder, options.sample)),
    ];
    const right = new Set<Trial>();
    await withPhotoService(set, model, ({ identify }) =>
      pMap(
        trials,
        async (trial) => {
          const scope = trial.row.endsWith(SCOPED) ? { category_id: trial.product.category } : {};
          const { products } = await identify(trial.files, { min_confidence: 0, ...scope });
          if (products[0] === trial.product.product) right.add(trial);
        },
        { concurrency: CONCURRENCY },
      ),
    );
    const sorts = [...new Set(trials.map(({ sort }) => sort))].sort();
    const rows = [...new Set(trials.map(({ row }) => row))].sort();
    return {
      title: `recall@1 in % by number of photos over HTTP, ${modelReference(model.manifest)}: ${set.photos.length} catalog photos, product rows only`,
      head: ['photos', ...sorts],
      rows: rows.map((row) => [
        row,
        ...sorts.map((sort) => {
          const own = trials.filter((each) => each.row === row && each.sort === sort);
          return own.length === 0 ? null : `${shareText(own, (each) => right.has(each))} of ${own.length}`;
        }),
      ]),
      notes: ['In brackets the 95 % limits (Wilson), then the number of calls.'],
    };
  });

function realTrials({ queries, photos }: PhotoSet): Trial[] {
  const pieces = new Map<string, { product: CatalogPhoto; sort: string; files: string[] }>();
  for (const { product: id, kind, level, file, set } of queries) {
    const product = photos.find((photo) => photo.product === id);
    if (level !== OTHER_PHOTO || !product) continue;
    const piece = pieces.get(id) ?? { product, sort: `real ${kind} (${set ?? 'dev'})`, files: [] };
    piece.files.push(file);
    pieces.set(id, piece);
  }
  const all = [...pieces.values()].filter(({ files }) => files.length > 1);
  return all.flatMap(({ product, sort, files }) => {
    const calls = PHOTOS.flatMap((count) => combinations(files, count));
    const trials = calls.map((chosen) => ({ sort, product, row: String(chosen.length), files: chosen }));
    const alike = all.filter((piece) => piece.sort === sort);
    const next = alike[(alike.findIndex((piece) => piece.product === product) + 1) % alike.length];
    if (!next?.files[0] || next.product === product) return trials;
    const mixed = [...files.slice(0, 2), next.files[0]];
    return [...trials, { sort, product, row: '3, one of something else', files: mixed }];
  });
}

/** Calls with photos that are made of the catalog's own, at every level in turn. */
async function distortedTrials(
  { queries, photos }: PhotoSet,
  folder: string,
  sample: number,
): Promise<Trial[]> {
  const shown = new Map(queries.map((query) => [query.product, query]));
  const of = ({ product }: CatalogPhoto) => shown.get(product);
  const paired = new Set(queries.flatMap(({ set, product }) => (set === null ? [] : product)));
  const pieces = [
    ...everyNth(
      photos.filter((photo) => of(photo) && !paired.has(photo.product)),
      sample,
    ),
    ...photos.filter((photo) => paired.has(photo.product)),
  ];
  const trials: Trial[] = [];
  for (const [at, product] of pieces.entries()) {
    const picture = await readFile(product.file);
    const level = LEVELS[at % LEVELS.length] ?? 1;
    const files: string[] = [];
    for (const photo of PHOTOS) {
      files.push(join(folder, `${product.product}-several-${photo}.jpg`));
      const jpeg = await distortPhoto(picture, level, product.product, 'several', photo);
      await writeFile(files.at(-1) ?? '', jpeg);
      const sort = `L${level} ${of(product)?.kind}`;
      trials.push({ sort, product, row: String(photo), files: [...files] });
    }
  }
  return trials;
}

/** A service whose catalog is a set of photos. */
interface PhotoService {
  /** @param asked further parameters of the call */
  identify(files: readonly string[], asked?: object): Promise<Answer>;
  /** Removes products from the catalog. */
  remove(products: readonly string[]): Promise<void>;
}

const identified = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Runs `work` with an embedded service that has the model, and the photos of the set as its catalog. */
const withPhotoService = <Result>(
  set: PhotoSet,
  model: InstalledModel,
  work: (service: PhotoService) => Promise<Result>,
): Promise<Result> => {
  const settings = { RATE_PER_SECOND: '0', VISION_CONCURRENCY: '0', MODEL: modelReference(model.manifest) };
  return onInstallation({ mode: 'embedded', settings }, async (installation, folder) => {
    const { loupe } = installation;
    if (!model.bundled) await loupe('models', 'add', model.folder);
    await installation.start();
    await loupe('catalog', 'import', set.bundle);
    const client = new Client(installation.url, await installation.key());
    return await work({
      async identify(files, asked = {}) {
        const images = await Promise.all(
          files.map(async (file) => ({ base64: (await readFile(file)).toString('base64') })),
        );
        const body = { ...(images.length === 1 ? images[0] : { images }), ...asked };
        const { data } = identified.parse(JSON.parse((await client.post('/v3/vision/identify', body)).text));
        const ids = data.map(({ id }) => id);
        return { first: ids[0], products: ids.filter((id) => id.startsWith('product_')) };
      },
      async remove(products) {
        const bundle = join(folder, 'removal');
        await writeRecords(bundle, { products: products.map((id) => ({ id, deleted: true })) });
        await loupe('catalog', 'import', bundle);
      },
    });
  });
};
