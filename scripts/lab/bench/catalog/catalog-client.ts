import { Pool } from 'undici';
import type { CatalogQuery } from '../../../../models/catalog/catalog-query';
import type { Question } from './questions';

/** Asks a running service over connections that stay open, as an API consumer's client would. */
export class CatalogClient {
  private readonly pool: Pool;

  constructor(
    url: string,
    private readonly key: string,
    connections: number,
  ) {
    this.pool = new Pool(url, { connections });
  }

  /** Resolves when the whole answer has arrived; rejects unless it is a 200. */
  async ask(question: Question, pricing: boolean): Promise<void> {
    const includes = pricing ? ['taxonomy', 'pricing'] : ['taxonomy'];
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' };
    const answer = await this.pool.request({ ...requestOf(question, includes), headers });
    const body = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`the catalog answered ${answer.statusCode}: ${body}`);
  }

  /** An answer that asks nobody. */
  async askNothing(): Promise<void> {
    const { body } = await this.pool.request({ method: 'GET', path: '/healthz' });
    await body.dump();
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

function requestOf(question: Question, includes: readonly string[]) {
  if ('item' in question) {
    const id = encodeURIComponent(question.item);
    return { method: 'GET' as const, path: `/v3/catalog/items/${id}?includes=${includes.join(',')}` };
  }
  const [path, body] =
    'suggest' in question
      ? ['/v3/catalog/suggest', { query: question.suggest }]
      : ['/v3/catalog/query', { ...wireForm(question.query), includes }];
  return { method: 'POST' as const, path, body: JSON.stringify(body) };
}

/** The body of `POST /v3/catalog/query` (contract 4.1). */
function wireForm({ text, node, filters, facets, page, cursor, pageSize, sort }: CatalogQuery): object {
  return {
    ...(text === null ? {} : { query: text }),
    taxonomy_node: node,
    filters: filters.map(({ field, include, exclude }) => ({ field, include, exclude })),
    ...(facets && { facets: facets.map(({ field, limit }) => ({ field, limit })) }),
    ...(cursor === undefined ? { page } : { cursor }),
    page_size: pageSize,
    sort,
  };
}
