import { useEffect, useState } from 'preact/hooks';
import type { Call, CatalogAnswer } from '../service/calls';
import { Scrollable } from './parts';

interface Props {
  readonly call: Call;
  readonly answer: CatalogAnswer;
}

const FORMS = ['curl', 'TypeScript', 'Answer'] as const;
type Form = (typeof FORMS)[number];

/** The request behind a view, to be run elsewhere. It reads the key from the environment and never holds it. */
export function RequestPanel({ call, answer }: Props) {
  const [form, setForm] = useState<Form>('curl');
  const [open, setOpen] = useState(false);
  return (
    <details class="request" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>The request behind this</summary>
      {open && (
        <>
          <fieldset class="forms">
            <legend class="hidden">Form of the request</legend>
            {FORMS.map((each) => (
              <button type="button" key={each} aria-pressed={each === form} onClick={() => setForm(each)}>
                {each}
              </button>
            ))}
          </fieldset>
          <Code text={textOf(form, call, answer)} label={form} />
        </>
      )}
    </details>
  );
}

function textOf(form: Form, call: Call, answer: CatalogAnswer): string {
  if (form === 'Answer') return JSON.stringify(answer, null, 2);
  const base = new URL('.', location.href.split('?')[0]).href;
  return form === 'curl' ? asCurl(call, base) : asTypeScript(call, base);
}

function Code({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => setSaid(''), [text]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Select the text to copy it'),
    );
  return (
    <div class="code">
      <button type="button" onClick={() => void copy()}>
        {said || 'Copy'}
      </button>
      <span class="hidden" role="status">
        {said}
      </span>
      <Scrollable label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </Scrollable>
    </div>
  );
}

/** Where a shown body, as JSON, names a file instead of the photo in it; the name is captured. */
const PHOTO_FILE = /"base64":"([^"]+)"/g;

/** A call as a shell command. Photos are read from the files that the body names. */
function asCurl({ method, path, body }: Call, base: string): string {
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
function asTypeScript({ method, path, body }: Call, base: string): string {
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
