import { useEffect, useState } from 'preact/hooks';
import type { Call, CatalogAnswer } from '../service/calls';
import { Button, Scrollable, Status } from './parts';

type Props = Readonly<{ call: Call; answer: CatalogAnswer }>;

const FORMS = {
  curl: ({ call }: Props) => asCurl(call),
  TypeScript: ({ call }: Props) => asTypeScript(call),
  Answer: ({ answer }: Props) => JSON.stringify(answer, null, 2),
} as const;
type Form = keyof typeof FORMS;

/** The request behind a view, to be run elsewhere. It reads the key from the environment and never holds it. */
export function RequestPanel(props: Props) {
  const [form, setForm] = useState<Form>('curl');
  const [open, setOpen] = useState(false);
  return (
    <details class="request" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>The request behind this</summary>
      {open && (
        <>
          <fieldset class="forms">
            <legend class="hidden">Form of the request</legend>
            {(Object.keys(FORMS) as Form[]).map((each) => (
              <Button key={each} aria-pressed={each === form} onClick={() => setForm(each)}>
                {each}
              </Button>
            ))}
          </fieldset>
          <Code text={FORMS[form](props)} label={form} />
        </>
      )}
    </details>
  );
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
      <Button onClick={() => void copy()}>{said || 'Copy'}</Button>
      <Status>{said}</Status>
      <Scrollable label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </Scrollable>
    </div>
  );
}

const addressOf = ({ path }: Call): string => new URL('.', location.href.split('?')[0]).href + path;

/** Matches where a shown body, as JSON, names a file instead of its photo; captures the name. */
const PHOTO_FILE = /"base64":"([^"]+)"/g;

/** A call as a shell command. Photos are read from the files named in the body. */
function asCurl(call: Call): string {
  const lines = [`curl -s ${quoted(addressOf(call))}`, '-H "Authorization: Bearer $LOUPE_KEY"'];
  if (!call.body) return lines.join(' \\\n  ');
  lines.push("-H 'Content-Type: application/json'");
  const [first = '', ...others] = JSON.stringify(call.body).split(PHOTO_FILE);
  if (others.length === 0) return [...lines, `-d ${quoted(first)}`].join(' \\\n  ');
  // Splitting by a pattern keeps what it captured, so every other part is the name of a file.
  const printed = [first, ...others].map((part, at, { length }) => {
    if (at % 2 === 1) return `base64 < ${part} | tr -d '\\n'`;
    return `printf %s ${quoted(`${at > 0 ? '"' : ''}${part}${at < length - 1 ? '"base64":"' : ''}`)}`;
  });
  return `{ ${printed.join('; ')}; } |\n${[...lines, '-d @-'].join(' \\\n  ')}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A call as TypeScript for Node 20 and later. Photos are read from the files named in the body. */
function asTypeScript(call: Call): string {
  // Written so that the braces belong to the shown program.
  const key = 'Authorization: `Bearer $' + '{process.env.LOUPE_KEY}`';
  const options = call.body
    ? `  method: 'POST',
  headers: { ${key}, 'Content-Type': 'application/json' },
  body: JSON.stringify({
${Object.entries(call.body).map(asField).join('\n')}
  }),`
    : `  headers: { ${key} },`;
  const imports = options.includes('await readFile(')
    ? "import { readFile } from 'node:fs/promises';\n\n"
    : '';
  return `${imports}const response = await fetch(${JSON.stringify(addressOf(call))}, {
${options}
});
if (!response.ok) throw new Error((await response.json()).message);
const { data } = await response.json();
`;
}

const asField = ([name, value]: [string, unknown]): string => {
  const text = JSON.stringify({ [name]: value })
    .replaceAll(PHOTO_FILE, `"base64":await readFile('$1', 'base64')`)
    .replaceAll(/(?<=[{,])"(\w+)":/g, ' $1: ')
    .replaceAll('","', '", "');
  return `    ${text.slice(1, -1).trim()},`;
};
