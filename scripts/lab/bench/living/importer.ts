import { appendFile, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runLoupe } from '../../service-processes';
import { drawnPicture } from '../reindex/many-pictures';
import { CATEGORY, type Change, type Face, FILES, faceInBundle } from './living-catalog';
import type { World } from './world';

/** One living product in so many is in the bundle, where the writers write it too. */
const IMPORTED_EVERY = 2;
/** Brands that get another name in each bundle. */
const RENAMED = 2;
/** Products that have another picture in each bundle, which nobody has seen before. */
const REPICTURED = 4;
const PICTURE_SIDE = 96;

export interface ImportFolders {
  /** To work in. */
  readonly folder: string;
  /** A bundle whose products are in every import, as they are. */
  readonly plain: string;
  /** Other estimates of these products, by turns. */
  readonly nightly: readonly string[];
  readonly faces: readonly Face[];
}

/** Imports the catalog with `loupe catalog import`, again and again, each time with other versions of the living products. */
export class Importer {
  #round = 0;

  constructor(
    private readonly world: World,
    private readonly folders: ImportFolders,
  ) {}

  /** @param wait whether to stay until all pictures are embedded */
  async import(wait = false): Promise<void> {
    this.#round += 1;
    const bundle = join(this.folders.folder, `bundle-${this.#round}`);
    const report = `${bundle}-rejects.txt`;
    const changes = this.#changes();
    await this.#write(bundle, changes);
    const words = ['catalog', 'import', bundle, '--allow-rejects', '--report', report];
    const from = performance.now();
    await runLoupe(this.world.settings, ...words, ...(wait ? [] : ['--no-wait']));
    const span = { from, until: performance.now() };
    const rejects = await rejectsIn(report);
    for (const file of namesOf(FILES)) {
      for (const [position, change] of changes.filter((each) => each.file === file).entries()) {
        const reason = rejects.get(`${FILES[file]}:${position + 1}`);
        if (reason === undefined) this.world.checker.wrote(change, span);
        else this.world.checker.refused(change, reason);
      }
    }
    await rm(bundle, { recursive: true });
  }

  #changes(): Change[] {
    const { catalog } = this.world;
    const brands = Array.from({ length: RENAMED }, (_, number) =>
      catalog.brand((this.#round * RENAMED + number) % catalog.shelves, this.world.nextVersion()),
    );
    const products = Array.from({ length: Math.ceil(catalog.size / IMPORTED_EVERY) }, (_, number) =>
      catalog.product(number * IMPORTED_EVERY, this.world.nextVersion(), 'bundle'),
    );
    return [...brands, ...products.flat()];
  }

  /** The changes come first in each file, so that their lines are known. */
  async #write(bundle: string, changes: readonly Change[]): Promise<void> {
    const { plain, nightly, faces } = this.folders;
    await mkdir(join(bundle, 'images'), { recursive: true });
    await Promise.all(faces.map(({ file }, number) => copyFile(file, join(bundle, faceInBundle(number)))));
    for (const file of namesOf(FILES)) {
      const records = changes.filter((each) => each.file === file).map(({ record }) => record);
      await writeFile(join(bundle, FILES[file]), linesOf(records));
    }
    await appendFile(join(bundle, FILES.products), await readFile(join(plain, FILES.products)));
    const prices = nightly[this.#round % nightly.length];
    if (prices)
      await appendFile(join(bundle, FILES.estimates), await readFile(join(prices, FILES.estimates)));
    await appendFile(join(bundle, FILES.products), linesOf(await this.#repictured(bundle)));
  }

  async #repictured(bundle: string): Promise<object[]> {
    const records: object[] = [];
    for (let number = 0; number < REPICTURED; number += 1) {
      const image = `images/new-${number}.jpg`;
      await writeFile(
        join(bundle, image),
        await drawnPicture(this.#round * REPICTURED + number, PICTURE_SIDE),
      );
      records.push({
        id: `product_repictured_${number}`,
        category: CATEGORY,
        attributes: {},
        images: [image],
        variants: [],
      });
    }
    return records;
  }
}

/** The reasons by `file:line`. */
async function rejectsIn(report: string): Promise<ReadonlyMap<string, string>> {
  const lines = (await readFile(report, 'utf8')).split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [, place = line, reason = ''] = /^([^:]+:\d+): [^:]*: (.*)$/.exec(line) ?? [];
      return [place, reason];
    }),
  );
}

const linesOf = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

const namesOf = <Name extends string>(files: Readonly<Record<Name, unknown>>): Name[] =>
  Object.keys(files) as Name[];
