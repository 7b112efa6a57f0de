import type { Knex } from 'knex';
import { rowsOf, Sql } from '../../db/core/sql';

/** A node of a plan as it was executed. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** A statement, with its parameters and all nodes of its plan. */
export interface Explained {
  readonly statement: string;
  readonly sent: string;
  readonly nodes: readonly PlanNode[];
}

/** The statements that some work takes, each executed once more under EXPLAIN; nodes of `BEGIN` and `COMMIT` are none. */
export async function explainedStatements(knex: Knex, work: () => Promise<unknown>): Promise<Explained[]> {
  const asked: { readonly sql: string; readonly bindings?: Sql['bindings'] }[] = [];
  const listen = (statement: (typeof asked)[number]) => asked.push(statement);
  knex.client.on('query', listen);
  await work().finally(() => knex.client.off('query', listen));
  const explained: Explained[] = [];
  for (const { sql: statement, bindings = [] } of asked) {
    const sent = JSON.stringify(bindings);
    if (/^(BEGIN|COMMIT)\b/.test(statement)) explained.push({ statement, sent, nodes: [] });
    else {
      const plan = new Sql(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement.replace(/\$\d+/g, '?')}`, bindings);
      const [line] = await rowsOf<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(knex, plan);
      explained.push({ statement, sent, nodes: line ? nodesOf(line['QUERY PLAN'][0].Plan) : [] });
    }
  }
  return explained;
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
