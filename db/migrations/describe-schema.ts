import type { Knex } from 'knex';
import { rowsOf, sql } from '../core/sql';

const HEADER = '-- Written by `npm run db:schema` from the migrations; a test holds it to them.';

/** Our own tables: not those of the migrator and extensions, nor of vectors, which come with their version. */
const OWN_TABLES = sql`c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
  AND c.relname NOT LIKE 'schema_migrations%' AND c.relname !~ '^embeddings_[0-9]+$'`;

/** All constraints come after the columns: engines order those beside a column differently. */
const TABLE = sql`concat('-- ' || replace(obj_description(c.oid), '\n', '\n-- ') || '\n',
  'CREATE ', CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' END, 'TABLE ', c.relname, ' (\n  ', array_to_string(ARRAY(
    SELECT concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
      'COLLATE ' || (SELECT quote_ident(collname) FROM pg_collation
        WHERE oid = a.attcollation AND collname <> 'default'),
      CASE WHEN a.attnotnull THEN 'NOT NULL' END,
      'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid, true),
      CASE a.attidentity WHEN 'a' THEN 'GENERATED ALWAYS AS IDENTITY' END)
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
  ) || ARRAY(
    SELECT pg_get_constraintdef(oid, true) FROM pg_constraint
    WHERE conrelid = c.oid AND contype IN ('p', 'u', 'f', 'c')
    ORDER BY array_position(ARRAY['p', 'u', 'f', 'c'], contype::text), conname
  ), ',\n  '), '\n)', ' WITH (' || array_to_string(c.reloptions, ', ') || ')', array_to_string(ARRAY(
    SELECT format(';\nALTER TABLE %I ALTER COLUMN %I SET STORAGE EXTERNAL', c.relname, a.attname)
    FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attstorage = 'e' ORDER BY a.attnum
  ) || ARRAY(
    SELECT ';\n' || pg_get_indexdef(i.indexrelid, 0, true) FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
    WHERE i.indrelid = c.oid AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND contype <> 'f')
    ORDER BY x.relname
  ), ''))`;

/** The schema as SQL that makes it, the same on every engine; tables in the order in which they were made. */
export async function describeSchema(knex: Knex): Promise<string> {
  const statements = await rowsOf<{ text: string }>(knex)`
    SELECT format('CREATE EXTENSION %I', extname) AS text, 1 AS part, 0::oid AS place, extname AS name
    FROM pg_extension WHERE extname <> 'plpgsql'
    UNION ALL
    SELECT ${TABLE}, 2, c.oid, '' FROM pg_class c WHERE ${OWN_TABLES}
    UNION ALL
    SELECT rtrim(regexp_replace(pg_get_functiondef(p.oid), '^(CREATE OR REPLACE FUNCTION )\\w+\\.', '\\1'), '\n'),
      3, 0, p.proname
    FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
    UNION ALL
    SELECT pg_get_triggerdef(t.oid, true), 4, c.oid, t.tgname
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal AND ${OWN_TABLES}
    ORDER BY part, place, name`;
  return [HEADER, ...statements.map(({ text }) => `${text};`)].join('\n\n').concat('\n');
}
