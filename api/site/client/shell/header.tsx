import { useState } from 'preact/hooks';
import { describeFailure } from '../service/failure';
import { counted } from '../service/names';
import { useSession } from '../session/session';
import { Link, type View } from './navigation';
import { Alert, Button, LineForm, Scrollable } from './parts';

export function Header({ view }: { readonly view: View }) {
  const { key, kind, mayWrite, creditsUsed, creditsRemaining, signOut } = useSession();
  const at = (place: View) => (view === place ? 'page' : undefined);
  const place = (to: string, name: string, current: 'page' | 'true' | undefined) => (
    <Link to={to} aria-current={current}>
      {name}
    </Link>
  );
  return (
    <header>
      <Link to="" class="mark">
        Loupe
      </Link>
      <nav aria-label="Main">
        {place('', 'Identify', at('identify'))}
        {place('view=catalog', 'Catalog', at('catalog') ?? (view === 'item' ? 'true' : undefined))}
        {mayWrite && place('view=add', 'Add an item', at('add'))}
      </nav>
      {key !== null && (
        <div class="account">
          <span>
            {counted(creditsUsed, 'credit')} used
            {creditsRemaining !== null && `, ${creditsRemaining.toLocaleString('en')} left`}
          </span>
          <span>{kind === 'demo' ? 'Demonstration key' : 'Your key'}</span>
          <Button class="link" onClick={signOut}>
            Sign out
          </Button>
        </div>
      )}
    </header>
  );
}

export function SignIn() {
  const { signIn, refused, checking, offered, takeOffer } = useSession();
  const [typed, setTyped] = useState('');
  const words = refused && describeFailure(refused);
  return (
    <section class="sign-in" aria-labelledby="sign-in">
      <h1 id="sign-in">Sign in with an API key</h1>
      <p class="lead">It stays in this tab and is forgotten when you close it.</p>
      <Alert
        id="key-fault"
        words={words && [<strong key="title">{words.title}.</strong>, ` ${words.text}`]}
      />
      <LineForm
        label="API key"
        type="password"
        placeholder="loupe_live_…"
        aria-describedby={words ? 'key-fault' : undefined}
        aria-invalid={words ? true : undefined}
        value={typed}
        change={setTyped}
        action={checking ? 'Signing in' : 'Sign in'}
        primary
        busy={checking}
        submit={() => typed.trim() !== '' && void signIn(typed.trim())}
      />
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
        <pre>npm run loupe -- keys create --name browser --versions v3</pre>
      </Scrollable>
    </section>
  );
}
