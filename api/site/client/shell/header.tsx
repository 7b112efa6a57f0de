import type { View } from '../navigation/address';
import { Link } from '../navigation/link';
import { useSession } from '../session/session';

/** Name of the page, its two places, and the key that pays. */
export function Header({ view }: { readonly view: View }) {
  const { key, kind, creditsUsed, creditsRemaining, signOut } = useSession();
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
      </nav>
      {key !== null && (
        <div class="account">
          <span class="credits">
            {creditsUsed} {creditsUsed === 1 ? 'credit' : 'credits'} used
            {creditsRemaining !== null && `, ${creditsRemaining.toLocaleString('en')} left`}
          </span>
          <span class="whose">{kind === 'demo' ? 'Demonstration key' : 'Your key'}</span>
          <button type="button" class="link" onClick={signOut}>
            Sign out
          </button>
        </div>
      )}
    </header>
  );
}
