import { Random, shuffled } from '../../../../models/random';
import { type Change, productId } from './living-catalog';
import type { World } from './world';

/** Of the products of a call, so many are deleted in place of being written. */
const DELETED = 0.05;
/** One call in so many also renames a brand. */
const RENAMED_EVERY = 6;
/** After one call in so many another product is deleted by a call of its own. */
const REMOVED_EVERY = 5;

interface RecordsAnswer {
  readonly data: readonly { readonly line: number; readonly status: string; readonly reason?: string }[];
}

/** Callers that write the catalog over HTTP, all of them the same products. */
export class Writers {
  #calls = 0;

  constructor(
    private readonly world: World,
    private readonly seed: number,
  ) {}

  /** A call with so many products, and what else comes now and then. Resolves to how many records were accepted. */
  async write(products: number): Promise<number> {
    const { catalog } = this.world;
    const call = this.#calls++;
    const random = new Random(this.seed, 'call', call);
    const chosen = shuffled(
      Array.from({ length: catalog.size }, (_, product) => product),
      this.seed,
      'products',
      call,
    ).slice(0, products);
    const changes = chosen.flatMap((product) =>
      random.chance(DELETED)
        ? [catalog.deletion(product)]
        : catalog.product(product, this.world.nextVersion(), 'address'),
    );
    if (call % RENAMED_EVERY === 0) {
      changes.push(catalog.brand(random.integer(0, catalog.shelves - 1), this.world.nextVersion()));
    }
    const accepted = await writeRecords(this.world, changes);
    if (call % REMOVED_EVERY === 0) await this.#remove(random.integer(0, catalog.size - 1));
    return accepted;
  }

  async #remove(product: number): Promise<void> {
    const { client, checker } = this.world;
    const id = productId(product);
    const answer = await client.send('delete', 'DELETE', `/v3/catalog/records/${id}`);
    if (answer.status === 404) checker.missed(answer, id);
    else checker.wrote(this.world.catalog.deletion(product), outcomeOf(answer));
  }
}

/** Writes records in one call; how many of them were accepted. */
export async function writeRecords({ client, checker }: World, changes: readonly Change[]): Promise<number> {
  const lines = changes.map(({ file, record }) => ({ [file]: record }));
  const answer = await client.send<RecordsAnswer>('write', 'PUT', '/v3/catalog/records', { lines });
  const outcomes = new Map(answer.body?.data.map((outcome) => [outcome.line, outcome]));
  let accepted = 0;
  for (const [position, change] of changes.entries()) {
    const outcome = outcomes.get(position + 1);
    if (outcome?.status === 'rejected') checker.refused(change, outcome.reason ?? '');
    else checker.wrote(change, outcomeOf(answer));
    if (outcome?.status === 'accepted') accepted += 1;
  }
  return accepted;
}

/** What was not answered with a success may have been done, or may still be. */
const outcomeOf = ({ status, from, until }: { status: number; from: number; until: number }) =>
  status === 200 ? { from, until } : { from, until: Number.POSITIVE_INFINITY };
