import { z } from 'zod';
import { Taxonomy } from '../../../models/catalog/taxonomy';
import { legacyAnswer, legacyMatch, legacyRow, legacyVisionAnswer } from '../../legacy/answers';
import { commaSeparated, legacyIdentifyBody, legacyQuery } from '../../legacy/schema';
import { catalogAnswer, catalogRow } from '../../v3/answers';
import { catalogQueryBody, identifyBody } from '../../v3/schema';
import { attribute, errorAnswer, marketEstimate, tag } from '../../wire/answers';

/** Facets that the named categories have, to include and to exclude; others may bring more (interface.md 4.5). */
const facets = Object.fromEntries(
  new Taxonomy([]).facetFields().flatMap((field) => [
    [field, commaSeparated.optional().describe('Ids; the row has at least one')],
    [`exclude_${field}`, commaSeparated.optional().describe('Ids; the row has none')],
  ]),
);
const legacyQueryWithFacets = legacyQuery.extend({
  ...facets,
  exclude_category: commaSeparated.optional().describe('Names or ids of categories'),
});

/** The schemas that bodies are validated with and answers are typed by, under their names in the reference. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  CatalogQuery: catalogQueryBody,
  IdentifyRequest: identifyBody,
  LegacyQuery: legacyQueryWithFacets.catchall(z.unknown()),
  LegacyIdentifyRequest: legacyIdentifyBody,
  CatalogAnswer: catalogAnswer,
  CatalogRow: catalogRow,
  LegacyAnswer: legacyAnswer,
  LegacyRow: legacyRow,
  LegacyVisionAnswer: legacyVisionAnswer,
  LegacyMatch: legacyMatch,
  Attribute: attribute,
  Tag: tag,
  MarketEstimate: marketEstimate,
  Error: errorAnswer,
};

export const schemaReference = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** Every named schema as JSON Schema 2020-12, referring to the others by name. */
export function componentSchemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => schemaReference(id).$ref, io: 'input' });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutHead(schema)]));
}

/** The JSON Schema of each parameter of the v1 query string, where lists are comma-separated. */
export function legacyParameters(): Record<string, object> {
  return z.toJSONSchema(legacyQueryWithFacets, { io: 'output' }).properties as Record<string, object>;
}

/** A schema inside a document needs neither its dialect nor an address of its own. */
function withoutHead({ $schema: _dialect, $id: _address, ...schema }: Record<string, unknown>): object {
  return schema;
}
