import type { z } from 'zod';
import { badRequest } from '../../models/errors';

/**
 * The input as its schema describes it.
 *
 * @throws AppError 400 that names the parameter at fault, with the schema's reason
 */
export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (!issue) throw badRequest('The request is malformed.');
  if (issue.code === 'unrecognized_keys') {
    const field = fieldOf([...issue.path, issue.keys[0] ?? '']);
    throw badRequest(`There is no parameter "${field}".`, { field });
  }
  const field = fieldOf(issue.path);
  throw badRequest(`${field}: ${issue.message.replace(/^Invalid input: /, '')}.`, { field });
}

/** The path of a parameter; a position at its end names the list, not the value in it. */
function fieldOf(path: readonly PropertyKey[]): string {
  const names = [...path];
  while (names.length > 0 && typeof names.at(-1) === 'number') names.pop();
  return names.map(String).join('.');
}
