import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { pathOf, thumbnailOf } from '../item/row-words';
import type { Row } from '../service/answers';
import { queryCatalog } from '../service/calls';
import { useAnswer } from '../session/use-answer';
import { FailureNote } from '../shell/failure-note';
import { Picture } from '../shell/picture';

interface Props {
  /** What is looked for at first. */
  readonly start: string;
  readonly choose: (product: Row) => void;
}

/** Finds a product by words, to choose it. It asks when Enter or the button is pressed, since each search costs. */
export function ProductSearch({ start, choose }: Props) {
  const [typed, setTyped] = useState(start);
  const [text, setText] = useState('');
  const { answered, failure, busy, again } = useAnswer(
    text === '' ? null : queryCatalog({ query: text, page_size: 6 }),
  );
  const field = useRef<HTMLInputElement>(null);
  // Before anything can be typed.
  useLayoutEffect(() => field.current?.focus(), []);
  const rows = text === '' ? undefined : answered?.answer.data;
  return (
    <search class="product-search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setText(typed.trim());
        }}
      >
        <label for="product-search">Find it by its name</label>
        <div class="line">
          <input
            id="product-search"
            ref={field}
            type="search"
            autocomplete="off"
            spellcheck={false}
            maxLength={512}
            placeholder="Brand, model, colour, size …"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <button type="submit">Find</button>
        </div>
      </form>
      <p class="hidden" role="status">
        {rows && !busy ? `${rows.length} shown` : ''}
      </p>
      {failure && <FailureNote failure={failure} again={again} />}
      {rows?.length === 0 && <p>Nothing matches. Other words may find it.</p>}
      {rows && rows.length > 0 && (
        <ul aria-busy={busy}>
          {rows.map((row) => (
            <li key={row.id}>
              <Picture src={thumbnailOf(row)} alt="" />
              <span>
                <span class="name">{row.name}</span>
                <span class="path">{pathOf(row)}</span>
              </span>
              <button type="button" onClick={() => choose(row)}>
                It is this one<span class="hidden">: {row.name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}
