import { workFor } from '../../models/access/current-party';

/** A small table, cached by version and read again for any other version or none: never older than the caller's. */
export class VersionedCache<Value> {
  #version: number | undefined;
  #value: Promise<Value> | undefined;

  constructor(private readonly read: () => Promise<Value>) {}

  at(version?: number): Promise<Value> {
    if (this.#value !== undefined && version !== undefined && version === this.#version) return this.#value;
    const value = workFor('vocabulary', this.read);
    if (version === undefined) return value;
    this.#version = version;
    this.#value = value;
    value.catch(() => {
      if (this.#value === value) this.#value = undefined;
    });
    return value;
  }
}
