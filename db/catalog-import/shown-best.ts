import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import {
  type BestEstimate,
  type Contribution,
  type ContributionChange,
  compareBest,
  isSameBest,
} from './best-estimates';
import { rowOfFacet } from './project-rows';

/** So many rows are remembered; then it begins anew, so that the memory of an import stays flat. */
const REMEMBERED_MAX = 50_000;

/** A best estimate that a row is to show. */
interface Raise {
  readonly id: string;
  readonly best: BestEstimate | null;
}

/**
 * The best estimates that the rows above products show, kept right as products change. What a row shows is remembered:
 * the products of one batch stand below the same brands and colours as those of the next.
 */
export class ShownBest {
  private readonly known = new Map<string, BestEstimate | null>();

  /**
   * Raises the rows above products to what these now contribute. Resolves to the ids of rows that show an estimate which
   * is gone, so that their best must be looked for again.
   */
  async shift(trx: Knex, changes: readonly ContributionChange[]): Promise<string[]> {
    const shifts = shiftsByRow(changes);
    const lost: string[] = [];
    const raises: Raise[] = [];
    for (const [id, best] of await this.shownBy(trx, [...shifts.keys()])) {
      const shift = shifts.get(id);
      if (shift?.gained && (best === null || compareBest(shift.gained, best) < 0)) {
        raises.push({ id, best: shift.gained });
      } else if (best && shift?.lost.some((each) => compareBest(each, best) === 0)) lost.push(id);
    }
    await this.write(trx, raises);
    return lost;
  }

  /** To be told when rows were written in another way, or a transaction was taken back. */
  forget(): void {
    this.known.clear();
  }

  /** Of ids that are rows. */
  private async shownBy(trx: Knex, ids: readonly string[]): Promise<Map<string, BestEstimate | null>> {
    const shown = new Map<string, BestEstimate | null>();
    const unknown: string[] = [];
    for (const id of ids) {
      const best = this.known.get(id);
      if (best === undefined) unknown.push(id);
      else shown.set(id, best);
    }
    if (unknown.length === 0) return shown;
    const rows = await rowsOf<Raise>(
      trx,
      sql`SELECT id, max_estimate AS best FROM catalog_rows WHERE id = ANY(${unknown}::text[])`,
    );
    if (this.known.size + rows.length > REMEMBERED_MAX) this.known.clear();
    for (const { id, best } of rows) {
      this.known.set(id, best);
      shown.set(id, best);
    }
    return shown;
  }

  private async write(trx: Knex, raises: readonly Raise[]): Promise<void> {
    if (raises.length === 0) return;
    await rowsOf(
      trx,
      sql`UPDATE catalog_rows SET max_estimate = given.best
          FROM json_to_recordset(${JSON.stringify(raises)}::json) AS given (id text, best jsonb)
          WHERE catalog_rows.id = given.id`,
    );
    for (const { id, best } of raises) if (this.known.has(id)) this.known.set(id, best);
  }
}

interface Shift {
  gained: BestEstimate | null;
  readonly lost: BestEstimate[];
}

function shiftsByRow(changes: readonly ContributionChange[]): Map<string, Shift> {
  const shifts = new Map<string, Shift>();
  const shiftOf = (id: string): Shift => {
    const shift = shifts.get(id) ?? { gained: null, lost: [] };
    shifts.set(id, shift);
    return shift;
  };
  for (const { before, after } of changes) {
    if (!before?.best && !after?.best) continue;
    const kept = isSameBest(before?.best ?? null, after?.best ?? null);
    if (before?.best) {
      for (const id of rowsAbove(before, kept ? after : null)) shiftOf(id).lost.push(before.best);
    }
    if (!after?.best) continue;
    for (const id of rowsAbove(after, kept ? before : null)) {
      const shift = shiftOf(id);
      if (!shift.gained || compareBest(after.best, shift.gained) < 0) shift.gained = after.best;
    }
  }
  return shifts;
}

function rowsAbove({ facets }: Contribution, unless: Contribution | null): string[] {
  const ids: string[] = [];
  for (const facet of facets) {
    const id = unless?.facets.includes(facet) ? null : rowOfFacet(facet);
    if (id !== null) ids.push(id);
  }
  return ids;
}
