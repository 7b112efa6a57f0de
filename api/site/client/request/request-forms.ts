import type { Call } from '../service/calls';

/** Where a shown body, as JSON, names a file instead of the photo in it; the name is captured. */
const PHOTO_FILE = /"base64":"([^"]+)"/g;

/** A call as a shell command. Photos are read from the files that the body names. */
export function asCurl({ method, path, body }: Call, base: string): string {
  const lines = [`curl -s ${quoted(base + path)}`, '-H "Authorization: Bearer $LOUPE_KEY"'];
  if (method === 'GET' || !body) return lines.join(' \\\n  ');
  lines.push("-H 'Content-Type: application/json'");
  const [first = '', ...others] = JSON.stringify(body).split(PHOTO_FILE);
  if (others.length === 0) return [...lines, `-d ${quoted(first)}`].join(' \\\n  ');
  // Splitting by a pattern leaves what it captured, so the names of the files stand at every other place.
  const printed = [first, ...others].map((part, at, { length }) => {
    if (at % 2 === 1) return `base64 < ${part} | tr -d '\\n'`;
    return `printf %s ${quoted(`${at > 0 ? '"' : ''}${part}${at < length - 1 ? '"base64":"' : ''}`)}`;
  });
  return `{ ${printed.join('; ')}; } |\n${[...lines, '-d @-'].join(' \\\n  ')}`;
}

/** A word of the shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A call as TypeScript for Node 20 and later. Photos are read from the files that the body names. */
export function asTypeScript({ method, path, body }: Call, base: string): string {
  const address = JSON.stringify(base + path);
  // Written so that the braces are those of the shown program.
  const key = 'Authorization: `Bearer $' + '{process.env.LOUPE_KEY}`';
  const reading = `if (!response.ok) throw new Error((await response.json()).message);
const { data } = await response.json();`;
  if (method === 'GET' || !body) {
    return `const response = await fetch(${address}, {
  headers: { ${key} },
});
${reading}
`;
  }
  const fields = Object.entries(body).map(([name, value]) =>
    literal({ [name]: value })
      .slice(1, -1)
      .trim(),
  );
  const photos = fields.some((field) => field.includes('await readFile('));
  return `${photos ? "import { readFile } from 'node:fs/promises';\n\n" : ''}const response = await fetch(${address}, {
  method: 'POST',
  headers: { ${key}, 'Content-Type': 'application/json' },
  body: JSON.stringify({
${fields.map((field) => `    ${field},`).join('\n')}
  }),
});
${reading}
`;
}

/** A value as one writes it by hand. */
const literal = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(PHOTO_FILE, `"base64":await readFile('$1', 'base64')`)
    .replaceAll(/(?<=[{,])"(\w+)":/g, ' $1: ')
    .replaceAll('","', '", "');
