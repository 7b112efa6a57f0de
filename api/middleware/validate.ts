import { z } from 'zod';
import { badRequest } from '../../models/errors';
import type { Middleware } from './call';

/** The input as its schema describes it. @throws AppError 400 that names the parameter at fault, with the schema's reason */
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

/** The path of a parameter; a position at its end is dropped, to name the list and not the value in it. */
function fieldOf(path: readonly PropertyKey[]): string {
  const names = [...path];
  while (names.length > 0 && typeof names.at(-1) === 'number') names.pop();
  return names.map(String).join('.');
}

/** How a list of several values is written in a query string, for anyone who wrote it differently. */
const listHint = (name: string): string => {
  const plain = name.replace(/[[\]].*$/, '');
  return `a list is written "${plain}=a,b".`;
};

/** Refuses (400) an unknown parameter of a query string, and one given twice that is not a list (contract 12.13). */
export function knownParameters({ shape }: z.ZodObject = z.object()): Middleware {
  return ({ query }) => {
    for (const [name, value] of Object.entries(query)) {
      const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (known === undefined) {
        const hint = isBracketed(name) ? `; ${listHint(name)}` : '.';
        throw badRequest(`There is no parameter "${name}"${hint}`, { field: name });
      }
      if (Array.isArray(value) && !isList(known)) {
        throw badRequest(`${name}: is given more than once.`, { field: name });
      }
    }
  };
}

const isList = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodArray ||
  ((schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) &&
    isList(schema.unwrap() as z.ZodType));

/** Refuses (400) names such as `brand[]` where unknown ones are ignored: the answer would lack that filter (contract 8.1). */
export function refuseBrackets(names: readonly string[]): void {
  const name = names.find(isBracketed);
  if (name !== undefined) throw badRequest(`${name}: ${listHint(name)}`, { field: name });
}

const isBracketed = (name: string): boolean => /[[\]]/.test(name);
