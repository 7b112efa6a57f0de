import { showSimilar } from '../service/calls';
import { useAnswer } from '../session/use-answer';
import { useSeen } from '../shell/use-seen';
import { ResultGrid } from './result-grid';

/** Products that look like one: asked for when their place comes into view, and nothing where there are none. */
export function SimilarItems({ id }: { readonly id: string }) {
  const { place, seen } = useSeen();
  const { answered } = useAnswer(seen ? showSimilar(id) : null);
  const rows = answered?.answer.data ?? [];
  return (
    <div ref={place}>
      {rows.length > 0 && (
        <section class="similar" aria-labelledby="similar">
          <h2 id="similar">Similar</h2>
          <ResultGrid rows={rows} busy={false} />
        </section>
      )}
    </div>
  );
}
