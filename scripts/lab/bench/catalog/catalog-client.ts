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
    const authorization = `Bearer ${this.key}`;
    const answer = await ('item' in question
      ? this.pool.request({
          method: 'GET',
          path: `/v3/catalog/items/${encodeURIComponent(question.item)}?includes=${includes.join(',')}`,
          headers: { authorization },
        })
      : this.pool.request({
          method: 'POST',
          path: '/v3/catalog/query',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({ ...wireForm(question.query), includes }),
        }));
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

/** The body of `POST /v3/catalog/query` (contract 4.1). */
function wireForm({ text, node, filters, page, pageSize, sort }: CatalogQuery): object {
  return {
    ...(text === null ? {} : { query: text }),
    taxonomy_node: node,
    filters: filters.map(({ field, include, exclude }) => ({ field, include, exclude })),
    page,
    page_size: pageSize,
    sort,
  };
}
