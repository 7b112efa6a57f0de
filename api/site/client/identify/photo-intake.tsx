import { useState } from 'preact/hooks';
import { visionPrice } from '../../../../models/access/credits';
import { type Given, isAddress, type Photo, type Photos } from '../photos/photo';
import { PhotoTray } from '../photos/photo-tray';
import type { IdentifyOptions } from '../service/calls';
import { counted, identifyTitle, nameOf } from '../service/names';
import { useSession } from '../session/session';
import { Button, FileButton, Radios, takeFocus } from '../shell/parts';

interface Props {
  readonly photos: Photos;
  /** Whether the item is to be added. */
  readonly adding: boolean;
  /** The one that made the last request fail. */
  readonly faulty: Photo | null;
  readonly options: IdentifyOptions;
  readonly setOptions: (options: IdentifyOptions) => void;
  readonly give: (given: readonly Given[]) => void;
  readonly identify: () => void;
  readonly identifySample: (sample: File) => void;
  /** Whether the user returned here instead of starting here. */
  readonly returned: boolean;
}

/** Every way to give pictures: choose, photograph, drop, paste, an address, or a demonstration photo; and what to ask. */
export function PhotoIntake(props: Props) {
  const { photos, adding, faulty, options, setOptions, give, identify, identifySample, returned } = props;
  const { photos: samples, categories } = useSession();
  const count = photos.photos.length;
  const price = visionPrice({ pricing: options.pricing && !adding, photos: Math.max(1, count) });
  return (
    <section class="intake" aria-labelledby="identify">
      <h1 id="identify" ref={returned ? takeFocus : null} tabIndex={-1}>
        {adding ? 'Add an item' : identifyTitle(categories)}
      </h1>
      <p class="lead">
        {adding
          ? 'Its photos show first whether it is in the catalog already.'
          : 'From photos to the item in the catalog, what it is called and what it sells for.'}
      </p>
      <div class={count === 0 ? 'well' : 'well filled'}>
        {count > 0 && <PhotoTray photos={photos} faulty={faulty} />}
        {photos.full && <p class="hint">{count} pictures, as many as can be sent</p>}
        {!photos.full && count > 0 && (
          <p class="hint">More sides help: front, back, inside, labels and marks</p>
        )}
        {count === 0 && (
          <>
            <p class="hint mouse">Drop pictures of one item anywhere on this page, paste them, or</p>
            <p class="hint touch">One item, whole, in daylight</p>
          </>
        )}
        {photos.refused && (
          <p class="fault" role="alert">
            {photos.refused}
          </p>
        )}
        {!photos.full && (
          <>
            <p class="buttons">
              <FileButton class={count > 0 ? 'button' : 'button primary'} give={give}>
                {count > 0 ? 'Add pictures' : 'Choose pictures'}
              </FileButton>
              <FileButton class="button camera" give={give}>
                {count > 0 ? 'Take another' : 'Take a photo'}
              </FileButton>
            </p>
            <AddressForm give={give} />
          </>
        )}
      </div>
      <p class="hidden" role="status">
        {count > 0 && `${counted(count, 'picture')} chosen`}
      </p>
      <ScopeField category={options.category} choose={(category) => setOptions({ ...options, category })} />
      <p class="option">
        {!adding && (
          <label>
            <input
              type="checkbox"
              checked={options.pricing}
              onChange={({ currentTarget }) => setOptions({ ...options, pricing: currentTarget.checked })}
            />
            With price estimates
          </label>
        )}{' '}
        <span class="fine">{price} credits for an answer; free when nothing matches.</span>
      </p>
      {count > 0 && (
        <p class="ask">
          <Button class="primary" onClick={identify}>
            {adding ? 'Look for it in the catalog' : 'Identify'}
          </Button>
        </p>
      )}
      {count === 0 && samples.length > 0 && !adding && <Samples photos={samples} identify={identifySample} />}
    </section>
  );
}

function AddressForm({ give }: Pick<Props, 'give'>) {
  const [address, setAddress] = useState('');
  const [wrong, setWrong] = useState(false);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const url = address.trim();
        setWrong(!isAddress(url));
        if (!isAddress(url)) return;
        setAddress('');
        give([url]);
      }}
    >
      <label for="address">Or the address of a picture</label>
      <div class="line">
        <input
          id="address"
          type="url"
          placeholder="https://"
          value={address}
          aria-invalid={wrong || undefined}
          aria-describedby={wrong ? 'address-fault' : undefined}
          onInput={({ currentTarget }) => setAddress(currentTarget.value)}
        />
        <Button type="submit">Add</Button>
      </div>
      {wrong && (
        <p class="fault" id="address-fault" role="alert">
          Give an address that starts with https:// or http://.
        </p>
      )}
    </form>
  );
}

interface SamplesProps {
  readonly photos: readonly string[];
  readonly identify: (sample: File) => void;
}

/** For visitors without a photo at hand. */
function Samples({ photos, identify }: SamplesProps) {
  const [fault, setFault] = useState(false);
  const use = async (address: string, name: string) => {
    try {
      const photo = await (await fetch(address)).blob();
      identify(new File([photo], name, { type: photo.type }));
    } catch {
      setFault(true);
    }
  };
  return (
    <div class="samples">
      <h2>Nothing at hand? Try one of these</h2>
      <ul>
        {photos.map((address, at) => (
          <li key={address}>
            <Button onClick={() => void use(address, `Sample ${at + 1}`)}>
              <img src={address} alt={`Sample ${at + 1}`} />
            </Button>
          </li>
        ))}
      </ul>
      {fault && <p role="alert">The sample can’t be reached.</p>}
    </div>
  );
}

interface ScopeFieldProps {
  /** Empty: any. */
  readonly category: string;
  readonly choose: (category: string) => void;
}

/** What the item is, if known. */
function ScopeField({ category, choose }: ScopeFieldProps) {
  const { categories } = useSession();
  if (categories.length < 2) return null;
  return (
    <details class="scope">
      <summary>Look among: {category === '' ? 'anything' : nameOf(category)}</summary>
      <Radios
        class="variants"
        legend={<span class="hidden">Look among</span>}
        name="scope"
        options={[{ id: '', name: 'Anything' }, ...categories]}
        chosen={category}
        choose={choose}
      />
    </details>
  );
}
