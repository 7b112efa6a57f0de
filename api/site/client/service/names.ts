import type { CatalogAnswer } from './answers';

const names = new Map<string, string>();

/** Learns what the ids of an answer are called, so that a filter out of an address can be shown by name. */
export function rememberNames({ data }: CatalogAnswer): void {
  for (const row of data) {
    names.set(row.id, row.name);
    for (const { id, name } of [...(row.attributes ?? []), ...(row.available_tags ?? [])])
      names.set(id, name);
  }
}

/** What an id is called; as long as nobody said it, the readable part of the id itself. */
export const nameOf = (id: string): string =>
  names.get(id) ?? id.replace(/^[a-z]+[_:]/, '').replaceAll(/[_-]+/g, ' ');
