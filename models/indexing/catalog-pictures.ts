import { inject, injectable } from 'tsyringe';
import { type ImageSource, type ImageStore, PORTS } from '../ports';

/** The catalog's pictures, ours and those that lie elsewhere. */
@injectable()
export class CatalogPictures {
  constructor(
    @inject(PORTS.ImageStore) private readonly store: ImageStore,
    @inject(PORTS.ImageSource) private readonly source: ImageSource,
  ) {}

  /** Null for a picture that is gone. */
  async bytes(address: string): Promise<Buffer | null> {
    if (address.startsWith('/')) return this.store.get(address);
    return URL.canParse(address) ? this.source.fetch(new URL(address)).catch(() => null) : null;
  }
}
