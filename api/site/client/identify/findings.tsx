import { useEffect, useRef, useState } from 'preact/hooks';
import { ItemDetails } from '../item/item-details';
import { itemPicture, kindOf, pathOf, percent } from '../item/rows';
import { type Answered, identify, type Row } from '../service/calls';
import { nameOf } from '../service/names';
import { Picture } from '../shell/parts';
import { RequestPanel } from '../shell/request-panel';
import { Confidence, Why } from './confidence';
import { Feedback } from './feedback';
import { shownForm } from './photo';
import { type Question } from './use-identification';

interface Props {
  readonly question: Question;
  readonly answered: Answered;
}

/** What photos show: the best match beside the others, why, and everything known about the chosen one. */
export function Findings({ question, answered }: Props) {
  const { photos, category, pricing } = question;
  const { data, credits_used: credits } = answered.answer;
  const [chosen, setChosen] = useState(0);
  const heading = useRef<HTMLHeadingElement>(null);
  const match = useRef<HTMLElement>(null);
  useEffect(() => {
    setChosen(0);
    heading.current?.focus({ preventScroll: true });
  }, [answered]);
  const choose = (at: number) => {
    setChosen(at);
    // On a phone the list is a screen below what it changes.
    match.current?.scrollIntoView({ block: 'nearest' });
  };
  const row = data[chosen] ?? data[0];
  const cost = `${credits} ${credits === 1 ? 'credit' : 'credits'}, ${(answered.tookMs / 1000).toFixed(1)} s`;
  const sent = identify(photos.map(shownForm), question);
  const feedback = answered.predictionId && (
    <Feedback key={answered.predictionId} predictionId={answered.predictionId} row={row} />
  );
  return (
    <>
      <p class="hidden" role="status">
        {said(data, chosen)}
      </p>
      {row ? (
        <>
          <article class="match" ref={match}>
            <Picture src={itemPicture(row)} alt="From the catalog" eager />
            <div>
              <p class="label">{chosen === 0 ? 'Best match' : `Match ${chosen + 1}`}</p>
              <h2 ref={heading} tabIndex={-1}>
                {row.name}
              </h2>
              <p class="path">{pathOf(row)}</p>
              {row.variants === undefined && (
                <p class="note">
                  {photos.length === 1 ? 'The photo shows' : 'The photos show'} this {kindOf(row)}; which of
                  its products it is can’t be told from {photos.length === 1 ? 'it' : 'them'}.
                </p>
              )}
              <Confidence value={row.confidence ?? 0} />
            </div>
          </article>
          {row.evidence && <Why evidence={row.evidence} photos={photos} />}
          {feedback}
          {data.length > 1 && <Others rows={data} chosen={chosen} choose={choose} />}
          <ItemDetails key={row.id} row={row} priced={pricing} linked />
        </>
      ) : (
        <>
          <div class="nothing">
            <h2 ref={heading} tabIndex={-1}>
              Nothing in the catalog is near enough
            </h2>
            {category !== '' && <p>Only {nameOf(category)} were looked among.</p>}
            <p>
              The item may not be in it, or the photo does not show enough of it. One item, whole, in daylight
              works best, from several sides. Nothing was charged.
            </p>
          </div>
          {feedback}
        </>
      )}
      <p class="fine cost">{cost}</p>
      <RequestPanel call={sent} answer={answered.answer} />
    </>
  );
}

function Others({
  rows,
  chosen,
  choose,
}: {
  rows: readonly Row[];
  chosen: number;
  choose: (at: number) => void;
}) {
  return (
    <section class="others" aria-labelledby="others">
      <h2 id="others">All {rows.length} matches</h2>
      <ol>
        {rows.map((row, at) => (
          <li key={row.id}>
            <button type="button" aria-pressed={at === chosen} onClick={() => choose(at)}>
              <Picture src={row.thumbnails[0] ?? itemPicture(row)} alt="" />
              <span class="name">{row.name}</span>
              <Confidence value={row.confidence ?? 0} small />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function said(rows: readonly Row[], chosen: number): string {
  const [best] = rows;
  if (!best) return 'Nothing in the catalog is near enough.';
  if (chosen > 0) return `Match ${chosen + 1}, ${rows[chosen]?.name ?? ''}`;
  const count = `${rows.length} ${rows.length === 1 ? 'match' : 'matches'}`;
  return `${count}. The best one is ${best.name}, ${percent(best.confidence ?? 0)}.`;
}
