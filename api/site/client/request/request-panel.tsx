import { useEffect, useState } from 'preact/hooks';
import type { CatalogAnswer } from '../service/answers';
import type { Call } from '../service/calls';
import { Scrollable } from '../shell/scrollable';
import { asCurl, asTypeScript } from './request-forms';

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
  const base = new URL('.', location.href.split('?')[0]).href;
  switch (form) {
    case 'curl':
      return asCurl(call, base);
    case 'TypeScript':
      return asTypeScript(call, base);
    case 'Answer':
      return JSON.stringify(answer, null, 2);
  }
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
