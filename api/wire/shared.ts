import { z } from 'zod';
import { API_VERSIONS, SCOPES } from '../../models/access/api-key';
import { MODULES, SORTS } from '../../models/catalog/catalog-query';
import { REGIONS } from '../../models/pricing/estimate';
import { WEBHOOK_EVENTS } from '../../models/webhooks/webhook';

/** The named schemas of `/openapi.json`: of what is sent, and of what is answered. */
export const INPUT = z.registry<{ id: string }>();
export const OUTPUT = z.registry<{ id: string }>();

/** A named body; a property that it does not have is refused. */
export const body = <const Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) =>
  z.strictObject(shape).register(INPUT, { id });

export const part = <const Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) =>
  z.object(shape).register(OUTPUT, { id });

const success = z.literal(true).describe('`true` for every success');

export const answer = <const Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) =>
  part(id, { success, ...shape });

/** Values that both have, and that query strings have too. */
export const SHARED = z.registry<{ id: string }>();

function shared<Value extends z.ZodType>(id: string, value: Value): Value {
  for (const registry of [INPUT, OUTPUT, SHARED]) registry.add(value, { id });
  return value;
}
export const includeModule = shared('Include', z.enum(MODULES));
export const apiVersion = shared('ApiVersion', z.enum(API_VERSIONS));
export const market = shared('Market', z.enum(REGIONS));
export const scope = shared('Scope', z.enum(SCOPES));
export const webhookEvent = shared('WebhookEvent', z.enum(WEBHOOK_EVENTS));
export const sort = shared('Sort', z.enum(SORTS));

/** JSON Schema of an object that has all of these; code generators ignore it inside `if`, `else` or `not`. */
export const having = (...names: readonly string[]) => ({
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  required: [...names],
  additionalProperties: true,
});

const isStorable = (text: string): boolean => !/^(0000|[+-])/.test(new Date(text).toJSON() ?? '');

/** A day, and a time, of the years 1 to 9999: others have no form that every store and caller can read. */
export const storableDay = z.iso.date().refine(isStorable, 'is no date');
export const storableTime = z.iso.datetime({ offset: true }).refine(isStorable, 'is no date');

/** Most characters of a text query (contract 5.1). */
const QUERY_LENGTH_MAX = 512;

/** Most values in one list of ids: far more than any page shows, few enough for one statement. */
const VALUES_MAX = 1000;

/** A whole number of any size, from `minimum` on. */
const wholeNumber = (minimum: number) =>
  z.number().refine(Number.isInteger, 'must be a whole number').min(minimum).meta({ type: 'integer' });

export const pageNumber = wholeNumber(0).describe('0-based; a page past the end has no rows');

/** Rows of a page; values above the service's cap are lowered to it. */
export const sizeOfPage = wholeNumber(1).describe('Rows per page; lowered to the maximum, by default 100');

export const searchText = z
  .string()
  .refine((text) => [...text].length <= QUERY_LENGTH_MAX, `must have at most ${QUERY_LENGTH_MAX} characters`)
  .meta({ maxLength: QUERY_LENGTH_MAX });

export const valueList = z.array(z.string()).max(VALUES_MAX);

/** Values in a query string, separated by commas; a repeated parameter continues the list, and a blank one has none. */
export const commaSeparated = z
  .union([z.string(), z.array(z.string())], 'must be a comma-separated list')
  .transform((given) =>
    [given]
      .flat()
      .filter((each) => each.trim() !== '')
      .flatMap((each) => each.split(','))
      .map((each) => each.trim()),
  );

export const digits = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number);
