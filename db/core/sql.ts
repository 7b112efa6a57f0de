import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { ClientBase, QueryResult } from 'pg';
import { databaseFailure } from './postgres-faults';

/** A fragment of a statement with its bindings, made by `sql`; fragments can be nested. */
export class Sql {
  constructor(
    readonly text: string,
    readonly bindings: readonly Knex.RawBinding[] = [],
    /** The name under which it is prepared on each connection. */
    readonly name?: string,
  ) {}
}

/** What a fragment may contain: a value to bind, or another fragment to splice in. */
type Part = Sql | Knex.RawBinding | readonly string[] | readonly number[];

/** `${value}` becomes a parameter, arrays too (`= ANY(${ids}::text[])`); a nested `Sql` is spliced in. No literal question marks. */
export function sql(texts: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  let text = texts[0] ?? '';
  const bindings: Knex.RawBinding[] = [];
  parts.forEach((part, index) => {
    if (part instanceof Sql) {
      text += part.text;
      bindings.push(...part.bindings);
    } else {
      text += '?';
      bindings.push(part as Knex.RawBinding);
    }
    text += texts[index + 1] ?? '';
  });
  return new Sql(text, bindings);
}

const preparedForms = new Map<string, Sql>();

/** Parsed once by each connection, which keeps it: only for a text that is always the same. Name all columns, as a `*` that gains one fails. */
export function prepared({ text, bindings }: Sql): Sql {
  const name = () => `loupe_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  const form = preparedForms.get(text) ?? new Sql(numbered(text), [], name());
  preparedForms.set(text, form);
  return new Sql(form.text, bindings, form.name);
}

/** With its parameters as PostgreSQL names them. */
function numbered(text: string): string {
  let position = 0;
  return text.replaceAll('?', () => `$${++position}`);
}

/** A constant number in the text itself: a cached plan can't take a bound limit into account. */
export const constant = (value: number): Sql => new Sql(String(value));

/** A list of texts for `FROM`, passed as JSON: the planner assumes one size whatever its length, so the plan can be cached. */
export const lines = (texts: readonly string[]): Sql =>
  sql`json_array_elements_text(${JSON.stringify(texts)}::json)`;

export const identifier = (name: string): Sql => new Sql(`"${name.replaceAll('"', '""')}"`);

export function joined(pieces: readonly Sql[], separator: string): Sql {
  return new Sql(
    pieces.map((piece) => piece.text).join(separator),
    pieces.flatMap((piece) => piece.bindings),
  );
}

export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : joined(conditions, ' AND ');

/** As PostgreSQL reads an array; the driver takes several times as long. */
export function arrayLiteral(elements: readonly string[]): string {
  if (elements.length === 0) return '{}';
  // Most need no escaping.
  if (!/["\\]/.test(elements.join(''))) return `{"${elements.join('","')}"}`;
  return `{${elements.map((element) => `"${element.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

const bound = (value: Knex.RawBinding): unknown =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? arrayLiteral(value) : value;

type Ask<Row> = (texts: TemplateStringsArray, ...parts: readonly Part[]) => Promise<Row[]>;

/**
 * Runs a statement and resolves to its rows: rowsOf<Row>(knex)`SELECT …`; `Row` is not checked. It bypasses Knex's query layer,
 * which costs more than most statements, on a connection of its pool.
 * @throws AppError 503 when the database is unavailable, or the driver's error
 */
export function rowsOf<Row>(knex: Knex): Ask<Row>;
export function rowsOf<Row>(knex: Knex, statement: Sql): Promise<Row[]>;
export function rowsOf<Row>(knex: Knex, statement?: Sql): Ask<Row> | Promise<Row[]> {
  if (statement === undefined)
    return (texts, ...parts) => {
      const { text, bindings } = sql(texts, ...parts);
      return rowsOf<Row>(knex, new Sql(text.trimStart(), bindings));
    };
  return withDatabaseErrors(onConnection(knex, (connection) => ask<Row>(knex, connection, statement)));
}

/** Runs `work` in a transaction; errors as in `rowsOf`. Inside, only the transaction may be used. */
export function inTransaction<Result>(
  knex: Knex,
  work: (transaction: Knex) => Promise<Result>,
): Promise<Result> {
  return withDatabaseErrors(knex.transaction(work));
}

/** For work that takes long: statements have no time limit until the transaction ends, or on `onOneConnection` until reset. */
export async function disableTimeout(own: Knex): Promise<void> {
  const { connection } = await own.client.acquireConnection();
  connection.stream.setTimeout(0);
  await rowsOf(own)`SELECT set_config('statement_timeout', '0', ${own.isTransaction === true})`;
}

/** Runs work on one connection, whose session is then its own: `rowsOf` of what is given goes there. @throws as `rowsOf` */
export function onOneConnection<Result>(
  knex: Knex,
  work: (own: Knex, connection: ClientBase) => Promise<Result>,
): Promise<Result> {
  const running = onConnection(knex, (connection) => {
    const client: unknown = Object.create(knex.client, {
      acquireConnection: { value: async () => connection },
      releaseConnection: { value: async () => undefined },
    });
    return work(Object.create(knex, { client: { value: client } }), connection);
  });
  return withDatabaseErrors(running);
}

async function onConnection<Result>(
  { client }: Knex,
  work: (connection: ClientBase) => Promise<Result>,
): Promise<Result> {
  const connection: ClientBase = await client.acquireConnection();
  try {
    return await work(connection);
  } finally {
    await client.releaseConnection(connection);
  }
}

async function ask<Row>(knex: Knex, connection: ClientBase, { text, bindings, name }: Sql): Promise<Row[]> {
  if (knex.isTransaction && (knex as Knex.Transaction).isCompleted())
    throw new Error(`The transaction is over: ${text}`);
  const query = { sql: name === undefined ? numbered(text) : text, bindings, options: { name } };
  knex.client.emit('query', query);
  try {
    const prepared = { text: query.sql, values: bindings.map(bound), ...(name !== undefined && { name }) };
    // By a callback: V8 (11.3, in Node 20) takes the rows of the driver's own promise for long-lived, which makes garbage expensive.
    const { rows } = await new Promise<QueryResult>((resolve, reject) =>
      connection.query(prepared, (error, result) => (error ? reject(error) : resolve(result))),
    );
    knex.client.emit('query-response', rows, query);
    return rows;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Without the values, which may be private. The stack of a callback leads to a socket.
    error.message = `${text} - ${error.message}`;
    Error.captureStackTrace(error);
    throw error;
  }
}

/** Resolves as `answer` does; errors as in `rowsOf`. */
export async function withDatabaseErrors<Result>(answer: PromiseLike<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    throw databaseFailure(error);
  }
}
