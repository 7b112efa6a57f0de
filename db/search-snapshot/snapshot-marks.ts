/** Places that one bitmap tells about (see the migration of search snapshots). */
export const CHUNK = 32_768;

/** Letters of the beginnings under which rare words are gathered. */
export const RARE_BEGINNING_MAX = 3;

/** The mark of the products of a category. */
export const categoryMark = (category: string): string => `@${category}`;

/** The mark of the products that have a rare word which begins so. */
export const rareBeginningMark = (beginning: string): string => `${beginning}*`;
