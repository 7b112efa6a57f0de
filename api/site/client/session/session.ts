import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import {
  type AccountAnswer,
  type Answered,
  type Category,
  Failure,
  type FeedbackAnswer,
  sendCall,
  showAccount,
} from '../service/calls';
import { rememberCategories } from '../service/names';

/** The signed-in session. The key is in this tab alone: in its memory, and in its session storage if it was typed. */
export interface Session {
  /** Null until somebody signs in. */
  readonly key: string | null;
  readonly kind: 'demo' | 'own';
  /** Addresses of photos to try, where this is a demonstration. */
  readonly photos: readonly string[];
  /** Those of the catalog; empty as long as the service has not named them. */
  readonly categories: readonly Category[];
  /** Whether the key may write the catalog. */
  readonly mayWrite: boolean;
  readonly creditsUsed: number;
  readonly creditsRemaining: number | null;
  /** Why the last key did not sign in, or does not any more. */
  readonly refused: Failure | null;
  /** Whether the service's own key is being fetched; whether a typed one is being checked. */
  readonly opening: boolean;
  readonly checking: boolean;
  /** Whether the service offers a key of its own. */
  readonly offered: boolean;
  /** Another after each sign-out: what was gathered under one session is not shown in the next. */
  readonly visit: number;
  /** Asks the service, free of charge, whether the key opens it, and keeps the key if so. */
  readonly signIn: (key: string) => void;
  readonly takeOffer: () => void;
  readonly signOut: () => void;
  /** Books what an answer cost; a refused key is let go. */
  readonly note: (outcome: Answered | Answered<FeedbackAnswer> | Failure) => void;
}

const KEPT = 'loupe-key';
const NO_CATEGORIES: readonly Category[] = [];

const Context = createContext<Session | null>(null);
export const SessionProvider = Context.Provider;

/** The session; there is one around the whole page. */
export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error('there is no session around this');
  return session;
}

/** Opens the session: with the key that this tab keeps, else with the demonstration's where one is offered. */
export function useNewSession(offered: boolean, forget: () => void): Session {
  const [key, setKey] = useState(() => sessionStorage.getItem(KEPT));
  const [kind, setKind] = useState<'demo' | 'own'>('own');
  const [photos, setPhotos] = useState<readonly string[]>([]);
  const [opening, setOpening] = useState(offered && key === null);
  const [checking, setChecking] = useState(false);
  const [credits, setCredits] = useState({ used: 0, remaining: null as number | null });
  const [refused, setRefused] = useState<Failure | null>(null);
  const [visit, setVisit] = useState(0);
  const [told, setTold] = useState<AccountAnswer | null>(null);

  const change = useCallback(
    (next: string | null, of: 'demo' | 'own', account: AccountAnswer | null = null) => {
      if (next !== null && of === 'own') sessionStorage.setItem(KEPT, next);
      else sessionStorage.removeItem(KEPT);
      forget();
      setKind(of);
      setKey(next);
      setTold(account);
      rememberCategories(account?.categories ?? []);
      setCredits({ used: 0, remaining: account?.account.credits ?? null });
    },
    [],
  );
  const takeOffer = useCallback(async () => {
    const offer = await readOffer();
    setPhotos(offer?.photos ?? []);
    if (offer) change(offer.key, 'demo');
    setRefused(null);
    setOpening(false);
  }, []);
  useEffect(() => {
    if (opening) void takeOffer();
  }, []);

  const signIn = useCallback(async (typed: string) => {
    setChecking(true);
    try {
      const signal = new AbortController().signal;
      const { answer } = await sendCall<AccountAnswer>(showAccount, { key: typed, signal });
      setRefused(null);
      change(typed, 'own', answer);
    } catch (failure) {
      setRefused(failure instanceof Failure ? failure : new Failure(0, 'No answer.'));
    } finally {
      setChecking(false);
    }
  }, []);
  const signOut = useCallback(() => {
    setRefused(null);
    setVisit((before) => before + 1);
    change(null, 'own');
  }, []);
  const note = useCallback((outcome: Answered | Answered<FeedbackAnswer> | Failure) => {
    if (!(outcome instanceof Failure)) {
      setRefused(null);
      setCredits(({ used }) => ({
        used: used + outcome.answer.credits_used,
        remaining: outcome.creditsRemaining,
      }));
    } else if (outcome.status === 401) {
      setRefused(outcome);
      change(null, 'own');
    }
  }, []);
  // A key that was not typed just now: the page works without this answer, so only a refused key is said.
  useEffect(() => {
    if (key === null || told !== null) return;
    const asking = new AbortController();
    sendCall<AccountAnswer>(showAccount, { key, signal: asking.signal }).then(
      ({ answer }) => {
        rememberCategories(answer.categories);
        setTold(answer);
        setCredits(({ used, remaining }) => ({ used, remaining: remaining ?? answer.account.credits }));
      },
      (failure) => failure instanceof Failure && note(failure),
    );
    return () => asking.abort();
  }, [key]);
  return useMemo(
    () => ({
      key,
      categories: told?.categories ?? NO_CATEGORIES,
      mayWrite: told !== null && !told.key.test && told.key.scopes.includes('catalog:write'),
      kind,
      photos,
      refused,
      offered,
      opening,
      checking,
      visit,
      creditsUsed: credits.used,
      creditsRemaining: credits.remaining,
      signIn: (typed: string) => void signIn(typed),
      signOut,
      note,
      takeOffer: () => void takeOffer(),
    }),
    [key, kind, photos, refused, opening, checking, visit, credits, told],
  );
}

async function readOffer(): Promise<{ key: string; photos: string[] } | null> {
  try {
    const answer = await fetch('demo/session');
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}
