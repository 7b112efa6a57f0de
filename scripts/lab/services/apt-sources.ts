/** One archive that a machine's apt reads: `deb URI SUITE COMPONENTS` in either of apt's two notations. */
export interface AptSource {
  readonly uri: string;
  readonly suites: readonly string[];
  readonly components: readonly string[];
  /** A key ring file or fingerprint, as given; absent: apt's own trusted keys. */
  readonly signedBy?: string;
}

/**
 * Reads the binary archives from the text of an apt source file, `.list` (one line each) or `.sources`
 * (deb822 paragraphs). Disabled, malformed and source-only entries are left out.
 */
export function parseAptSources(text: string, notation: 'list' | 'sources'): readonly AptSource[] {
  return notation === 'list' ? parseLines(text) : parseParagraphs(text);
}

/** The archive of the distribution itself: the one that offers `main` of the running release (its codename). */
export function distributionArchive(sources: readonly AptSource[], codename: string): AptSource | undefined {
  return sources.find((source) => source.suites.includes(codename) && source.components.includes('main'));
}

function parseLines(text: string): readonly AptSource[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)((?:\s+[^\s#]+)*)/.exec(line);
    if (match === null) return [];
    const [, options = '', uri = '', suite = '', components = ''] = match;
    const signedBy = /(?:^|\s)signed-by=(\S+)/i.exec(options)?.[1];
    return [source(uri, [suite], words(components), signedBy)];
  });
}

function parseParagraphs(text: string): readonly AptSource[] {
  return text.split(/\n[ \t]*\n/).flatMap((paragraph) => {
    const fields = parseFields(paragraph);
    if (fields.get('enabled')?.toLowerCase() === 'no') return [];
    if (!words(fields.get('types') ?? '').includes('deb')) return [];
    const suites = words(fields.get('suites') ?? '');
    const components = words(fields.get('components') ?? '');
    return words(fields.get('uris') ?? '').map((uri) =>
      source(uri, suites, components, fields.get('signed-by')),
    );
  });
}

/** `Name: value` fields; continuation lines begin with white space, comments with `#`. */
function parseFields(paragraph: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let name = '';
  for (const line of paragraph.split('\n')) {
    if (line.startsWith('#') || line.trim() === '') continue;
    const match = /^([A-Za-z-]+):\s*(.*)$/.exec(line);
    if (match !== null) {
      name = (match[1] ?? '').toLowerCase();
      fields.set(name, (match[2] ?? '').trim());
    } else if (name !== '') {
      fields.set(name, `${fields.get(name) ?? ''} ${line.trim()}`.trim());
    }
  }
  return fields;
}

function source(
  uri: string,
  suites: readonly string[],
  components: readonly string[],
  signedBy: string | undefined,
): AptSource {
  // A key written into the file itself spans lines; only a path or a fingerprint can be handed on.
  const usable = signedBy !== undefined && signedBy !== '' && !signedBy.includes(' ');
  return { uri, suites, components, ...(usable ? { signedBy } : {}) };
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
