import { useState } from 'preact/hooks';
import { useSession } from '../session/session';
import { type Photo, photoAt, photoOfFile } from './photo';

interface Props {
  readonly take: (photo: Photo) => void;
  readonly pricing: boolean;
  readonly setPricing: (pricing: boolean) => void;
}

const FORMATS = 'image/jpeg,image/png,image/webp';

/** Every way to give a picture: choose, photograph, drop, paste, an address, or one of the demonstration's. */
export function PhotoIntake({ take, pricing, setPricing }: Props) {
  const { photos } = useSession();
  const choose = (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (file) take(photoOfFile(file, file.name));
    input.value = '';
  };
  return (
    <section class="intake" aria-labelledby="identify">
      <h1 id="identify" tabIndex={-1}>
        Identify a bag or a watch
      </h1>
      <p class="lead">From one photo to the item in the catalog, what it is called and what it sells for.</p>
      <div class="well">
        <p class="hint">Drop a picture anywhere on this page, paste it, or</p>
        <p class="hint touch">One item, whole, in daylight</p>
        <p class="buttons">
          <label class="button primary">
            <input type="file" accept={FORMATS} onChange={({ currentTarget }) => choose(currentTarget)} />
            Choose a picture
          </label>
          <label class="button camera">
            <input
              type="file"
              accept="image/jpeg"
              capture="environment"
              onChange={({ currentTarget }) => choose(currentTarget)}
            />
            Take a photo
          </label>
        </p>
        <AddressForm take={take} />
      </div>
      <p class="option">
        <label>
          <input
            type="checkbox"
            checked={pricing}
            onChange={({ currentTarget }) => setPricing(currentTarget.checked)}
          />
          With price estimates
        </label>{' '}
        <span class="fine">
          {pricing ? '10 credits for an answer' : '5 credits for an answer'}; free when nothing matches.
        </span>
      </p>
      {photos.length > 0 && <Samples photos={photos} take={take} />}
    </section>
  );
}

function AddressForm({ take }: Pick<Props, 'take'>) {
  const [address, setAddress] = useState('');
  const [wrong, setWrong] = useState(false);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const url = address.trim();
        setWrong(!/^https?:\/\/./i.test(url));
        if (/^https?:\/\/./i.test(url)) take(photoAt(url));
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
        <button type="submit">Identify</button>
      </div>
      {wrong && (
        <p class="fault" id="address-fault" role="alert">
          Give an address that starts with https:// or http://.
        </p>
      )}
    </form>
  );
}

/** For whoever has no bag at hand. */
function Samples({ photos, take }: { readonly photos: readonly string[]; readonly take: Props['take'] }) {
  const [fault, setFault] = useState(false);
  const use = async (address: string, number: number) => {
    try {
      take(photoOfFile(await (await fetch(address)).blob(), `Sample ${number}`));
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
            <button type="button" onClick={() => void use(address, at + 1)}>
              <img src={address} alt={`Sample ${at + 1}`} />
            </button>
          </li>
        ))}
      </ul>
      {fault && <p role="alert">The sample can’t be reached.</p>}
    </div>
  );
}
