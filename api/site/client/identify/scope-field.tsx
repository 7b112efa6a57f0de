import { useState } from 'preact/hooks';
import { listCategories } from '../service/calls';
import { nameOf } from '../service/names';
import { useAnswer } from '../session/use-answer';

interface Props {
  /** Empty: any. */
  readonly category: string;
  readonly choose: (category: string) => void;
}

/** What the item is, for whoever knows. The categories are asked for when they are first looked at. */
export function ScopeField({ category, choose }: Props) {
  const [open, setOpen] = useState(false);
  const { answered, failure } = useAnswer(open ? listCategories : null);
  const categories = answered?.answer.data ?? [];
  return (
    <details class="scope" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Look among: {category === '' ? 'anything' : nameOf(category)}</summary>
      {failure && <p role="alert">The categories can’t be listed now.</p>}
      {categories.length > 0 && (
        <fieldset class="variants">
          <legend class="hidden">Look among</legend>
          {[{ id: '', name: 'Anything' }, ...categories].map(({ id, name }) => (
            <label key={id}>
              <input type="radio" name="scope" checked={category === id} onChange={() => choose(id)} />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
      )}
    </details>
  );
}
