import { runAsParty } from '../../models/access/fair-budget';

/** Something small, cached by version and read again for any other version or none: never older than the caller's. */
export class VersionedCache<Value> {
  #version: number | string | undefined;
  #value: Promise<Value> | undefined;

  constructor(private readonly read: () => Promise<Value>) {}

  at(version?: number | string | null): Promise<Value> {
    if (this.#value !== undefined && version != null && version === this.#version) return this.#value;
    const value = runAsParty('small tables', this.read);
    if (version == null) return value;
    this.#version = version;
    this.#value = value;
    value.catch(() => {
      if (this.#value === value) this.#value = undefined;
    });
    return value;
  }
}
