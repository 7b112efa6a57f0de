import type { Call } from '../service/calls';
import { PHOTO_FILE } from './photo-files';

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
