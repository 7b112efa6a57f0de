import { remembered } from './bag-taxonomy';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days counted back from a fixed one: the generator has no clock, so that the same seed gives the same bytes. */
export class Calendar {
  private readonly referenceMs: number;
  private readonly days = new Map<number, string>();
  private readonly months = new Map<number, string>();

  /** The day that everything happens before, as `YYYY-MM-DD`; anything else throws. */
  constructor(referenceDate: string) {
    this.referenceMs = Date.parse(`${referenceDate}T12:00:00Z`);
    if (Number.isNaN(this.referenceMs))
      throw new RangeError(`not a date of the form YYYY-MM-DD: ${referenceDate}`);
  }

  /** The day so many days before the reference, as `YYYY-MM-DD`. */
  day(daysBack: number): string {
    return remembered(this.days, daysBack, () =>
      new Date(this.referenceMs - daysBack * DAY_MS).toISOString().slice(0, 10),
    );
  }

  /** Noon of that day, in ISO 8601. */
  time(daysBack: number): string {
    return `${this.day(daysBack)}T12:00:00Z`;
  }

  /** The first day of the month so many months before the reference's. */
  monthsBack(monthsBack: number): string {
    return remembered(this.months, monthsBack, () => {
      const reference = new Date(this.referenceMs);
      return new Date(Date.UTC(reference.getUTCFullYear(), reference.getUTCMonth() - monthsBack, 1))
        .toISOString()
        .slice(0, 10);
    });
  }
}
