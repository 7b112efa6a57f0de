import { framed, type Photo } from '../photos/photo';
import {
  Failure,
  type ImageAnswer,
  type RecordAnswer,
  type RecordsAnswer,
  readRecord,
  type SuggestAnswer,
  sendCall,
  storeImage,
  suggest,
  writeRecords,
} from '../service/calls';

/** An item as it stands in the form. */
export interface Draft {
  readonly category: string;
  /** What it is at each level of its category, outermost first (brand, model, style). */
  readonly levels: Readonly<Record<string, Level>>;
  readonly title: string;
  readonly sku: string;
  readonly url: string;
  /** Those that are stored already, and those to send. */
  readonly pictures: readonly StoredPicture[];
}

/** An entity by its name; its id is null as long as only a name was typed. */
export interface Level {
  readonly name: string;
  readonly id: string | null;
}

/** A level for each kind, in their order. */
export const levelsAt = (
  kinds: readonly string[],
  at: (kind: string) => Level | undefined,
): Draft['levels'] => Object.fromEntries(kinds.map((kind) => [kind, at(kind) ?? { name: '', id: null }]));

export interface StoredPicture {
  readonly image: string;
  readonly thumbnail?: string | undefined;
}

/** What the page changes of the record of a product; the rest of it stays. */
export type ProductRecord = NonNullable<RecordAnswer['data'][number]['products']>;

/** With whose key calls are made, and what takes them back. */
interface Sending {
  readonly key: string;
  readonly signal: AbortSignal;
}

/** A field of the form that the service did not accept. */
export class Refused extends Error {}

/**
 * Stores the photos, then writes the record with what its levels need. Sent again it ends in the same state: pictures go by
 * their content, and the record by its id.
 *
 * @param before the record as it was, of an item that is changed
 * @throws Refused what the service says of a line, Failure, AbortError's DOMException
 */
export async function writeItem(
  id: string,
  draft: Draft,
  photos: readonly Photo[],
  before: ProductRecord | null,
  { onStep, ...sending }: Sending & { readonly onStep: (words: string) => void },
): Promise<void> {
  const sent: StoredPicture[] = [];
  for (const [at, photo] of photos.entries()) {
    onStep(`Sending picture ${at + 1} of ${photos.length}`);
    sent.push(await stored(photo, sending));
  }
  onStep('Writing it down');
  const { attributes, entities } = await levelsOf(draft, sending);
  const pictures = [...draft.pictures, ...sent];
  const product = {
    variants: [{ id: id.replace(/^product_/, 'variant_') }],
    ...before,
    id,
    category: draft.category,
    attributes: { ...withoutLevels(before, draft), ...attributes },
    title: draft.title || undefined,
    sku: draft.sku || undefined,
    url: draft.url || undefined,
    images: pictures.map(({ image }) => image),
    thumbnails: thumbnailsOf(pictures),
  };
  const lines = [...entities.map((entity) => ({ entities: entity })), { products: product }];
  const { answer } = await sendCall<RecordsAnswer>(writeRecords(lines), sending);
  const fault = answer.data.find(({ status }) => status === 'rejected');
  if (fault) throw new Refused(`${fault.field}: ${fault.reason}`);
}

/** The attributes of a record that are no level of its category. */
const withoutLevels = (before: ProductRecord | null, { levels }: Draft) =>
  Object.fromEntries(
    Object.entries(before?.['attributes'] ?? {}).filter(([field]) => !Object.hasOwn(levels, field)),
  );

async function stored(photo: Photo, sending: Sending): Promise<StoredPicture> {
  if (photo.kind === 'address') return { image: photo.preview };
  const { answer } = await sendCall<ImageAnswer>(storeImage(await framed(photo)), sending);
  return { image: answer.url, thumbnail: answer.thumbnail };
}

/** By position; what has none of its own stands for itself where a later one has. */
function thumbnailsOf(pictures: readonly StoredPicture[]): string[] {
  const last = pictures.findLastIndex(({ thumbnail }) => thumbnail !== undefined);
  return pictures.slice(0, last + 1).map(({ image, thumbnail }) => thumbnail ?? image);
}

/** The entities that an item belongs to, and the records of those that the catalog does not have yet. */
async function levelsOf({ category, levels }: Draft, sending: Sending) {
  const attributes: Record<string, string> = {};
  const entities: object[] = [];
  const names: string[] = [];
  for (const [kind, level] of Object.entries(levels)) {
    const name = level.name.trim();
    if (name === '') continue;
    names.push(name);
    const known = level.id ?? (await knownAs(name, kind, category, sending));
    const id = known ?? idOf(kind, names);
    if (known === null && !(await isThere(id, sending))) {
      entities.push({ id, kind, name, category, parents: { ...attributes } });
    }
    attributes[kind] = id;
  }
  return { attributes, entities };
}

async function knownAs(
  name: string,
  kind: string,
  category: string,
  sending: Sending,
): Promise<string | null> {
  const { answer } = await sendCall<SuggestAnswer>(suggest(name, category), sending);
  const same = (other: string) => other.localeCompare(name, undefined, { sensitivity: 'base' }) === 0;
  return answer.data.find(({ node, name: other }) => node === kind && same(other))?.id ?? null;
}

async function isThere(id: string, sending: Sending): Promise<boolean> {
  try {
    await sendCall<RecordAnswer>(readRecord(id), sending);
    return true;
  } catch (failure) {
    if (failure instanceof Failure && failure.status === 404) return false;
    throw failure;
  }
}

/** "Louis Vuitton", "Alma BB": `model_louis_vuitton_alma_bb`. */
const idOf = (kind: string, names: readonly string[]): string => {
  const words =
    names
      .join(' ')
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return `${kind}_${words.join('_').slice(0, 80)}`;
};

/** An id that no other item has. `crypto.randomUUID` is only there behind TLS. */
export const newId = (): string =>
  `product_${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
