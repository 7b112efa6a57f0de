import type { z } from 'zod';
import type {
  accountAnswer,
  feedbackAnswer,
  identifyAnswer,
  queryAnswer,
  suggestAnswer,
} from '../../../v3/answers';
import type { errorAnswer } from '../../../wire/answers';

/** The answers of the API, typed by the schemas that it presents them with. */
type QueryAnswer = z.output<typeof queryAnswer>;
type MatchedRow = z.output<typeof identifyAnswer>['data'][number];
export type Row = QueryAnswer['data'][number] & Partial<Pick<MatchedRow, 'confidence' | 'evidence'>>;
/** The rows of a query, or those that photos show. */
export type CatalogAnswer = Omit<QueryAnswer, 'data' | 'sort_applied'> &
  Partial<Pick<QueryAnswer, 'sort_applied'>> & { readonly data: Row[] };
export type Variant = NonNullable<Row['variants']>[number];
export type Pricing = NonNullable<Variant['pricing']>;
export type MarketEstimate = NonNullable<Pricing['market_estimates']>[number];
export type FileLink = NonNullable<Pricing['pricing_data']>[number];
export type Evidence = NonNullable<Row['evidence']>;
export type AccountAnswer = z.output<typeof accountAnswer>;
export type FeedbackAnswer = z.output<typeof feedbackAnswer>;
export type SuggestAnswer = z.output<typeof suggestAnswer>;
export type Suggestion = SuggestAnswer['data'][number];
export type ErrorAnswer = z.output<typeof errorAnswer>;
