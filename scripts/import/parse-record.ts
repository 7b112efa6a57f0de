import type { z } from 'zod';
import type { ReadRecords, RecordKind } from '../../models/catalog/import/records';
import { WHOLE_LINE } from '../../models/catalog/import/stage';
import type { ReadLine } from '../../models/ports';
import { recordSchemas } from './record-schemas';

export type Parsed<Record> =
  | { readonly record: Record }
  | { readonly field: string; readonly reason: string };

export type Parse<Record> = (value: unknown) => Parsed<Record>;
export type RecordParsers = { readonly [Kind in RecordKind]: Parse<ReadRecords[Kind]> };

/** @param now stands in for the time of estimates that name none */
export function recordParsers(now: Date): RecordParsers {
  const schemas = recordSchemas(now);
  return {
    categories: parserOf(schemas.CategoryRecord),
    tags: parserOf(schemas.TagRecord),
    synonyms: parserOf<ReadRecords['synonyms']>(schemas.SynonymRecord, schemas.SynonymDeletion),
    entities: parserOf<ReadRecords['entities']>(schemas.EntityRecord, schemas.EntityDeletion),
    products: parserOf<ReadRecords['products']>(schemas.ProductRecord, schemas.ProductDeletion),
    estimates: parserOf(schemas.EstimateRecord),
    history: parserOf(schemas.HistoryRecord),
    listings: parserOf(schemas.ListingRecord),
  };
}

/** Reports one fault: an unknown field if there is one, else the first. */
function parserOf<Record>(schema: z.ZodType<Record>, deletion = schema): Parse<Record> {
  return (value) => {
    const isDeleted = value instanceof Object && 'deleted' in value && value.deleted === true;
    const result = (isDeleted ? deletion : schema).safeParse(value, { error: wordsOfIssue });
    if (result.success) return { record: result.data };
    const { issues } = result.error;
    const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
    const field = issue && pathOf(issue).map(String).join('.');
    return { field: field || WHOLE_LINE, reason: issue?.message ?? 'is not valid' };
  };
}

export const parsedLine = <Record>(line: ReadLine<unknown>, parse: Parse<Record>): ReadLine<Record> =>
  'reason' in line ? line : { line: line.line, bytes: line.bytes, ...parse(line.record) };

const FIELD_NAME = /^[\w-]+$/;

/** The path of a fault. A key that is not a plain name is only in the reason. */
function pathOf(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  if (issue.code === 'unrecognized_keys') {
    return [...issue.path, ...issue.keys.slice(0, 1).filter((key) => FIELD_NAME.test(key))];
  }
  return issue.code === 'invalid_key' ? issue.path.slice(0, -1) : issue.path;
}

/** The reason as reports word it; undefined keeps zod's own. */
function wordsOfIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is required' : `is no ${issue.expected}`;
  if (issue.code === 'invalid_key')
    return `the key ${JSON.stringify(issue.input)} ${issue.issues[0]?.message}`;
  if (issue.code === 'unrecognized_keys')
    return `${JSON.stringify(issue.keys[0])} is no field of this record`;
  if (issue.code === 'too_big' && issue.origin === 'string')
    return `is longer than ${issue.maximum} characters`;
  return undefined;
}
