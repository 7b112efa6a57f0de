import { z } from 'zod';
import { badRequest } from '../../models/errors';
import { firstIssue, limitReason } from '../schema-issues';
import type { Middleware } from './call';

/** The input as its schema describes it. @throws AppError 400 that names the parameter at fault, with the schema's reason */
export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, { error: reasonOf });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const issue =
    issues.find(({ code, path }) => code === 'unrecognized_keys' && path.length === 0) ?? firstIssue(issues);
  if (!issue) throw badRequest('The request is malformed.');
  if (issue.code === 'unrecognized_keys') {
    const field = fieldOf([...issue.path, issue.keys[0] ?? '']);
    const hint = isBracketed(field) ? `; ${listHint(field)}` : '.';
    throw badRequest(`There is no parameter "${field}"${hint}`, { field, ...photoAt(issue.path) });
  }
  const field = fieldOf(issue.path);
  const part = issue.code === 'invalid_type' ? issue.path.map(String).join('.') : field;
  const message = `${part}: ${issue.message.replace(/^Invalid input: /, '')}.`;
  throw badRequest(message, { field, ...photoAt(issue.path) });
}

/** The position of a photo in its list (contract 7.14). */
function photoAt(path: readonly PropertyKey[]) {
  const index = path[path.indexOf('images') + 1];
  return path.includes('images') && typeof index === 'number' ? { index } : {};
}

function reasonOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return limitReason(issue);
  if (issue.input === undefined) return 'is required';
  if (issue.expected === 'string' && Array.isArray(issue.input)) return 'must be one text';
  return issue.expected === 'int' ? 'must be a whole number' : undefined;
}

/** The path of a parameter; a position at its end is dropped, to name the list and not the value in it. */
function fieldOf(path: readonly PropertyKey[]): string {
  const names = [...path];
  while (names.length > 0 && typeof names.at(-1) === 'number') names.pop();
  return names.map(String).join('.');
}

/** Refuses (400) any parameter of a query string (contract 12.13); endpoints with parameters validate theirs. */
export const refuseParameters: Middleware = ({ query }) => void validate(NO_PARAMETERS, query);
const NO_PARAMETERS = z.strictObject({});

/** Refuses (400) names such as `brand[]` where unknown ones are ignored: the answer would lack that filter (contract 8.1). */
export function refuseBrackets(names: readonly string[]): void {
  const name = names.find(isBracketed);
  if (name !== undefined) throw badRequest(`${name}: ${listHint(name)}`, { field: name });
}

const isBracketed = (name: string): boolean => /[[\]]/.test(name);

/** How a list of several values is written in a query string, for anyone who wrote it differently. */
const listHint = (name: string): string => `a list is written "${name.replace(/[[\]].*$/, '')}=a,b".`;
