import { parser as saxParser } from 'sax';
import type { ReadRow } from '../../../models/catalog/tables/product-rows';
import { decodedText, MISSING_BYTES, REPLACEMENT, type TextEncoding } from './decode-text';

const CELL_LENGTH_MAX = 1024 * 1024;
/** Of RSS, and of Atom. */
const ITEMS: ReadonlySet<string> = new Set(['item', 'entry']);
/** `A & B` is read as it stands. */
const BARE_AMPERSAND = /entity|&/i;

/**
 * The items of a product feed in RSS or Atom, some at a time: each element of an item is a cell, without the prefix `g:`.
 * What stands deeper, such as the price of shipping, is not read.
 */
export async function* xmlRows(
  path: string,
  encoding: TextEncoding,
  onBytes: (bytes: number) => void,
): AsyncGenerator<readonly ReadRow[]> {
  const reader = new ItemReader();
  for await (const text of decodedText(path, encoding, onBytes)) yield reader.read(text);
  yield reader.end();
}

class ItemReader {
  readonly #sax = saxParser(true);
  #rows: ReadRow[] = [];
  #line = 0;
  #cells: Map<string, string[]> | null = null;
  #depth = 0;
  #column: string | null = null;
  #text = '';
  #fault: string | null = null;
  /** Between items one fault tells enough. */
  #isToldOutside = false;

  constructor() {
    this.#sax.onopentag = ({ name, attributes }) => this.#open(name, String(attributes['href'] ?? ''));
    this.#sax.onclosetag = () => this.#close();
    this.#sax.ontext = (text) => this.#add(text);
    this.#sax.oncdata = (text) => this.#add(text);
    this.#sax.onerror = ({ message }) => {
      const [reason = ''] = message.split('\n');
      if (!BARE_AMPERSAND.test(reason)) this.#fail(`no well-formed XML: ${reason}`);
      // Else the parser would take nothing more.
      this.#sax.error = null as never;
      this.#sax.resume();
    };
  }

  read(text: string): readonly ReadRow[] {
    this.#sax.write(text);
    return this.#taken();
  }

  end(): readonly ReadRow[] {
    this.#sax.close();
    this.#tellFault();
    return this.#taken();
  }

  #taken(): readonly ReadRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #open(name: string, href: string): void {
    if (this.#cells === null) {
      if (!ITEMS.has(name)) return;
      this.#cells = new Map();
      this.#isToldOutside = false;
      this.#line = this.#sax.line + 1;
      this.#depth = 0;
      return;
    }
    this.#depth += 1;
    if (this.#depth > 1) return;
    this.#column = name.replace(/^g:/, '');
    this.#text = href;
  }

  #close(): void {
    if (this.#cells === null) return;
    if (this.#depth === 0) {
      this.#finish(this.#cells);
      return;
    }
    if (this.#depth === 1 && this.#column !== null) {
      const text = this.#text.trim();
      if (text !== '') this.#cells.set(this.#column, [...(this.#cells.get(this.#column) ?? []), text]);
      this.#column = null;
    }
    this.#depth -= 1;
  }

  #add(text: string): void {
    if (this.#depth !== 1 || this.#column === null) return;
    if (text.includes(REPLACEMENT)) this.#fault ??= MISSING_BYTES;
    this.#text += text;
    if (this.#text.length > CELL_LENGTH_MAX)
      this.#fail(`${this.#column} is longer than ${CELL_LENGTH_MAX} characters`);
  }

  #finish(cells: ReadonlyMap<string, readonly string[]>): void {
    if (this.#fault === null) this.#rows.push({ line: this.#line, cells });
    this.#tellFault();
    this.#cells = null;
  }

  /** Of an item its first fault alone; between items each. */
  #fail(reason: string): void {
    this.#text = '';
    if (this.#cells === null && this.#isToldOutside) return;
    this.#fault ??= reason;
    if (this.#cells !== null) return;
    this.#isToldOutside = true;
    this.#line = this.#sax.line + 1;
    this.#tellFault();
  }

  #tellFault(): void {
    if (this.#fault !== null) this.#rows.push({ line: this.#line, field: 'line', reason: this.#fault });
    this.#fault = null;
  }
}
