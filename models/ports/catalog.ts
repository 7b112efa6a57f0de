import type { ResolvedQuery, SearchPage, SearchScope } from '../catalog/catalog-query';
import type { CatalogItem, ImageExtension, Tag } from '../catalog/item';
import type { Taxonomy } from '../catalog/taxonomy';
import type { DataFile } from '../pricing/estimate';

/** The content of a search box, once its text is split and its category known. */
export interface SuggestionQuery extends Pick<SearchScope, 'category' | 'sandbox'> {
  /** As typed, with one space between words and none at the ends. */
  readonly text: string;
  /** Its folded words in order; null for a blank text, an empty array finds nothing. */
  readonly words: readonly string[] | null;
  readonly size: number;
}

export type SuggestedRow = Pick<CatalogItem, 'id' | 'kind' | 'name' | 'attributes'>;

/** The catalog without deleted rows. Answers may be cached, but are at least as new as a given version (contract 14.12). */
export interface CatalogRepository {
  /** Categories and their hierarchies. */
  taxonomy(version?: number): Promise<Taxonomy>;
  /** The closed vocabulary, ordered by group, then display order. */
  tags(taxonomyVersion?: number): Promise<readonly Tag[]>;
  /** Every field that an attribute may have: all hierarchy attributes and all kinds of entities, `category` excluded. */
  facetFields(taxonomyVersion?: number): Promise<readonly string[]>;
  /** Rows in the order of the ids, with their prices if requested; rows outside the scope are left out. */
  itemsById(ids: readonly string[], pricing?: boolean, scope?: SearchScope): Promise<readonly CatalogItem[]>;
  /** One page of a query with the exact total (contract 4.10). @param sell reads and books the rows in one step, if possible */
  search(query: ResolvedQuery, pricing?: boolean, sell?: SellRows): Promise<SearchPage<CatalogItem>>;
  suggest(query: SuggestionQuery): Promise<readonly SuggestedRow[]>;
  /** The live products of a scope that show each image, by image id; images shown by none of them are left out. */
  productsShowing(
    imageIds: readonly number[],
    scope?: SearchScope,
  ): Promise<ReadonlyMap<number, readonly string[]>>;
  imageAddresses(imageIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

export type CatalogState = string;

/** Ids of rows, each once, in a state of the catalog. */
export interface FoundRows {
  readonly rows: readonly string[];
  readonly state: CatalogState;
}

/** Rows that a call pays for: all that a query found or, when the catalog has changed since, none. */
export interface Sale
  extends Pick<FoundRows, 'rows'>,
    Partial<Pick<FoundRows, 'state'>>,
    Pick<SearchScope, 'sandbox'> {
  readonly price: { readonly product: number; readonly other: number };
  /** Whether all rows together cost as much as the most expensive of them. */
  readonly together?: true;
  /** Rows that cost nothing. */
  readonly free?: readonly string[];
  readonly pricing: boolean;
}

/** The sold rows: those that exist, in order. */
export interface Sold {
  readonly items: readonly CatalogItem[];
  readonly creditsUsed: number;
  readonly creditsRemaining: number | null;
}

/** Null when the catalog has changed since the rows were found. */
export type SellRows = (found: FoundRows) => Promise<Sold | null>;

export interface PricingRepository {
  /** The rows of one file as cells, column order of contract 2.8, header not included. */
  fileRows(file: DataFile): AsyncIterable<readonly (string | number | null)[]>;
}

export interface DataFileSigner {
  /** A path with its signature in the query string, or null when there is no signing key (fail-closed). */
  sign(file: DataFile, expiresAt: Date): string | null;
  /** Whether path and query were signed by one of the keys and have not expired; compared in constant time. */
  verify(file: DataFile, query: Readonly<Record<string, unknown>>, now: Date): boolean;
}

/** A stored image being sent; a reader that stops reading ends its stream. */
export interface OpenImage {
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Images at `/images/<sha256>.<extension>`, which never change. Every call rejects with a 503 while the store is unavailable. */
export interface ImageStore {
  /** Stores bytes, whole or not at all, and returns their address; the same bytes have the same address. */
  put(bytes: Buffer, extension: ImageExtension): Promise<string>;
  get(address: string): Promise<Buffer | null>;
  open(address: string): Promise<OpenImage | null>;
  /** How many bytes are at one of our addresses; null when there is no image. */
  size(address: string): Promise<number | null>;
  /** The addresses of all stored images whose hash begins with the prefix, in order. */
  addresses(prefix?: string): AsyncIterable<string>;
  remove(address: string): Promise<void>;
  /** The same value for all users of this store, and a different one for every other store; null until all would get the same. */
  identity(): Promise<string | null>;
  /** Resolves when images can be read. @throws StoreFault saying why not */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The folded text of queries that found nothing, and how many there were. */
export interface SearchMiss {
  readonly query: string;
  readonly misses: number;
}

export interface SearchMissSum extends SearchMiss {
  readonly lastDay: string;
}

/** Queries that found nothing, by day (contract 5.13). */
export interface SearchMissStore {
  /** Adds to the counts of a day, `YYYY-MM-DD`; if there are more new texts than a day may have, the most frequent are kept. */
  add(day: string, misses: readonly SearchMiss[]): Promise<void>;
  /** Most frequent first, then by text, from the day of `since` on. */
  mostFrequent(since: Date | null, limit: number): Promise<readonly SearchMissSum[]>;
}
