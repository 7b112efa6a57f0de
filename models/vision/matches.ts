import { type CatalogItem, isProduct } from '../catalog/item';
import type { Taxonomy } from '../catalog/taxonomy';
import type { Candidate } from './candidates';
import { type JudgedCandidate, judge, taxonomyConfidence } from './confidence';
import type { ChoiceModel } from './embedding-model';

/** Taxonomy ids of each candidate product, innermost first (style before brand). */
export type Ancestry = ReadonlyMap<string, readonly string[]>;

export interface Match {
  readonly id: string;
  /** Calibrated probability that the row is right, 0 to 1. */
  readonly confidence: number;
}

/** Most rows of an identification, and the confidence that a runner-up needs (contract 7.8). */
export const MATCHES_MAX = 10;
const RUNNER_UP_MIN = 0.01;

/** A product this certain, three times as likely as all else together, needs no taxonomy row in its place. */
const SURE = 0.75;

/** The lowest confidence of a taxonomy row that stands in for a product, and of a product that needs none with a floor of 0. */
const LIKELY = 0.5;

/** The taxonomy rows of products by the hierarchies of their categories. */
export function ancestryOf(products: readonly CatalogItem[], taxonomy: Taxonomy): Ancestry {
  const lineages = products.filter(isProduct).map(({ id, category, attributes }) => {
    const inwards = [...(taxonomy.find(category)?.hierarchy ?? [])].reverse();
    const idsOf = (field: string) => attributes.filter((each) => each.field === field).map((each) => each.id);
    return [id, inwards.flatMap(idsOf)] as const;
  });
  return new Map(lineages);
}

/** How often a filter leaves out what the photos show: rivals outside of it count that much (docs/model-card.md). */
const WRONG_FILTER = 0.1;

export class MatchContext {
  /** Of the shortlist. */
  readonly #judgement: readonly JudgedCandidate[];
  /** The confidence that the photos show any candidate, also one of the rivals. */
  readonly found: number;

  /**
   * @param shortlist as `shortlistOf` gives it
   * @param ancestry of the products of the shortlist; further ones do no harm
   * @param rivals what the photos may show although it is not to be returned; may contain the shortlist
   */
  constructor(
    shortlist: readonly Candidate[],
    private readonly ancestry: Ancestry,
    private readonly model: ChoiceModel,
    rivals: readonly Candidate[] = [],
  ) {
    const passing = new Set(shortlist);
    const judged = passing.size === 0 ? [] : judge([...new Set([...shortlist, ...rivals])], model);
    const judgement = judged.filter(({ candidate }) => passing.has(candidate));
    const found = sumOf(judged);
    const rest = 1 - (1 - WRONG_FILTER) * (found - sumOf(judgement));
    this.#judgement = judgement.map((each) => ({ ...each, confidence: each.confidence / rest }));
    this.found = 1 - (1 - found) / rest;
  }

  /** All candidates, best first. */
  get products(): Match[] {
    return this.#judgement.map(({ candidate: { id }, confidence }) => ({ id, confidence }));
  }

  /** The taxonomy rows above a product, innermost first; an outer one is never less certain. */
  levels(product: string): (Match & { readonly below: number })[] {
    let surest = this.products.find(({ id }) => id === product)?.confidence ?? 0;
    return (this.ancestry.get(product) ?? []).map((id) => {
      const below = sumOf(this.#below(id));
      surest = Math.max(surest, taxonomyConfidence(below, this.found, this.model));
      return { id, below, confidence: surest };
    });
  }

  /** Whether the best product is so certain that it is answered, and no taxonomy row takes its place, whatever its ancestry. */
  isSure(floor: number): boolean {
    const [best] = this.products;
    return best !== undefined && best.confidence >= (floor === 0 ? LIKELY : Math.max(SURE, floor));
  }

  /** The taxonomy rows that may take the place of the best product, innermost first. They may no longer exist. */
  fallbacks(floor: number): Match[] {
    const [best] = this.products;
    if (!best || this.isSure(floor)) return [];
    return this.levels(best.id).filter(
      ({ id, confidence }) => confidence >= Math.max(LIKELY, floor) && this.#below(id).length > 1,
    );
  }

  /**
   * The rows to answer with, best first: a taxonomy row that stands in for the best product, and the products; none if the
   * best is below the floor (contract 7.8, 7.10). @param isLive whether the catalog still has a row
   */
  rows(floor: number, isLive: (id: string) => boolean): Match[] {
    const row = this.fallbacks(floor).find(({ id }) => isLive(id));
    const products = this.products.filter(({ id }) => isLive(id));
    const rows = [...(row ? [{ id: row.id, confidence: row.confidence }] : []), ...products];
    if ((rows[0]?.confidence ?? 0) < floor) return [];
    return rows
      .filter(({ confidence }, rank) => rank === 0 || floor === 0 || confidence >= RUNNER_UP_MIN)
      .slice(0, MATCHES_MAX);
  }

  /** The evidence for a row, a product or a taxonomy row; null for one that no candidate belongs to. */
  evidenceFor(row: string): Evidence | null {
    const own = new Set(this.#below(row).map(({ candidate }) => candidate));
    const [best] = own;
    if (!best) return null;
    const others = this.#judgement.flatMap(({ candidate }) => (own.has(candidate) ? [] : candidate));
    const photos = best.byPhoto.map((views, photo) => {
      const similarity = Math.max(...views);
      const isRivalled = others.some(({ byPhoto }) => Math.max(...(byPhoto[photo] ?? [])) > similarity);
      return { similarity, agrees: !isRivalled };
    });
    const similarities = photos.map(({ similarity }) => similarity);
    const levels = this.levels(best.id).map(({ id, confidence }) => ({ id, confidence }));
    const from = levels.findIndex(({ id }) => id === row);
    return {
      ...{ product: best.id, imageId: best.imageId, similarity: best.similarity, photos },
      photo: similarities.indexOf(Math.max(...similarities)),
      margin: best.similarity - Math.max(0, ...others.map(({ similarity }) => similarity)),
      levels: levels.slice(Math.max(0, from)),
    };
  }

  /** The candidates that are a row or below it, best first. */
  #below(row: string): readonly JudgedCandidate[] {
    return this.#judgement.filter(
      ({ candidate: { id } }) => id === row || this.ancestry.get(id)?.includes(row),
    );
  }
}

const sumOf = (judged: readonly JudgedCandidate[]): number =>
  judged.reduce((sum, { confidence }) => sum + confidence, 0);

export interface Evidence {
  /** The likeliest product that is the row or below it, and its picture nearest to the photos. */
  readonly product: string;
  readonly imageId: number;
  /** Position of the photo it is nearest to. */
  readonly photo: number;
  /** Cosine of the nearest pair of views, the mean for several photos; and its margin over the best rival. */
  readonly similarity: number;
  readonly margin: number;
  /** For each photo the similarity, and whether nothing is nearer to it. */
  readonly photos: readonly { readonly similarity: number; readonly agrees: boolean }[];
  /** The taxonomy row itself or those above a product, innermost first; an outer one is never less certain. */
  readonly levels: readonly Match[];
}
