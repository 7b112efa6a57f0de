import { useEffect, useRef, useState } from 'preact/hooks';
import { visionPrice } from '../../../../models/access/credits';
import { AddItem } from '../edit/edit-item';
import { ItemDetails } from '../item/item-details';
import { kindOf, pathOf, percent, ShopLink, thumbnailOf, titleOf } from '../item/rows';
import { shownForm } from '../photos/photo';
import { type Answered, identify, type Row } from '../service/calls';
import { nameOf } from '../service/names';
import { itemLink, Link } from '../shell/navigation';
import { Picture } from '../shell/parts';
import { RequestPanel } from '../shell/request-panel';
import { Compare } from './compare';
import { Confidence, disagreement, supporters, Why } from './confidence';
import { Confirm, Feedback, type Telling, useFeedback } from './feedback';
import type { Question } from './use-identification';

interface Props {
  readonly question: Question;
  readonly answered: Answered;
  /** Whether the item is to be added. */
  readonly adding: boolean;
  /** Begins with another item. */
  readonly another: () => void;
  /** Asks again, for the nearest rows however unsure. */
  readonly showNearest: () => void;
}

/** What photos show: the best row beside them, the runners-up, and everything known about the chosen one. */
export function Findings({ question, answered, adding, another, showNearest }: Props) {
  const { photos, pricing } = question;
  const { data, credits_used: credits } = answered.answer;
  const [chosen, setChosen] = useState(0);
  const telling = useFeedback(answered.predictionId);
  const heading = useRef<HTMLHeadingElement>(null);
  const match = useRef<HTMLElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [answered]);
  const choose = (at: number) => {
    setChosen(at);
    match.current?.scrollIntoView({ block: 'nearest' });
  };
  const row = data[chosen] ?? data[0];
  const apart = disagreement(data[0]);
  const doubt = apart ?? (question.nearest && row ? NEAREST_ONLY : null);
  return (
    <>
      <p class="hidden" role="status">
        {said(data, chosen, doubt)}
      </p>
      {row ? (
        <>
          {doubt && <p class="doubt">{doubt}</p>}
          <article class="match" ref={match}>
            <Compare photos={photos} row={row} />
            <div>
              <p class="label">{labelOf(row, chosen, question)}</p>
              <h2 ref={heading} tabIndex={-1}>
                {titleOf(row)}
              </h2>
              <p class="path">{pathOf(row)}</p>
              {row.variants === undefined && !apart && (
                <p class="note">
                  {photos.length === 1 ? 'The photo shows' : 'The photos show'} this {kindOf(row)}; which of
                  its products it is can’t be told from {photos.length === 1 ? 'it' : 'them'}.
                </p>
              )}
              <Confidence value={row.confidence ?? 0} />
              <p class="choices">
                <Confirm row={row} telling={telling} class="primary" />
                <Link to={itemLink(row.id)} class="button">
                  Open in the catalog
                </Link>
                <ShopLink row={row} />
                {chosen > 0 && (
                  <button type="button" onClick={() => choose(0)}>
                    Back to the {question.nearest ? 'nearest' : 'best match'}
                  </button>
                )}
              </p>
            </div>
          </article>
          <RunnersUp rows={data} chosen={chosen} choose={choose} telling={telling} />
        </>
      ) : (
        <NothingSure question={question} showNearest={showNearest} heading={heading} />
      )}
      {telling.offered && <Feedback telling={telling} row={row} />}
      <AddItem
        key={answered.predictionId}
        photos={photos}
        like={data[0]}
        open={adding && data.length === 0}
        another={another}
      />
      {row?.evidence && <Why evidence={row.evidence} />}
      {row && <ItemDetails key={row.id} row={row} priced={pricing} />}
      <p class="fine cost">
        {credits} {credits === 1 ? 'credit' : 'credits'}, {(answered.tookMs / 1000).toFixed(1)} s
      </p>
      <RequestPanel call={identify(photos.map(shownForm), question)} answer={answered.answer} />
    </>
  );
}

interface NothingProps extends Pick<Props, 'question' | 'showNearest'> {
  readonly heading: { current: HTMLHeadingElement | null };
}

function NothingSure({ question, showNearest, heading }: NothingProps) {
  const { category, nearest, photos, pricing } = question;
  const price = visionPrice({ pricing, photos: photos.length });
  return (
    <div class="nothing">
      <h2 ref={heading} tabIndex={-1}>
        {nearest ? 'There is nothing to compare it with' : 'Nothing is sure'}
      </h2>
      {category !== '' && <p>Only {nameOf(category)} were looked among.</p>}
      <p>
        The item may not be in the catalog, or the photo does not show enough of it. One item, whole, in
        daylight works best, from several sides. Nothing was charged.
      </p>
      {!nearest && (
        <>
          <button type="button" onClick={showNearest}>
            Show the nearest for {price} credits
          </button>
          <p class="fine">Up to ten items that look most like it. It may be none of them.</p>
        </>
      )}
    </div>
  );
}

interface RunnersProps {
  readonly rows: readonly Row[];
  readonly chosen: number;
  readonly choose: (at: number) => void;
  readonly telling: Telling;
}

/** The rows after the first: those below it where it is a brand or a model, then the others. */
function RunnersUp({ rows, ...rest }: RunnersProps) {
  const [first, ...others] = rows.map((row, at) => ({ row, at }));
  if (!first || others.length === 0) return null;
  const isBelow = ({ row }: { row: Row }) =>
    first.row.variants === undefined && row.attributes?.some(({ id }) => id === first.row.id) === true;
  const below = others.filter(isBelow);
  const beside = others.filter((each) => !isBelow(each));
  const products = rows.filter(({ variants }) => variants);
  const none = 1 - products.reduce((sum, { confidence = 0 }) => sum + confidence, 0);
  return (
    <section class="others" aria-labelledby="others">
      <h2 id="others">{below.length > 0 ? `The likeliest of ${titleOf(first.row)}` : 'Or one of these'}</h2>
      <Cards cards={below.length > 0 ? below : beside} rows={rows} {...rest} />
      {below.length > 0 && beside.length > 0 && (
        <>
          <h2>Or one of these</h2>
          <Cards cards={beside} rows={rows} {...rest} />
        </>
      )}
      {none >= 0.01 && <p class="fine">The chance that it is none of these is {percent(none)}.</p>}
    </section>
  );
}

interface CardsProps extends RunnersProps {
  readonly cards: readonly { readonly row: Row; readonly at: number }[];
}

function Cards({ cards, rows, chosen, choose, telling }: CardsProps) {
  const split = disagreement(rows[0]) !== null;
  return (
    <ol>
      {cards.map(({ row, at }) => (
        <li key={row.id}>
          <button type="button" class="card" aria-pressed={at === chosen} onClick={() => choose(at)}>
            <Picture src={thumbnailOf(row) ?? row.evidence?.image} alt="" />
            <span class="name">{titleOf(row)}</span>
            <span class="path">{pathOf(row)}</span>
            {split && <span class="path">{supporters(row)}</span>}
            <Confidence value={row.confidence ?? 0} small />
          </button>
          <p class="acts">
            <Confirm row={row} telling={telling} class="link" />
            <Link to={itemLink(row.id)}>
              Open<span class="hidden"> {titleOf(row)}</span>
            </Link>
          </p>
        </li>
      ))}
    </ol>
  );
}

const NEAREST_ONLY = 'Nothing is sure. These are only the nearest of the catalog.';

/** From here on a row is likely. */
const LIKELY = 0.6;

function labelOf({ confidence = 0 }: Row, chosen: number, { nearest }: Question): string {
  if (chosen > 0) return `Number ${chosen + 1}`;
  if (nearest) return 'The nearest';
  return confidence < LIKELY ? 'Best match, not sure' : 'Best match';
}

function said(rows: readonly Row[], chosen: number, doubt: string | null): string {
  const [best] = rows;
  if (!best) return 'Nothing is sure.';
  const row = rows[chosen];
  if (chosen > 0 && row) return `Number ${chosen + 1}: ${titleOf(row)}, ${percent(row.confidence ?? 0)}`;
  const count = `${rows.length} ${rows.length === 1 ? 'match' : 'matches'}`;
  const words = `${count}. The best one is ${titleOf(best)}, ${percent(best.confidence ?? 0)}.`;
  return doubt ? `${doubt} ${words}` : words;
}
