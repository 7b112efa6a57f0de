import { cropToFrame, type Photo } from '../photos/photo';
import { type Category, type Row, readRecord, storeImage, suggest, writeRecords } from '../service/calls';
import { Failure } from '../service/failure';
import type { Session } from '../session/session';

export interface Draft {
  readonly category: string;
  /** Its value at each level of its category, outermost first (brand, model, style). */
  readonly levels: Readonly<Record<string, Level>>;
  readonly title: string;
  readonly sku: string;
  readonly url: string;
  readonly pictures: readonly Readonly<{ image: string; thumbnail?: string | undefined }>[];
}

/** An entity by its name; its id is null while only a name has been typed. */
export type Level = Readonly<{ name: string; id: string | null }>;

/** A product's record; the page changes some of its fields. */
export type ProductRecord = { readonly id: string; readonly [field: string]: unknown };

/** The kinds of the hierarchy of a category, outermost first. */
export const kindsOf = (categories: readonly Category[], category: string): readonly string[] =>
  (categories.find(({ id }) => id === category)?.nodes ?? []).filter(
    (node) => node !== 'product' && node !== 'category',
  );

export const levelsAt = (kinds: readonly string[], at: (kind: string) => Level | undefined) =>
  Object.fromEntries(kinds.map((kind) => [kind, at(kind) ?? { name: '', id: null }]));

const levelOf = (row: Row | undefined, kind: string): Level | undefined =>
  row?.attributes?.find(({ field }) => field === kind);

/** A draft of a new item, with the category and brand of a product that looks like it. */
export function draftLike(like: Row | undefined, categories: readonly Category[]): Draft {
  const category = levelOf(like, 'category')?.id ?? categories[0]?.id ?? '';
  const kinds = kindsOf(categories, category);
  const levels = levelsAt(kinds, (kind) => (kind === kinds[0] ? levelOf(like, kind) : undefined));
  return { category, levels, title: '', sku: '', url: '', pictures: [] };
}

export function draftOf(row: Row, record: ProductRecord, categories: readonly Category[]): Draft {
  const category = String(record['category']);
  const levels = levelsAt(kindsOf(categories, category), (kind) => levelOf(row, kind));
  const [images, thumbnails] = [record['images'] as string[], record['thumbnails'] as string[]];
  const pictures = images.map((image, at) => ({ image, thumbnail: thumbnails[at] }));
  const { title = '', sku = '', url = '' } = row;
  return { category, levels, title, sku, url, pictures };
}

type Writing = Pick<Session, 'send'> & Readonly<{ signal: AbortSignal; onStep: (words: string) => void }>;

/**
 * Stores the photos, then writes the record with what its levels need. Repeating it ends in the same state: pictures are
 * identified by content, and the record by its id.
 * @param before the previous record, for an item that is changed
 * @throws Failure, also with what the service says about a line; AbortError's DOMException
 */
export async function writeItem(
  id: string,
  draft: Draft,
  photos: readonly Photo[],
  before: ProductRecord | null,
  { send, signal, onStep }: Writing,
): Promise<void> {
  const pictures = [...draft.pictures];
  for (const [at, photo] of photos.entries()) {
    onStep(`Sending picture ${at + 1} of ${photos.length}`);
    if (photo.kind === 'address') pictures.push({ image: photo.preview });
    else {
      const { answer } = await send(storeImage(await cropToFrame(photo)), { signal });
      pictures.push({ image: answer.url, thumbnail: answer.thumbnail });
    }
  }
  onStep('Writing it down');
  const { attributes, entities } = await entitiesOf(draft, { send, signal });
  const others = Object.entries(before?.['attributes'] ?? {}).filter(
    ([field]) => !Object.hasOwn(draft.levels, field),
  );
  // By position, so a picture without a thumbnail stands for its own if a later one has one.
  const thumbnails = pictures.findLastIndex(({ thumbnail }) => thumbnail !== undefined) + 1;
  const product = {
    variants: [{ id: id.replace(/^product_/, 'variant_') }],
    ...before,
    id,
    category: draft.category,
    attributes: { ...Object.fromEntries(others), ...attributes },
    title: draft.title || undefined,
    sku: draft.sku || undefined,
    url: draft.url || undefined,
    images: pictures.map(({ image }) => image),
    thumbnails: pictures.slice(0, thumbnails).map(({ image, thumbnail }) => thumbnail ?? image),
  };
  const lines = [...entities.map((entity) => ({ entities: entity })), { products: product }];
  const { answer } = await send(writeRecords(lines), { signal });
  const fault = answer.data.find(({ status }) => status === 'rejected');
  if (fault) throw new Failure(400, `It was not accepted: ${fault.field}: ${fault.reason}`);
}

/** The entities that an item belongs to, and records for those not in the catalog yet. */
async function entitiesOf({ category, levels }: Draft, { send, signal }: Omit<Writing, 'onStep'>) {
  const attributes: Record<string, string> = {};
  const entities: object[] = [];
  const names: string[] = [];
  const knownAs = async (name: string, kind: string) => {
    const { answer } = await send(suggest(name, category), { signal });
    const same = (other: string) => other.localeCompare(name, undefined, { sensitivity: 'base' }) === 0;
    return answer.data.find((each) => each.node === kind && same(each.name))?.id;
  };
  const exists = (id: string) =>
    send(readRecord(id), { signal }).then(
      () => true,
      (reason) => {
        if (reason instanceof Failure && reason.status === 404) return false;
        throw reason;
      },
    );
  for (const [kind, level] of Object.entries(levels)) {
    const name = level.name.trim();
    if (name === '') continue;
    names.push(name);
    const known = level.id ?? (await knownAs(name, kind));
    const id = known ?? idOf(kind, names);
    if (!known && !(await exists(id))) {
      entities.push({ id, kind, name, category, parents: { ...attributes } });
    }
    attributes[kind] = id;
  }
  return { attributes, entities };
}

/** "Louis Vuitton", "Alma BB": `model_louis_vuitton_alma_bb`. */
function idOf(kind: string, names: readonly string[]): string {
  const plain = names.join(' ').normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return `${kind}_${words.join('_').slice(0, 80)}`;
}

/** An id that no other item has. `crypto.randomUUID` is only available behind TLS. */
export const newId = (): string =>
  `product_${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
