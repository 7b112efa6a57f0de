import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { PORTS, type StoredImage, type StoredImageIndex } from '../../models/ports';
import { UNOWNED_IMAGES_ALONE } from '../core/housekeeping-store';
import { inTransaction, rowsOf } from '../core/sql';

@injectable()
export class PostgresStoredImageIndex implements StoredImageIndex {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  async find(digests: readonly string[]): Promise<ReadonlyMap<string, StoredImage>> {
    const rows = await rowsOf<StoredImage & { digest: string }>(this.knex)`
      SELECT digest, address, thumbnail FROM catalog_stored_images WHERE digest = ANY(${digests}::text[])`;
    return new Map(rows.map(({ digest, address, thumbnail }) => [digest, { address, thumbnail }]));
  }

  async remember(digest: string, { address, thumbnail }: StoredImage): Promise<void> {
    await this.knex('catalog_stored_images')
      .insert({ digest, address, thumbnail })
      .onConflict('digest')
      .merge();
  }

  /** Housekeeping removes entries that have been in this table for long, and holds the lock meanwhile. */
  async keep(addresses: readonly string[]): Promise<void> {
    await inTransaction(this.knex, async (trx) => {
      await rowsOf(trx, UNOWNED_IMAGES_ALONE);
      await rowsOf(trx)`DELETE FROM unowned_images WHERE address = ANY(${addresses}::text[])`;
    });
  }
}
