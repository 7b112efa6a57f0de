import { memo } from './memo';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days counted back from a fixed one: the generator has no clock, so that the same seed gives the same bytes. */
export class Calendar {
  private readonly reference: Date;

  /** The day that everything happens before, as `YYYY-MM-DD`; anything else throws. */
  constructor(referenceDate: string) {
    this.reference = new Date(`${referenceDate}T12:00:00Z`);
    if (Number.isNaN(this.reference.getTime()))
      throw new RangeError(`not a date of the form YYYY-MM-DD: ${referenceDate}`);
  }

  /** The day so many days before the reference, as `YYYY-MM-DD`. */
  readonly day = memo((daysBack) => dayOf(this.reference.getTime() - daysBack * DAY_MS));

  /** The first day of the month so many months before the reference's. */
  readonly monthsBack = memo((months) =>
    dayOf(Date.UTC(this.reference.getUTCFullYear(), this.reference.getUTCMonth() - months, 1)),
  );

  /** Noon of that day, in ISO 8601. */
  time(daysBack: number): string {
    return `${this.day(daysBack)}T12:00:00Z`;
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
