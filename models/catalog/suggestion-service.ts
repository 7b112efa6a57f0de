import { inject, injectable } from 'tsyringe';
import type { CallContext } from '../access/billing';
import { type CatalogRepository, PORTS, type SuggestedRow } from '../ports';
import { queryWords, visibleText } from './fold-text';
import { matchedParts, type NamePart } from './matched-parts';
import { categorySlug, sandboxScope } from './resolve-scope';

export interface Suggestion extends SuggestedRow {
  /** The parts of its name that match the text, from left to right. */
  readonly matched: readonly NamePart[];
}

/** Completes the text of a search box (contract 5.11). */
@injectable()
export class SuggestionService {
  constructor(@inject(PORTS.CatalogRepository) private readonly catalog: CatalogRepository) {}

  /** At most `size` rows, best first; `category` by slug or name. @throws AppError 400 for an unknown category */
  async suggest(
    { caller }: Pick<CallContext, 'caller'>,
    { query, category, size }: { query: string; category: string | null; size: number },
  ): Promise<readonly Suggestion[]> {
    const taxonomy = await this.catalog.taxonomy(caller.taxonomyVersion);
    const slug = category === null ? null : categorySlug(category, 'product', taxonomy);
    const text = visibleText(query).trim().replace(/\s+/gu, ' ');
    const words = queryWords(text);
    const rows = await this.catalog.suggest({ text, words, category: slug, size, ...sandboxScope(caller) });
    return rows.map((row) => ({ ...row, matched: matchedParts(row.name, words ?? []) }));
  }
}
