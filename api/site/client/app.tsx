import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CatalogView } from './catalog/catalog-view';
import { ChangeItem } from './edit/edit-item';
import { IdentifyView } from './identify/identify-view';
import { ItemView } from './item/item-view';
import { SessionProvider, useNewSession } from './session/session';
import { Header, SignIn } from './shell/header';
import { useAddress, viewOf } from './shell/navigation';
import { takeFocus } from './shell/parts';
import './styles/index.css';

/**
 * The whole page. The identify view stays mounted, with its photo and matches, while others are shown.
 * @param facts what the document passes to the page in its attributes
 */
function App({ facts }: { readonly facts: DOMStringMap }) {
  const session = useNewSession(facts['demo'] === 'yes');
  const parameters = useAddress();
  const view = viewOf(parameters);
  const item = parameters.get('item') ?? '';
  const signedIn = session.key !== null;
  const identifies = view === 'identify' || view === 'add';
  const place = `${view} ${item} ${signedIn}`;
  const before = useRef(place);
  // The focus goes to the heading of a newly opened view, where a screen reader starts reading.
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    const heading = [...document.querySelectorAll<HTMLElement>('main h1')].find((each) => each.offsetParent);
    // A view that still waits for its answer takes the focus from here once it has a heading.
    takeFocus(heading ?? document.getElementById('main'));
    scrollTo({ top: 0 });
  }, [place]);
  return (
    <SessionProvider value={session}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header view={view} />
      <main id="main" tabIndex={-1}>
        {!signedIn && !session.opening && <SignIn />}
        {/* A key that is refused while photos are chosen must not lose them. */}
        <div hidden={!signedIn || !identifies}>
          <IdentifyView
            key={session.visit}
            shown={signedIn && identifies}
            adding={view === 'add'}
            imageBytesMax={Number(facts['imageBytesMax'])}
            photosMax={Number(facts['photosMax'])}
          />
        </div>
        {signedIn && view === 'catalog' && <CatalogView parameters={parameters} />}
        {signedIn && view === 'item' && <ItemView key={item} id={item} acts={ChangeItem} />}
      </main>
      <footer>
        <p>
          Estimates are for looking at, not for keeping. Loupe compares pictures; it never proves that an item
          is genuine.
        </p>
        <nav aria-label="For developers">
          <a href="docs">API reference</a>
          <a href="openapi.json">OpenAPI</a>
        </nav>
      </footer>
    </SessionProvider>
  );
}

const root = document.getElementById('loupe');
if (root) render(<App facts={root.dataset} />, root);
