import { z } from 'zod';
import type { Deletion, ReadRecords, RecordKind } from '../../models/catalog/import/records';
import { WHOLE_LINE } from '../../models/catalog/import/stage';
import type { ReadLine } from '../../models/ports';
import type { Line } from './read-lines';
import {
  categorySchema,
  entityDeletion,
  entitySchema,
  estimateSchema,
  historySchema,
  listingSchema,
  productDeletion,
  productSchema,
  synonymDeletion,
  synonymSchema,
  tagSchema,
} from './record-schemas';

const FIELD_NAME = /^[\w-]+$/;

/** A record, or the reason why the line is none, with the field that it is about. */
export type Parsed<Record> =
  | { readonly record: Record }
  | { readonly field: string; readonly reason: string };

/** How the JSON value of a record becomes one, by its kind. */
export type RecordParsers = {
  readonly [Kind in RecordKind]: (value: unknown) => Parsed<ReadRecords[Kind]>;
};

/** @param now stands in for the time of estimates that name none */
export function recordParsers(now: Date): RecordParsers {
  const estimates = estimateSchema(now);
  return {
    categories: (value) => parseRecord(value, categorySchema),
    tags: (value) => parseRecord(value, tagSchema),
    synonyms: (value) => parseDeletable(value, synonymSchema, synonymDeletion),
    entities: (value) => parseDeletable(value, entitySchema, entityDeletion),
    products: (value) => parseDeletable(value, productSchema, productDeletion),
    estimates: (value) => parseRecord(value, estimates),
    history: (value) => parseRecord(value, historySchema),
    listings: (value) => parseRecord(value, listingSchema),
  };
}

/** A line of a bundle as an import takes it. */
export function readLine<Record>(line: Line, parse: (value: unknown) => Parsed<Record>): ReadLine<Record> {
  if ('fault' in line) return { line: line.number, field: WHOLE_LINE, reason: line.fault };
  return parsedLine(line, parseLine(line.text, parse));
}

/** What `parse` makes of the JSON of a line. */
export function parseLine<Result>(
  line: string,
  parse: (value: unknown) => Result,
): Result | { readonly field: string; readonly reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { field: WHOLE_LINE, reason: 'not JSON' };
  }
  return parse(value);
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

/** The record that a value is; of several faults an unknown field is told, else the first. */
export function parseRecord<Record>(value: unknown, schema: z.ZodType<Record>): Parsed<Record> {
  const result = schema.safeParse(value, { error: wordsOfIssue });
  if (result.success) return { record: result.data };
  const { issues } = result.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const field = issue && pathOf(issue).map(String).join('.');
  return { field: field || WHOLE_LINE, reason: issue?.message ?? 'is not valid' };
}

/** The record of a value that may also take it out. */
export function parseDeletable<Record>(
  value: unknown,
  schema: z.ZodType<Record>,
  deletion: z.ZodType<Deletion>,
): Parsed<Record | Deletion> {
  const isDeleted = value instanceof Object && 'deleted' in value && value.deleted === true;
  return isDeleted ? parseRecord(value, deletion) : parseRecord(value, schema);
}

/** A key that may hold anything is told in the reason alone. */
function pathOf(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  if (issue.code === 'unrecognized_keys') {
    return [...issue.path, ...issue.keys.slice(0, 1).filter((key) => FIELD_NAME.test(key))];
  }
  return issue.code === 'invalid_key' ? issue.path.slice(0, -1) : issue.path;
}

/** In the words of a report: a key is told in the reason, since it may be no name of a field; undefined leaves zod's own. */
function wordsOfIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined ? 'is required' : `is no ${issue.expected}`;
  }
  if (issue.code === 'invalid_key')
    return `the key ${JSON.stringify(issue.input)} ${issue.issues[0]?.message}`;
  if (issue.code === 'unrecognized_keys')
    return `${JSON.stringify(issue.keys[0])} is no field of this record`;
  if (issue.code === 'too_big' && issue.origin === 'string') {
    return `is longer than ${issue.maximum} characters`;
  }
  return undefined;
}
