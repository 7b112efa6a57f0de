import { useState } from 'preact/hooks';
import { visionPrice } from '../../../../models/access/credits';
import { isAddress } from '../photos/photo';
import { PhotoTray } from '../photos/photo-tray';
import { counted, identifyTitle, nameOf } from '../service/names';
import { useSession } from '../session/session';
import { Alert, Button, FileButton, LineForm, Radios, Status, takeFocus } from '../shell/parts';
import type { Identification } from './use-identification';

/** Every way to give pictures: choose, photograph, drop, paste, an address, or a demonstration photo; and what to ask. */
export function PhotoIntake(identification: Identification) {
  const { photos, adding, faulty, options, setOptions, give, identify, returned } = identification;
  const { categories } = useSession();
  const count = photos.photos.length;
  const price = visionPrice(options.pricing && !adding, photos.photos);
  return (
    <section class="intake" aria-labelledby="identify">
      <h1 id="identify" ref={returned ? takeFocus : null}>
        {adding ? 'Add an item' : identifyTitle(categories)}
      </h1>
      <p class="lead">
        {adding
          ? 'Its photos show first whether it is in the catalog already.'
          : 'From photos to the item in the catalog, what it is called and what it sells for.'}
      </p>
      <div class="well">
        {count > 0 && <PhotoTray photos={photos} faulty={faulty} />}
        {count === 0 ? (
          <>
            <p class="hint mouse">Drop pictures of one item anywhere on this page, paste them, or</p>
            <p class="hint touch">One item, whole, in daylight</p>
          </>
        ) : (
          <p class="hint">{photos.full ? `${count} pictures, as many as can be sent` : MORE_SIDES}</p>
        )}
        <Alert words={photos.refused} />
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
      <Status>{count > 0 && `${counted(count, 'picture')} chosen`}</Status>
      <ScopeField options={options} setOptions={setOptions} />
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
          <Button class="primary" onClick={() => identify()}>
            {adding ? 'Look for it in the catalog' : 'Identify'}
          </Button>
        </p>
      )}
      {count === 0 && !adding && <Samples identify={(sample) => identify(photos.add([sample]))} />}
    </section>
  );
}

const MORE_SIDES = 'More sides help: front, back, inside, labels and marks';

function AddressForm({ give }: Pick<Identification, 'give'>) {
  const [address, setAddress] = useState('');
  const [wrong, setWrong] = useState(false);
  const submit = () => {
    const url = address.trim();
    setWrong(!isAddress(url));
    if (!isAddress(url)) return;
    setAddress('');
    give([url]);
  };
  return (
    <LineForm
      label="Or the address of a picture"
      type="url"
      placeholder="https://"
      aria-invalid={wrong || undefined}
      aria-describedby={wrong ? 'address-fault' : undefined}
      value={address}
      change={setAddress}
      action="Add"
      submit={submit}
    >
      <Alert id="address-fault" words={wrong && 'Give an address that starts with https:// or http://.'} />
    </LineForm>
  );
}

function Samples({ identify }: { readonly identify: (sample: File) => void }) {
  const { photos } = useSession();
  const [fault, setFault] = useState(false);
  if (photos.length === 0) return null;
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

function ScopeField({ options, setOptions }: Pick<Identification, 'options' | 'setOptions'>) {
  const { category } = options;
  const { categories } = useSession();
  if (categories.length < 2) return null;
  return (
    <details class="scope">
      <summary>Look among: {category === '' ? 'anything' : nameOf(category)}</summary>
      <Radios
        class="variants"
        legend={<span class="hidden">Look among</span>}
        options={[{ id: '', name: 'Anything' }, ...categories]}
        chosen={category}
        choose={(id) => setOptions({ ...options, category: id })}
      />
    </details>
  );
}
