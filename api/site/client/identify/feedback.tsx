import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { pathOf, thumbnailOf, titleOf } from '../item/rows';
import { correct, Failure, type FeedbackAnswer, queryCatalog, type Row, sendCall } from '../service/calls';
import { useSession } from '../session/session';
import { useAnswer } from '../session/use-answer';
import { FailureNote, Picture } from '../shell/parts';

interface Props {
  readonly telling: Telling;
  /** The row that is looked at; undefined where the answer is empty. */
  readonly row: Row | undefined;
}

interface ConfirmProps {
  readonly telling: Telling;
  readonly row: Row;
  readonly class: 'primary' | 'link';
}

/** That an answer is right, told in one click; nothing for rows that are no product, and answers without a name. */
export function Confirm({ row, telling, class: look }: ConfirmProps) {
  const { kept, offered, tell } = telling;
  if (!offered || !row.variants) return null;
  return (
    <button type="button" class={look} aria-pressed={kept?.id === row.id} onClick={() => tell(row)}>
      It is this one<span class="hidden">: {titleOf(row)}</span>
    </button>
  );
}

/** What an item is where no row of the answer is right, by anyone who knows it. */
export function Feedback({ telling: { kept, failure, busy, tell, again }, row }: Props) {
  const [searching, setSearching] = useState(false);
  const place = useRef<HTMLElement>(null);
  // What was told may stand a screen above.
  useEffect(() => {
    if (failure) place.current?.scrollIntoView({ block: 'nearest' });
  }, [failure]);
  const say = (verdict: Verdict) => {
    setSearching(false);
    tell(verdict);
  };
  return (
    <section class="feedback" aria-labelledby="feedback" aria-busy={busy} ref={place}>
      <h2 id="feedback">{row ? 'Is it something else?' : 'Do you know what it is?'}</h2>
      <p class="choices">
        <button type="button" aria-expanded={searching} onClick={() => setSearching(!searching)}>
          Find it in the catalog
        </button>
        <button type="button" aria-pressed={kept === null} onClick={() => say(null)}>
          Not in the catalog
        </button>
      </p>
      <p role="status">{kept !== undefined && thanks(kept)}</p>
      {searching && <ProductSearch start={row && !row.variants ? row.name : ''} choose={say} />}
      {failure && <FailureNote failure={failure} title="This was not recorded" again={again} />}
    </section>
  );
}

const thanks = (kept: Verdict): string =>
  `Thank you. Recorded: ${kept ? titleOf(kept) : 'not in the catalog'}. You can still change it.`;

/** What the photos showed; null: nothing that the catalog has. */
export type Verdict = Pick<Row, 'id' | 'name' | 'title'> | null;

export interface Telling {
  /** Whether there is an answer that can be told about. */
  readonly offered: boolean;
  /** What the service keeps; undefined until it does. */
  readonly kept: Verdict | undefined;
  readonly failure: Failure | null;
  readonly busy: boolean;
  /** Tells the service; while that is under way, nothing else is told. */
  readonly tell: (verdict: Verdict) => void;
  readonly again: () => void;
}

/** Feedback on one answer, null where it has no name; the last one stands. */
export function useFeedback(predictionId: string | null): Telling {
  const { key, note } = useSession();
  const [kept, setKept] = useState<Verdict>();
  const [latest, setLatest] = useState<Verdict>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const tell = async (verdict: Verdict) => {
    if (busy || key === null || predictionId === null) return;
    setBusy(true);
    setLatest(verdict);
    setFailure(null);
    try {
      const { signal } = new AbortController();
      const call = correct(predictionId, verdict?.id ?? null);
      note(await sendCall<FeedbackAnswer>(call, { key, signal }));
      setKept(verdict);
    } catch (reason) {
      if (!(reason instanceof Failure)) throw reason;
      note(reason);
      setFailure(reason);
    } finally {
      setBusy(false);
    }
  };
  return {
    offered: predictionId !== null,
    kept,
    failure,
    busy,
    tell: (verdict) => void tell(verdict),
    again: () => void tell(latest),
  };
}

interface ProductSearchProps {
  /** What is looked for at first. */
  readonly start: string;
  readonly choose: (product: Row) => void;
}

/** Finds a product by words, to choose it. It asks when Enter or the button is pressed, since each search costs. */
function ProductSearch({ start, choose }: ProductSearchProps) {
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
                <span class="name">{titleOf(row)}</span>
                <span class="path">{pathOf(row)}</span>
              </span>
              <button type="button" onClick={() => choose(row)}>
                It is this one<span class="hidden">: {titleOf(row)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}
