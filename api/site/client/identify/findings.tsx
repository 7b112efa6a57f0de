import { useRef, useState } from 'preact/hooks';
import { visionPrice } from '../../../../models/access/credits';
import { AddItem } from '../edit/edit-item';
import { ItemDetails } from '../item/item-details';
import { kindOf, pathOf, percent, ShopLink, thumbnailOf, titleOf } from '../item/rows';
import { shownForm } from '../photos/photo';
import { type Answered, identify, type Row } from '../service/calls';
import { counted, nameOf } from '../service/names';
import { itemLink, Link } from '../shell/navigation';
import { Button, Picture, Status, takeFocus } from '../shell/parts';
import { RequestPanel } from '../shell/request-panel';
import { Compare } from './compare';
import { Confidence, disagreement, supporters, Why } from './confidence';
import { Confirm, Feedback, type FeedbackState, useFeedback } from './feedback';
import type { Identification, Question } from './use-identification';

interface Props extends Pick<Identification, 'adding' | 'begin' | 'start'> {
  readonly question: Question;
  readonly answered: Answered;
}

/** What the photos show: the best row beside them, the runners-up, and everything known about the chosen one. */
export function Findings({ question, answered, adding, begin, start }: Props) {
  const { photos, pricing, nearest } = question;
  const { data, credits_used: credits } = answered.answer;
  const [chosen, setChosen] = useState(0);
  const state = useFeedback(answered.predictionId);
  const match = useRef<HTMLElement>(null);
  const choose = (at: number) => {
    setChosen(at);
    match.current?.scrollIntoView({ block: 'nearest' });
  };
  const row = data[chosen] ?? data[0];
  const apart = disagreement(data[0]);
  const doubt = apart ?? (nearest && row ? NEAREST_ONLY : null);
  const [show, it] = photos.length === 1 ? ['The photo shows', 'it'] : ['The photos show', 'them'];
  return (
    <>
      <Status>{said(data, chosen, doubt)}</Status>
      {!row && <NothingSure question={question} start={start} />}
      {doubt && <p class="doubt">{doubt}</p>}
      {row && (
        <article class="match" ref={match}>
          <Compare photos={photos} row={row} />
          <div>
            <p class="label">{labelOf(row, chosen, question)}</p>
            <h2 ref={takeFocus}>{titleOf(row)}</h2>
            <p class="path">{pathOf(row)}</p>
            {row.variants === undefined && !apart && (
              <p class="note">
                {show} this {kindOf(row)}; which of its products it is can’t be told from {it}.
              </p>
            )}
            <Confidence value={row.confidence ?? 0} />
            <p class="choices">
              <Confirm row={row} state={state} class="primary" />
              <Link to={itemLink(row.id)} class="button">
                Open in the catalog
              </Link>
              <ShopLink row={row} />
              {chosen > 0 && (
                <Button onClick={() => choose(0)}>Back to the {nearest ? 'nearest' : 'best match'}</Button>
              )}
            </p>
          </div>
        </article>
      )}
      <RunnersUp rows={data} chosen={chosen} choose={choose} state={state} />
      {state.offered && <Feedback state={state} row={row} />}
      <AddItem
        key={answered.predictionId}
        photos={photos}
        like={data[0]}
        open={adding && data.length === 0}
        another={() => begin()}
      />
      {row?.evidence && <Why evidence={row.evidence} />}
      {row && <ItemDetails key={row.id} row={row} priced={pricing} />}
      <p class="fine cost">
        {counted(credits, 'credit')}, {(answered.tookMs / 1000).toFixed(1)} s
      </p>
      <RequestPanel call={identify(photos.map(shownForm), question)} answer={answered.answer} />
    </>
  );
}

function NothingSure({ question, start }: Pick<Props, 'question' | 'start'>) {
  const { category, nearest, photos, pricing } = question;
  const price = visionPrice(pricing, photos);
  return (
    <div class="nothing">
      <h2 ref={takeFocus}>{nearest ? 'There is nothing to compare it with' : 'Nothing is sure'}</h2>
      {category !== '' && <p>Only {nameOf(category)} were looked among.</p>}
      <p>
        The item may not be in the catalog, or the photo does not show enough of it. One item, whole, in
        daylight works best, from several sides. Nothing was charged.
      </p>
      {!nearest && (
        <>
          <Button onClick={() => start({ ...question, nearest: true })}>
            Show the nearest for {price} credits
          </Button>
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
  readonly state: FeedbackState;
}

/** The rows after the first: if that is a brand or a model, those below it, then the others. */
function RunnersUp({ rows, chosen, choose, state }: RunnersProps) {
  const [first, ...others] = rows.map((row, at) => ({ row, at }));
  if (!first || others.length === 0) return null;
  const isBelow = ({ row }: { row: Row }) =>
    first.row.variants === undefined && row.attributes?.some(({ id }) => id === first.row.id) === true;
  const groups = [
    { name: `The likeliest of ${titleOf(first.row)}`, cards: others.filter(isBelow) },
    { name: 'Or one of these', cards: others.filter((each) => !isBelow(each)) },
  ].filter(({ cards }) => cards.length > 0);
  const none = rows.reduce((rest, { variants, confidence = 0 }) => rest - (variants ? confidence : 0), 1);
  const split = disagreement(first.row) !== null;
  return (
    <section class="others" aria-label={groups[0]?.name}>
      {groups.map(({ name, cards }) => (
        <div key={name}>
          <h2>{name}</h2>
          <ol>
            {cards.map(({ row, at }) => (
              <li key={row.id}>
                <Button class="card" aria-pressed={at === chosen} onClick={() => choose(at)}>
                  <Picture src={thumbnailOf(row) ?? row.evidence?.image} alt="" />
                  <span class="name">{titleOf(row)}</span>
                  <span class="path">{pathOf(row)}</span>
                  {split && <span class="path">{supporters(row)}</span>}
                  <Confidence value={row.confidence ?? 0} small />
                </Button>
                <p class="acts">
                  <Confirm row={row} state={state} class="link" />
                  <Link to={itemLink(row.id)}>
                    Open<span class="hidden"> {titleOf(row)}</span>
                  </Link>
                </p>
              </li>
            ))}
          </ol>
        </div>
      ))}
      {none >= 0.01 && <p class="fine">The chance that it is none of these is {percent(none)}.</p>}
    </section>
  );
}

const NEAREST_ONLY = 'Nothing is sure. These are only the nearest of the catalog.';

const LIKELY = 0.6;

function labelOf({ confidence = 0 }: Row, chosen: number, { nearest }: Question): string {
  if (chosen > 0) return `Number ${chosen + 1}`;
  if (nearest) return 'The nearest';
  return confidence < LIKELY ? 'Best match, not sure' : 'Best match';
}

function said(rows: readonly Row[], chosen: number, doubt: string | null): string {
  const row = rows[chosen];
  if (!row) return 'Nothing is sure.';
  const sure = `${titleOf(row)}, ${percent(row.confidence ?? 0)}`;
  if (chosen > 0) return `Number ${chosen + 1}: ${sure}`;
  return `${doubt ? `${doubt} ` : ''}${counted(rows.length, 'match', 'matches')}. The best one is ${sure}.`;
}
