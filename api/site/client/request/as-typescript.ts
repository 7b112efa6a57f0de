import type { Call } from '../service/calls';

/** A call as TypeScript for Node 20 and later. A photo is read from `photo.jpg`. */
export function asTypeScript({ method, path, body }: Call, base: string, photo: boolean): string {
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
  const { base64: _photo, ...rest } = body;
  const fields = Object.entries(photo ? rest : body).map(([name, value]) => `${name}: ${literal(value)}`);
  if (photo) fields.unshift("base64: await readFile('photo.jpg', 'base64')");
  return `${photo ? "import { readFile } from 'node:fs/promises';\n\n" : ''}const response = await fetch(${address}, {
  method: 'POST',
  headers: { ${key}, 'Content-Type': 'application/json' },
  body: JSON.stringify({
${fields.map((field) => `    ${field},`).join('\n')}
  }),
});
${reading}
`;
}

const literal = (value: unknown): string => JSON.stringify(value).replaceAll('","', '", "');
