import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, IMAGE_FAULTS } from '../../../models/errors';
import { errorAnswer } from '../../wire/answers';
import { INPUT, OUTPUT, part, SHARED } from '../../wire/shared';
import { readinessAnswer } from '../health';

type Schemas = Readonly<Record<string, z.ZodType>>;

/** `BadRequest` of `bad_request`, `VisionJobDone` of `vision.job.done`. */
export function capitalized(name: string): string {
  return name.replace(/(?:^|[_.])([a-z])/g, (_part, letter: string) => letter.toUpperCase());
}

const { success, message, request_id, index, field, allowed_taxonomy_nodes } = errorAnswer.shape;

/** The body of a failure, with its extra fields (contract 11.1). */
function failure(name: string, code: ErrorCode, extras: z.core.$ZodLooseShape = {}): z.ZodType {
  const error = z.literal(code).describe('Error code for programs');
  return part(name, { success, error, message, request_id, ...extras });
}

const EXTRAS: Partial<Record<ErrorCode, z.core.$ZodLooseShape>> = {
  bad_request: { field, allowed_taxonomy_nodes, index },
  unprocessable: { reason: z.enum(IMAGE_FAULTS).describe('Why the image cannot be used'), index },
};
for (const code of ERROR_CODES) failure(capitalized(code), code, EXTRAS[code]);
failure('NotReady', 'unavailable', { checks: readinessAnswer.shape.checks });

export const namedSchema = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

export function schemaReference(schema: z.ZodType): { $ref: string } {
  const { id } = INPUT.get(schema) ?? OUTPUT.get(schema) ?? {};
  if (id === undefined) throw new Error('a body or answer of an endpoint has no name');
  return namedSchema(id);
}

/** Every named schema as JSON Schema 2020-12, referring to the others by name. @param records of a catalog, and of their lines */
export const componentSchemas = (records: Schemas): Record<string, object> => ({
  ...jsonSchemas(INPUT, 'input', records),
  ...jsonSchemas(OUTPUT, 'output'),
});

/** The parameters of a query string that a schema reads; lists in them are comma-separated. */
export function queryParameters(schema: z.ZodObject): object[] {
  const described = jsonSchemas(SHARED, 'output', { query: schema })['query']?.properties ?? {};
  return Object.entries(described as Record<string, { description?: string; type?: string }>).map(
    ([name, { description, ...rest }]) => ({
      name,
      in: 'query',
      style: 'form',
      explode: false,
      ...(rest.type === 'array' && { allowEmptyValue: true }),
      schema: rest,
      description,
    }),
  );
}

/** The schemas of a registry, together with others that are registered only for this call. */
function jsonSchemas(registry: typeof INPUT, io: 'input' | 'output', others: Schemas = {}) {
  const uri = (id: string) => namedSchema(id).$ref;
  for (const [id, schema] of Object.entries(others)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri, io, unrepresentable: 'any', override: plain });
  for (const schema of Object.values(others)) registry.remove(schema);
  // A schema within a document needs neither `$schema` nor `$id`.
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _address, ...schema }]) => [name, schema]),
  );
}

/** Removes noise (JavaScript's range of integers, patterns of formats) and constants that break client generators. */
function plain({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['format'] !== undefined) delete jsonSchema['pattern'];
  if (jsonSchema['type'] === 'boolean' || jsonSchema['type'] === 'number') delete jsonSchema['const'];
}
