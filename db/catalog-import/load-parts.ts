import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import { refusedValue } from './data-refusal';
import type { ImportLock } from './import-lock';
import type { Load } from './import-target';

/** A load, and what it writes in two parts of one transaction. */
export interface LoadParts<Record> extends Omit<Load<Record>, 'write'> {
  /**
   * The part that can't wait for another load. Resolves to the positions of records that were left out.
   *
   * @throws DatabaseError for a key that is there
   */
  copy(trx: Knex): Promise<readonly number[]>;
  /** The part that could. */
  finish(trx: Knex): Promise<void>;
}

/** What a load needs of the import that it belongs to. */
export interface LoadSurroundings {
  readonly lock: ImportLock;
  /** To be called when a transaction was taken back. */
  readonly forget: () => void;
}

/**
 * A load whose second part is written when it is its turn. So two can be written at the same time without waiting for
 * each other in the database, and are there one after the other.
 */
export function loadOf<Record>(parts: LoadParts<Record>, { lock, forget }: LoadSurroundings): Load<Record> {
  return {
    get bytes() {
      return parts.bytes;
    },
    prepare: async (records) => await parts.prepare?.(records),
    add: (record) => parts.add(record),
    async write(turn) {
      try {
        return await lock.sharedTransaction(async (trx) => {
          // What its migration says of this setting is kept by the parts.
          await rowsOf(trx, sql`SELECT set_config('loupe.bulk_load', 'on', true)`);
          const left = await parts.copy(trx);
          if (!(await turn)) throw new TurnMissed();
          await parts.finish(trx);
          return left;
        });
      } catch (failure) {
        forget();
        if (failure instanceof TurnMissed || refusedValue(failure) !== null) return null;
        throw failure;
      }
    },
  };
}

class TurnMissed extends Error {}
