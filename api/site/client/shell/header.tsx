import { useState } from 'preact/hooks';
import { inWords } from '../service/failure';
import { counted } from '../service/names';
import { useSession } from '../session/session';
import { Link, type View } from './navigation';
import { Button, Scrollable } from './parts';

/** Name of the page, its two places, and the key that pays. */
export function Header({ view }: { readonly view: View }) {
  const { key, kind, mayWrite, creditsUsed, creditsRemaining, signOut } = useSession();
  const at = (place: View) => (view === place ? 'page' : undefined);
  return (
    <header>
      <Link to="" class="mark">
        Loupe
      </Link>
      <nav aria-label="Main">
        <Link to="" aria-current={at('identify')}>
          Identify
        </Link>
        <Link to="view=catalog" aria-current={at('catalog') ?? (view === 'item' ? 'true' : undefined)}>
          Catalog
        </Link>
        {mayWrite && (
          <Link to="view=add" aria-current={at('add')}>
            Add an item
          </Link>
        )}
      </nav>
      {key !== null && (
        <div class="account">
          <span class="credits">
            {counted(creditsUsed, 'credit')} used
            {creditsRemaining !== null && `, ${creditsRemaining.toLocaleString('en')} left`}
          </span>
          <span class="whose">{kind === 'demo' ? 'Demonstration key' : 'Your key'}</span>
          <Button class="link" onClick={signOut}>
            Sign out
          </Button>
        </div>
      )}
    </header>
  );
}

/** Asks for a key, and says at once why it is not accepted. */
export function SignIn() {
  const { signIn, refused, checking, offered, takeOffer } = useSession();
  const [typed, setTyped] = useState('');
  const words = refused && inWords(refused);
  return (
    <section class="sign-in" aria-labelledby="sign-in">
      <h1 id="sign-in" tabIndex={-1}>
        Sign in with an API key
      </h1>
      <p class="lead">It stays in this tab and is forgotten when you close it.</p>
      {words && (
        <p class="fault" role="alert" id="key-fault">
          <strong>{words.title}.</strong> {words.text}
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() !== '') void signIn(typed.trim());
        }}
      >
        <label for="key">API key</label>
        <div class="line">
          <input
            id="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="loupe_live_…"
            aria-describedby={words ? 'key-fault' : undefined}
            aria-invalid={words ? true : undefined}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Button type="submit" class="primary" disabled={checking}>
            {checking ? 'Signing in' : 'Sign in'}
          </Button>
        </div>
      </form>
      {offered && (
        <p>
          <Button class="link" onClick={() => void takeOffer()}>
            Use the demonstration’s key
          </Button>
        </p>
      )}
      <h2>No key yet?</h2>
      <p>The operator of this service makes one on its machine:</p>
      <Scrollable label="Commands">
        <pre>{MAKE_KEY}</pre>
      </Scrollable>
    </section>
  );
}

const MAKE_KEY = 'npm run loupe -- keys create --name browser --versions v3';
