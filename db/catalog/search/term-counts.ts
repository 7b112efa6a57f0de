import type { Knex } from 'knex';
import type { Filter, ResolvedQuery } from '../../../models/catalog/catalog-query';
import { facetOf } from '../../../models/catalog/index-terms';
import { categoriesOf } from '../../../models/catalog/taxonomy';
import { prepared, rowsOf, type Sql, sql } from '../../core/sql';
import type { Scope } from './catalog-clauses';

/** The term that every row carries. */
const EVERY_ROW = '';
/** The term of rows with several values of a field. */
const severalOf = (field: string): string => `${field}:`;

/** A term whose rows of a kind are counted. */
export interface CountedTerm {
  readonly kind: string;
  readonly term: string;
}

/** How many rows of a kind and category, or categories that they share (contract 1.11), have a term. */
export interface TermCount extends CountedTerm {
  readonly category: string;
  readonly rows: number;
}

type Scoped = Pick<ResolvedQuery, 'node' | 'categories' | 'filters'>;

/** What `TermCounts` has to know of a query: the facets that it filters by, and further terms. */
export function countedTerms({ node, filters }: Scoped, terms: readonly string[]): CountedTerm[] {
  const facets = filters.flatMap(({ field, include, exclude }) => [
    severalOf(field),
    ...[...include, ...exclude].map((id) => facetOf(field, id)),
  ]);
  return Array.from(new Set([EVERY_ROW, ...facets, ...terms]), (term) => ({ kind: node, term }));
}

/** A query for `TermCount`s. @param asked what `FROM` names `asked`: distinct `CountedTerm`s */
export const countsOf = (asked: Sql): Sql =>
  sql`SELECT asked.kind, counted.category, asked.term, sum(counted.rows)::bigint AS rows
    FROM ${asked} CROSS JOIN LATERAL (
      SELECT category, rows FROM term_counts WHERE kind = asked.kind AND term = asked.term OFFSET 0) AS counted
    GROUP BY asked.kind, counted.category, asked.term HAVING sum(counted.rows) > 0`;

/**
 * How many rows of a scope carry a facet or a word, known without reading them (the comment of `term_counts` says what
 * is counted). Listings take their exact totals from here where they can.
 */
export class TermCounts {
  private constructor(
    readonly scope: Scope,
    private readonly counts: ReadonlyMap<string, number>,
  ) {}

  /** Reads the counts of the facets that a query filters by, and of further terms. */
  static async read(knex: Knex, query: Scoped, ...terms: readonly string[]): Promise<TermCounts> {
    const asked = sql`json_to_recordset(${JSON.stringify(countedTerms(query, terms))}::json) AS asked (kind text, term text)`;
    return TermCounts.of(query, await rowsOf<TermCount>(knex, prepared(countsOf(asked))));
  }

  /** @param lines those of its `countedTerms`, and whatever others */
  static of({ node: kind, categories: among }: Scoped, lines: readonly TermCount[]): TermCounts {
    const isAmong = (joined: string) =>
      among === null || categoriesOf(joined).some((category) => among.includes(category));
    const own = lines.filter((line) => line.kind === kind && isAmong(line.category));
    const counts = new Map<string, number>();
    for (const { term, rows } of own) counts.set(term, (counts.get(term) ?? 0) + rows);
    const categories = own
      .filter(({ term }) => term === EVERY_ROW)
      .map(({ category }) => category)
      .sort();
    return new TermCounts({ kind, categories, rows: counts.get(EVERY_ROW) ?? 0 }, counts);
  }

  /** Rows that carry a term. */
  of(term: string): number {
    return this.counts.get(term) ?? 0;
  }

  /** The exact number of rows that pass the filters, or null when they have to be counted. */
  total(filters: readonly Filter[]): number | null {
    const including = filters.filter(({ include }) => include.length > 0);
    const excluding = filters.filter(({ exclude }) => exclude.length > 0);
    const [only, ...others] = including;
    if (including.some(({ field, include }) => this.sum(field, include) === 0)) return 0;
    if (!only) return this.totalWithout(excluding);
    return others.length > 0 || excluding.length > 0 ? null : this.union(only.field, only.include);
  }

  /** Which of the words most rows have; undefined when none has any. */
  mostFrequent(words: readonly string[]): { readonly word: string; readonly rows: number } | undefined {
    return words
      .map((word) => ({ word, rows: this.of(word) }))
      .reduce<{ word: string; rows: number } | undefined>(
        (most, each) => (each.rows > (most?.rows ?? 0) ? each : most),
        undefined,
      );
  }

  private totalWithout(excluding: readonly Filter[]): number | null {
    const [first, ...others] = excluding;
    if (!first) return this.scope.rows;
    if (others.some(({ field }) => field !== first.field)) return null;
    const dropped = this.union(
      first.field,
      excluding.flatMap(({ exclude }) => exclude),
    );
    return dropped === null ? null : this.scope.rows - dropped;
  }

  /** Rows with any of the values: their sum, or null when a row may hold several and would be counted for each. */
  union(field: string, ids: readonly string[]): number | null {
    const several = new Set(ids).size > 1 && this.of(severalOf(field)) > 0;
    return several ? null : this.sum(field, ids);
  }

  private sum(field: string, ids: readonly string[]): number {
    return [...new Set(ids)].reduce((sum, id) => sum + this.of(facetOf(field, id)), 0);
  }
}
