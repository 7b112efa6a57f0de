import type { z } from 'zod';
import type { catalogRow, queryAnswer } from '../../../v3/answers';

interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** What is asked and answered, by the name of each example. */
export interface Examples {
  readonly requests?: Readonly<Record<string, Example>>;
  readonly answers: Readonly<Record<string, Example>>;
}

/** An example, with what it shows. */
export const shows = (summary: string, value: unknown): Example => ({ summary, value });

/** One example of an answer, and of the request where that has a body. */
export const one = (summary: string, answer: unknown, request?: unknown): Examples => ({
  ...(request === undefined ? {} : { requests: { one: shows(summary, request) } }),
  answers: { one: shows(summary, answer) },
});

/** The smallest PNG that there is; a photo is longer. */
export const PHOTO =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A grey square of 32 pixels. */
export const LARGER_PHOTO =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAAA1BMVEWAgICQdD0xAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEklEQVQ4y2NgGAWjYBSMAuwAAAQgAAFWu83mAAAAAElFTkSuQmCC';

/** An answer of one page. */
export const catalog = <
  Row extends z.output<typeof catalogRow>,
  Rest extends Partial<z.output<typeof queryAnswer>>,
>(
  data: readonly Row[],
  rest: Rest,
) => ({
  success: true as const,
  results: data.length,
  total_results: data.length,
  page: 0,
  total_pages: data.length === 0 ? 0 : 1,
  credits_used: 1,
  includes: ['taxonomy' as const],
  resolved_taxonomy: { node: 'product', level: 3 },
  ...rest,
  data: [...data],
});
