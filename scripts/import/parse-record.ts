import { z } from 'zod';
import type { Deletion, ReadRecords, RecordKind } from '../../models/catalog/import/records';
import { WHOLE_LINE } from '../../models/catalog/import/stage';
import type { ReadLine } from '../../models/ports';
import { categorySchema, deletionSchema, entitySchema, productSchema, tagSchema } from './catalog-records';
import { plainEstimate, plainProduct } from './plain-records';
import { estimateSchema, historySchema, listingSchema } from './price-records';
import type { Line } from './read-lines';
import { synonymSchema } from './synonym-records';

/** A record, or the reason why the line is none, with the field that it is about. */
export type Parsed<Record> =
  | { readonly record: Record }
  | { readonly field: string; readonly reason: string };

/** Finds the record in the value of a line that is plainly one, as the schema would; null leaves it to the schema. */
type PlainReader<Record> = (value: unknown, line: string) => Record | null;

/** How the JSON value of a record becomes one, by its kind; `line` is the text that it stands in. */
export type RecordParsers = {
  readonly [Kind in RecordKind]: (value: unknown, line: string) => Parsed<ReadRecords[Kind]>;
};

/** @param now stands in for the time of estimates that name none */
export function recordParsers(now: Date): RecordParsers {
  const estimates = estimateSchema(now);
  return {
    categories: (value, line) => parseRecord(value, line, categorySchema),
    tags: (value, line) => parseRecord(value, line, tagSchema),
    synonyms: (value, line) => parseDeletable(value, line, synonymSchema),
    entities: (value, line) => parseDeletable(value, line, entitySchema),
    products: (value, line) => parseDeletable(value, line, productSchema, plainProduct),
    estimates: (value, line) => parseRecord(value, line, estimates, plainEstimate),
    history: (value, line) => parseRecord(value, line, historySchema),
    listings: (value, line) => parseRecord(value, line, listingSchema),
  };
}

/** A line of a bundle as an import takes it. */
export function readLine<Record>(
  line: Line,
  parse: (value: unknown, line: string) => Parsed<Record>,
): ReadLine<Record> {
  if ('fault' in line) return { line: line.number, field: WHOLE_LINE, reason: line.fault };
  return parsedLine(line, parseLine(line.text, parse));
}

/** What `parse` makes of the JSON of a line. */
export function parseLine<Result>(
  line: string,
  parse: (value: unknown, line: string) => Result,
): Result | { readonly field: string; readonly reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { field: WHOLE_LINE, reason: 'not JSON' };
  }
  return parse(value, line);
}

/** The line with what was parsed of its text, as an import takes it. */
export function parsedLine<Record>(
  { number, text }: { readonly number: number; readonly text: string },
  parsed: Parsed<Record>,
): ReadLine<Record> {
  return 'reason' in parsed
    ? { line: number, ...parsed }
    : { line: number, bytes: text.length, record: parsed.record };
}

/** The record of a line; of several faults the first is told. `plain` may spare the schema its work. */
export function parseRecord<Record>(
  value: unknown,
  line: string,
  schema: z.ZodType<Record>,
  plain?: PlainReader<Record>,
): Parsed<Record> {
  if (line.includes(PROTOTYPE) || line.includes(ESCAPE)) {
    const owner = ownerOfPrototype(value);
    if (owner !== null) return { field: owner, reason: `the key "${PROTOTYPE}" can not be used` };
  }
  const record = plain?.(value, line) ?? null;
  return record === null ? check(value, schema) : { record };
}

/** The record of a line that may also be `{"id":"…","deleted":true}`. */
export function parseDeletable<Record>(
  value: unknown,
  line: string,
  schema: z.ZodType<Record>,
  plain?: PlainReader<Record>,
): Parsed<Record | Deletion> {
  const isDeletion = value instanceof Object && 'deleted' in value && value.deleted === true;
  return isDeletion ? parseRecord(value, line, deletionSchema) : parseRecord(value, line, schema, plain);
}

function check<Record>(value: unknown, schema: z.ZodType<Record>): Parsed<Record> {
  const result = schema.safeParse(value, { error: wordsOfIssue });
  if (result.success) return { record: result.data };
  const [issue] = result.error.issues;
  const path = issue?.code === 'invalid_key' ? issue.path.slice(0, -1) : issue?.path;
  const field = path?.map(String).join('.');
  return { field: field || WHOLE_LINE, reason: issue?.message ?? 'is not valid' };
}

/** In the words of a report: a key is told in the reason, since it may be no name of a field; undefined leaves zod's own. */
function wordsOfIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined ? 'is required' : `is no ${issue.expected}`;
  }
  if (issue.code === 'invalid_key')
    return `the key ${JSON.stringify(issue.input)} ${issue.issues[0]?.message}`;
  if (issue.code === 'too_big' && issue.origin === 'string') {
    return `is longer than ${issue.maximum} characters`;
  }
  return undefined;
}

/** A key that schemas pass over in silence. */
const PROTOTYPE = '__proto__';
/** It can be written with escapes. */
const ESCAPE = '\\u';

/** The path of an object that has the key; null when none has. */
function ownerOfPrototype(value: unknown): string | null {
  const pending: [path: string, value: unknown][] = [['', value]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [path, owner] = next;
    if (!(owner instanceof Object)) continue;
    if (Object.hasOwn(owner, PROTOTYPE)) return path || WHOLE_LINE;
    for (const [key, each] of Object.entries(owner)) pending.push([path ? `${path}.${key}` : key, each]);
  }
  return null;
}
