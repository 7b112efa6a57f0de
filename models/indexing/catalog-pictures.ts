import { inject, injectable } from 'tsyringe';
import { type ImagePreparer, type ImageSource, type ImageStore, PORTS } from '../ports';

/** The catalog's pictures, ours and those that lie elsewhere. */
@injectable()
export class CatalogPictures {
  constructor(
    @inject(PORTS.ImageStore) private readonly store: ImageStore,
    @inject(PORTS.ImageSource) private readonly source: ImageSource,
    @inject(PORTS.ImagePreparer) private readonly preparer: ImagePreparer,
  ) {}

  /** Null for a picture that is gone. */
  async bytes(address: string): Promise<Buffer | null> {
    if (address.startsWith('/')) return this.store.get(address);
    return URL.canParse(address) ? this.source.fetch(new URL(address)).catch(() => null) : null;
  }

  /** A small JPEG, longest side in pixels; null for a picture that is gone or broken. */
  async thumbnail(address: string, side: number): Promise<Buffer | null> {
    const bytes = await this.bytes(address);
    return bytes && this.preparer.thumbnail(bytes, side).catch(() => null);
  }
}
