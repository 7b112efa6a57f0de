import { useState } from 'preact/hooks';
import type { Row } from '../service/answers';
import { FailureNote } from '../shell/failure-note';
import { ProductSearch } from './product-search';
import { useFeedback, type Verdict } from './use-feedback';

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
