import type { Call } from '../service/calls';
import { PHOTO_FILE } from './photo-files';

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
