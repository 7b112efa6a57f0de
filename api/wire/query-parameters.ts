import { z } from 'zod';

/** Characters of a text query at most (contract 5.1). */
const QUERY_LENGTH_MAX = 512;

/** Values in one list of ids at most: far more than any page shows, few enough for one statement. */
const VALUES_MAX = 1000;

/** A whole number of any size, from `minimum` on. */
const wholeNumber = (minimum: number) =>
  z
    .number()
    .refine(Number.isInteger, 'must be a whole number')
    .min(minimum, `must be at least ${minimum}`)
    .meta({ type: 'integer' });

/** 0-based index of a page. */
export const pageNumber = wholeNumber(0).describe('0-based; past the end there are no rows');

/** Rows of a page; more than the cap of the service is lowered to it. */
export const sizeOfPage = wholeNumber(1).describe('Lowered to the cap of the service, 100 by default');

/** Free text of a search. */
export const searchText = z
  .string()
  .refine((text) => [...text].length <= QUERY_LENGTH_MAX, `must have at most ${QUERY_LENGTH_MAX} characters`)
  .meta({ maxLength: QUERY_LENGTH_MAX });

/** Ids of one filter. */
export const listOfValues = z.array(z.string()).max(VALUES_MAX);
