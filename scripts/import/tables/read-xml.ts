import { parser as saxParser } from 'sax';
import { fieldOf, KEY_FIELDS } from '../../../models/catalog/tables/columns';
import type { ReadRow } from '../../../models/catalog/tables/table-rows';
import { addTo } from '../../../models/multimap';
import { decodedText, MISSING_BYTES, REPLACEMENT } from './decode-text';

const CELL_LENGTH_MAX = 1024 * 1024;
const isItem = (name: string): boolean => /^(?:item|entry|product)$/i.test(name);
const isKey = (name: string): boolean => KEY_FIELDS.some((field) => field === fieldOf(name));
/** The parser's errors about `A & B`, which is accepted. */
const BARE_AMPERSAND = /entity|&/i;

/** An item that is being read: its elements are its cells. */
interface OpenItem {
  readonly line: number;
  readonly isEntry: boolean;
  readonly isOffer: boolean;
  readonly cells: Map<string, string[]>;
  readonly attributes: Readonly<Record<string, unknown>>;
  fault: string | null;
  depth: number;
  /** Of one that began in another, as in `<product><item><id>`: they are the same if nothing stands before it. */
  inner: 'none' | 'open' | 'over';
  /** The last one that was opened in it. */
  element: string;
  column: string;
  text: string;
}

/** Feeds bind these to any prefix; `g` needs no binding. Elements of Atom are cells only in its own entries. */
const NAMESPACES = /^http:\/\/(?:base\.google\.com\/|www\.w3\.org\/2005\/(Atom)$)/;
/** Links that lead to something other than the page of an entry. */
const OTHER_LINKS = /^(?:self|edit|edit-media|enclosure|related|replies|via|license|hub)$/i;

/**
 * Items of an RSS or Atom feed, or products of another: their elements are cells, without the prefix of these; of deeper
 * elements only addresses of pictures are read (`<images><image>https://…`).
 */
export async function* xmlRows(
  path: string,
  encoding: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<readonly ReadRow[]> {
  const sax = saxParser(true);
  let rows: ReadRow[] = [];
  let item = null as OpenItem | null;
  /** Whether they are of Atom. */
  const prefixes = new Map([['g', false]]);
  // One fault outside of items is enough.
  let isToldOutside = false;

  const fail = (reason: string) => {
    if (item) item.fault ??= reason;
    else if (!isToldOutside) {
      isToldOutside = true;
      rows.push({ line: sax.line + 1, field: 'line', reason });
    }
  };
  const finish = ({ line, cells, fault, attributes, isOffer }: OpenItem) => {
    // `<product id="7">`; feeds that name products in elements may have other numbers here, except in an offer.
    const isNamed = [...cells.keys()].some(isKey);
    for (const [name, value] of Object.entries(attributes))
      if (value !== '' && (isNamed ? isOffer && isKey(name) : fieldOf(name) !== undefined))
        addTo(cells, name, String(value));
    rows.push(fault === null ? { line, cells } : { line, field: 'line', reason: fault });
    item = null;
  };
  const add = (text: string) => {
    if (!item || item.depth === 0) return;
    if (item.depth > 1 && !(/^\s*https?:/.test(text) && isPicture(item))) return;
    // The `<image>` of RSS also has the link of its page.
    if (item.depth > 1 && item.element === 'link') return;
    if (text.includes(REPLACEMENT)) fail(MISSING_BYTES);
    item.text += item.depth > 1 ? `\n${text}\n` : text;
    if (item.text.length <= CELL_LENGTH_MAX) return;
    fail(`${item.column} is longer than ${CELL_LENGTH_MAX} characters`);
    item.text = '';
  };
  const isPicture = ({ column }: OpenItem) => fieldOf(column) === 'images';
  sax.onopentag = ({ name: qualified, attributes }) => {
    for (const [attribute, value] of Object.entries(attributes)) {
      const namespace = attribute.startsWith('xmlns:') ? NAMESPACES.exec(String(value)) : null;
      if (namespace) prefixes.set(attribute.slice(6), namespace[1] === 'Atom');
    }
    const [prefix = '', local] = qualified.split(':');
    const isKnown = prefixes.has(prefix) && (item?.isEntry !== false || !prefixes.get(prefix));
    const name = local !== undefined && isKnown ? local : qualified;
    // A list of products: `<offer><products><product>`.
    if (item?.isOffer && isItem(name) && ![...item.cells.keys(), ...Object.keys(item.attributes)].some(isKey))
      item = null;
    // Otherwise the item around it goes on.
    if (item?.inner === 'over' && item.depth === 0 && isItem(name)) finish(item);
    if (item) {
      item.depth += 1;
      item.element = name;
      if (item.depth === 2 && item.cells.size === 0 && isItem(item.column) && item.text.trim() === '')
        Object.assign(item, { depth: 1, inner: 'open' });
      if (item.depth === 1) Object.assign(item, { column: name, text: '' });
      const { rel, href, url, src = url } = attributes;
      const address = href ?? (src !== undefined && isPicture(item) ? src : null);
      if (address !== null && !OTHER_LINKS.test(String(rel))) add(`${address}\n`);
    } else if (isItem(name) || /^offer$/i.test(name)) {
      const [isEntry, isOffer] = [name === 'entry', !isItem(name)];
      const empty = { cells: new Map(), fault: null, element: '', column: '', text: '' };
      item = { line: sax.line + 1, isEntry, isOffer, attributes, depth: 0, inner: 'none', ...empty };
      isToldOutside = false;
    }
  };
  sax.onclosetag = () => {
    if (!item) return;
    if (item.depth === 0) {
      if (item.inner !== 'open') return finish(item);
      item.inner = 'over';
      return;
    }
    const text = item.text.trim();
    if (item.depth === 1 && text !== '') addTo(item.cells, item.column, text);
    item.depth -= 1;
  };
  sax.ontext = add;
  sax.oncdata = add;
  sax.onerror = ({ message }) => {
    const [reason = ''] = message.split('\n');
    if (!BARE_AMPERSAND.test(reason)) fail(`no well-formed XML: ${reason}`);
    // Otherwise the parser would accept nothing more.
    sax.error = null as never;
    sax.resume();
  };

  for await (const text of decodedText(path, encoding, onBytes)) {
    sax.write(text);
    yield rows;
    rows = [];
  }
  sax.close();
  if (item?.fault) finish(item);
  yield rows;
}
