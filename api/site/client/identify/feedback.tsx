import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { pathOf, thumbnailOf } from '../item/rows';
import { correct, type FeedbackAnswer, queryCatalog, type Row, sendCall } from '../service/calls';
import { Failure } from '../service/failure';
import { useSession } from '../session/session';
import { useAnswer } from '../session/use-answer';
import { FailureNote, Picture } from '../shell/parts';

interface Props {
  readonly predictionId: string;
  /** The row that is looked at; undefined where the answer is empty. */
  readonly row: Row | undefined;
}

/** Whether an answer is right, by whoever knows the item. */
export function Feedback({ predictionId, row }: Props) {
  const { kept, failure, busy, tell, again } = useFeedback(predictionId);
  const [searching, setSearching] = useState(false);
  const product = row?.variants ? row : undefined;
  const say = (verdict: Verdict) => {
    setSearching(false);
    tell(verdict);
  };
  return (
    <section class="feedback" aria-labelledby="feedback" aria-busy={busy}>
      <h2 id="feedback">Do you know what it is?</h2>
      <p class="choices">
        {product && (
          <button type="button" aria-pressed={kept?.id === product.id} onClick={() => say(product)}>
            This is right
          </button>
        )}
        <button type="button" aria-expanded={searching} onClick={() => setSearching(!searching)}>
          {product ? 'It is another one' : 'Find it in the catalog'}
        </button>
        <button type="button" aria-pressed={kept === null} onClick={() => say(null)}>
          Not in the catalog
        </button>
      </p>
      <p role="status">{kept !== undefined && thanks(kept)}</p>
      {searching && <ProductSearch start={product ? '' : (row?.name ?? '')} choose={say} />}
      {failure && <FailureNote failure={failure} title="This was not recorded" again={again} />}
    </section>
  );
}

const thanks = (kept: Verdict): string =>
  `Thank you. Recorded: ${kept ? kept.name : 'not in the catalog'}. You can still change it.`;

/** What the photos showed; null: nothing that the catalog has. */
export type Verdict = Pick<Row, 'id' | 'name'> | null;

export interface Telling {
  /** What the service keeps; undefined until it does. */
  readonly kept: Verdict | undefined;
  readonly failure: Failure | null;
  readonly busy: boolean;
  /** Tells the service; while that is under way, nothing else is told. */
  readonly tell: (verdict: Verdict) => void;
  readonly again: () => void;
}

/** Feedback on one answer; the last one stands. */
export function useFeedback(predictionId: string): Telling {
  const { key, note } = useSession();
  const [kept, setKept] = useState<Verdict>();
  const [latest, setLatest] = useState<Verdict>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const tell = async (verdict: Verdict) => {
    if (busy || key === null) return;
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
export function ProductSearch({ start, choose }: ProductSearchProps) {
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
