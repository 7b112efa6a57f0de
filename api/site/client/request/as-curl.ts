import type { Call } from '../service/calls';

/** A call as a shell command. A photo is read from `photo.jpg`. */
export function asCurl({ method, path, body }: Call, base: string, photo: boolean): string {
  const lines = [`curl -s ${quoted(base + path)}`, '-H "Authorization: Bearer $LOUPE_KEY"'];
  if (method === 'GET' || !body) return lines.join(' \\\n  ');
  lines.push("-H 'Content-Type: application/json'");
  if (!photo) return [...lines, `-d ${quoted(JSON.stringify(body))}`].join(' \\\n  ');
  const { base64: _photo, ...rest } = body;
  const others = JSON.stringify(rest).slice(1);
  const sent = `{ printf '{"base64":"'; base64 < photo.jpg | tr -d '\\n'; printf '",%s' ${quoted(others)}; }`;
  return `${sent} |\n${[...lines, '-d @-'].join(' \\\n  ')}`;
}

/** A word of the shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
