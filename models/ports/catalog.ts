import type { ResolvedQuery, SearchPage, SearchScope } from '../catalog/catalog-query';
import type { CatalogItem, Category, Tag } from '../catalog/item';
import type { SuggestedRow, SuggestionQuery } from '../catalog/suggestion';
import type { DataFile } from '../pricing/estimate';
import type { ChargeRequest } from './access';

/** The catalog without deleted rows. Answers may be cached, but are at least as new as a version that is given (contract 14.12). */
export interface CatalogRepository {
  categories(taxonomyVersion?: number): Promise<readonly Category[]>;
  /** The closed vocabulary, ordered by group, then display order. */
  tags(taxonomyVersion?: number): Promise<readonly Tag[]>;
  /** Every field that an attribute may have: all hierarchy attributes and all kinds of entities, `category` excluded. */
  facetFields(taxonomyVersion?: number): Promise<readonly string[]>;
  /** Rows in the order of the ids, with their prices if they are asked for; those that the scope does not count are left out. */
  itemsById(ids: readonly string[], pricing?: boolean, scope?: SearchScope): Promise<readonly CatalogItem[]>;
  /** One page of a query with the exact total (contract 4.10). @param sell reads and books the rows in one step, where it can */
  search(query: ResolvedQuery, pricing?: boolean, sell?: SellRows): Promise<SearchPage<CatalogItem>>;
  /** The rows that complete a text, best first (contract 5.12). */
  suggest(query: SuggestionQuery): Promise<readonly SuggestedRow[]>;
  /** Those of the rows that live and that a scope counts, of whatever kind, in the order of the ids. */
  within(ids: readonly string[], scope: SearchScope): Promise<readonly string[]>;
  /** The live products of a scope that show each image, by image id; images that none of them shows are left out. */
  productsShowing(
    imageIds: readonly number[],
    scope?: SearchScope,
  ): Promise<ReadonlyMap<number, readonly string[]>>;
  imageAddresses(imageIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** A state of the catalog, as the repository names it: the transactions that it has, and its snapshot for queries. */
export interface CatalogState {
  readonly transactions: string;
  readonly snapshot: number | null;
}

/** The ids of rows that a query found in a state of the catalog, each once. */
export interface FoundRows {
  readonly rows: readonly string[];
  readonly state: CatalogState;
}

/** Rows that a call pays for; of what a query found, all or, when the catalog has changed since, nothing. */
export interface Sale extends Pick<FoundRows, 'rows'>, Partial<Pick<FoundRows, 'state'>> {
  readonly charge: ChargeRequest;
  readonly price: { readonly product: number; readonly other: number };
  /** Whether the rows cost together as much as the most expensive of them. */
  readonly together?: true;
  readonly pricing: boolean;
}

/** What was sold: the rows that there are, in order. */
export interface Sold {
  readonly items: readonly CatalogItem[];
  readonly creditsUsed: number;
  /** Null where the account is unlimited. */
  readonly creditsRemaining: number | null;
}

/** Null when the catalog has changed since the rows were found. */
export type SellRows = (found: FoundRows) => Promise<Sold | null>;

/** Rows that are booked in the step that reads them, as `CreditLedger.settle` would. */
export interface ItemSales {
  /** Null, and nothing is booked, when the catalog is no longer in the state of the sale. @throws AppError 402 */
  sell(sale: Sale): Promise<Sold | null>;
}

/** What prices are made of. */
export interface PricingRepository {
  /** The rows of one file as cells, column order of contract 2.8, header not included. */
  fileRows(file: DataFile): AsyncIterable<readonly (string | number | null)[]>;
}

/** Signs the addresses of data files and checks them. */
export interface DataFileSigner {
  /** A path with its signature in the query string, or null when nothing can sign (fail-closed). */
  sign(file: DataFile, expiresAt: Date): string | null;
  /** Whether path and query were signed by one of the keys and have not expired; compared in constant time. */
  verify(file: DataFile, query: Readonly<Record<string, unknown>>, now: Date): boolean;
}

/** A stored image on its way out; anyone who stops reading ends its stream. */
export interface OpenImage {
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Stored images at `/images/<sha256>.<extension>`; what is there never changes. All rejects with a 503 while the store is away. */
export interface ImageStore {
  /** Stores bytes, whole or not at all, and answers their address; the same bytes have the same address. */
  put(bytes: Buffer, extension: 'jpg' | 'png' | 'webp'): Promise<string>;
  /** The bytes at an address of ours; null when there are none. */
  get(address: string): Promise<Buffer | null>;
  /** The same for who passes them on. */
  open(address: string): Promise<OpenImage | null>;
  /** How many bytes are at an address of ours; null when there is no image. */
  size(address: string): Promise<number | null>;
  /** The addresses of all that is stored, of those whose hash begins so, in their order. */
  addresses(prefix?: string): AsyncIterable<string>;
  /** Removes what is at an address of ours, if there is anything. */
  remove(address: string): Promise<void>;
  /** The same for all who use this store, and another for every other; null until all would be told the same. */
  identity(): Promise<string | null>;
  /** Resolves when images can be read. @throws StoreFault saying why not */
  check(): Promise<void>;
  close(): Promise<void>;
}
