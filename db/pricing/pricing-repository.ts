import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { PORTS, type PricingRepository } from '../../models/ports';
import type { DataFile } from '../../models/pricing/estimate';
import { type Cell, fileRows } from './data-file-rows';

/** The history of estimates and the listings behind them in PostgreSQL. */
@injectable()
export class PostgresPricingRepository implements PricingRepository {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  fileRows(file: DataFile): AsyncIterable<readonly Cell[]> {
    return fileRows(this.knex, file);
  }
}
