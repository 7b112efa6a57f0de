import { useEffect, useRef, useState } from 'preact/hooks';
import { pathOf, thumbnailOf, titleOf } from '../item/rows';
import { correct, queryCatalog, type Row } from '../service/calls';
import { useAnswer, useTask } from '../session/hooks';
import { useSession } from '../session/session';
import { Button, FailureNote, LineForm, Picture, Status, takeFocus } from '../shell/parts';

/** What the photos showed; null: nothing that the catalog has. */
type Verdict = Pick<Row, 'id' | 'name' | 'title'> | null;

export type FeedbackState = ReturnType<typeof useFeedback>;

/** Feedback on one answer, null if it has no id; the last feedback counts. */
export function useFeedback(predictionId: string | null) {
  const { send } = useSession();
  const { busy, failure, run } = useTask();
  /** The feedback stored by the service; undefined until then. */
  const [kept, setKept] = useState<Verdict>();
  const latest = useRef<Verdict>(null);
  /** Sends feedback to the service; while that is under way, nothing else is sent. */
  const tell = (verdict: Verdict) => {
    if (busy || predictionId === null) return;
    latest.current = verdict;
    void run(async () => {
      await send(correct(predictionId, verdict?.id ?? null));
      setKept(verdict);
    });
  };
  return { offered: predictionId !== null, kept, failure, busy, tell, again: () => tell(latest.current) };
}

interface ChooseProps {
  readonly row: Row;
  readonly choose: (row: Row) => void;
  readonly class?: 'primary' | 'link';
  readonly pressed?: boolean;
}

const ChooseButton = ({ row, choose, pressed, ...rest }: ChooseProps) => (
  <Button {...rest} aria-pressed={pressed} onClick={() => choose(row)}>
    It is this one<span class="hidden">: {titleOf(row)}</span>
  </Button>
);

/** `row`: the selected one; undefined if the answer is empty. */
type Props = Readonly<{ state: FeedbackState; row: Row | undefined }>;

/** Confirms an answer in one click; renders nothing for rows that are not products, and for answers without an id. */
export const Confirm = ({ state, row, ...rest }: Omit<ChooseProps, 'choose'> & Pick<Props, 'state'>) =>
  state.offered && row.variants ? (
    <ChooseButton {...rest} row={row} choose={state.tell} pressed={state.kept?.id === row.id} />
  ) : null;

/** Lets a user who knows the item say what it is if no row of the answer is right. */
export function Feedback({ state: { kept, failure, busy, tell, again }, row }: Props) {
  const [searching, setSearching] = useState(false);
  const place = useRef<HTMLElement>(null);
  // The confirmation may be a screen above.
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
        <Button aria-expanded={searching} onClick={() => setSearching(!searching)}>
          Find it in the catalog
        </Button>
        <Button aria-pressed={kept === null} onClick={() => say(null)}>
          Not in the catalog
        </Button>
      </p>
      <p role="status">
        {kept !== undefined &&
          `Thank you. Recorded: ${kept ? titleOf(kept) : 'not in the catalog'}. You can still change it.`}
      </p>
      {searching && <ProductSearch start={row && !row.variants ? row.name : ''} choose={say} />}
      {failure && <FailureNote failure={failure} title="This was not recorded" again={again} />}
    </section>
  );
}

/** Finds a product by words, to choose it. It searches when Enter or the button is pressed, since each search costs. */
function ProductSearch({ start, choose }: Pick<ChooseProps, 'choose'> & { readonly start: string }) {
  const [typed, setTyped] = useState(start);
  const [text, setText] = useState('');
  const call = text === '' ? null : queryCatalog({ query: text, page_size: 6 });
  const { answered, failure, busy, again } = useAnswer(call);
  const rows = answered?.answer.data;
  return (
    <search class="product-search">
      <LineForm
        label="Find it by its name"
        ref={takeFocus}
        type="search"
        maxLength={512}
        placeholder="Brand, model, colour, size …"
        value={typed}
        change={setTyped}
        action="Find"
        submit={() => setText(typed.trim())}
      />
      <Status>{rows && !busy ? `${rows.length} shown` : ''}</Status>
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
              <ChooseButton row={row} choose={choose} />
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}
