import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { Account } from '../../../client/schema';
import * as calls from '../service/calls';
import { Failure } from '../service/failure';
import { rememberCategories } from '../service/names';

/** The key is only in this tab: in its memory, and in its session storage if it was typed. */
const SIGNED_OUT = {
  key: null as string | null,
  kind: 'own' as 'demo' | 'own',
  /** Addresses of photos to try, if this is a demonstration. */
  photos: [] as readonly string[],
  /** What the service says about the key; null until it does. */
  account: null as Account | null,
  creditsUsed: 0,
  creditsRemaining: null as number | null,
  /** Why the last key was not accepted, or no longer is. */
  refused: null as Failure | null,
  /** Whether the service's own key is being fetched; whether a typed one is being checked. */
  opening: false,
  checking: false,
  /** Changes at each sign-out: data from one session is not shown in the next. */
  visit: 0,
};
type State = Readonly<typeof SIGNED_OUT>;
export type Session = ReturnType<typeof useNewSession>;

export type CachedAnswer = Readonly<{ call: calls.Call; answered: calls.Answered; at: number }>;

type Offer = Readonly<{ key: string; photos: string[] }>;

const KEPT = 'loupe-key';
const NO_CATEGORIES: readonly calls.Category[] = [];
const Context = createContext<Session | null>(null);
export const SessionProvider = Context.Provider;

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error('there is no session around this');
  return session;
}

/** Opens the session: with the key kept in this tab, else with the demonstration's if one is offered. */
export function useNewSession(offered: boolean) {
  const [state, setState] = useState<State>(() => {
    const kept = sessionStorage.getItem(KEPT);
    return { ...SIGNED_OUT, key: kept, opening: offered && kept === null };
  });
  const { key, account } = state;
  /** Answers by their call. Each key has its own cache: what one account may see, another may not. */
  const answers = useMemo(() => new Map<string, CachedAnswer>(), [key]);
  const patch = (change: Partial<State>) => setState((before) => ({ ...before, ...change }));
  /** Restarts the session with another key, or with none. */
  const change = (next: string | null, kind: State['kind'], more: Partial<State> = {}) => {
    if (next !== null && kind === 'own') sessionStorage.setItem(KEPT, next);
    else sessionStorage.removeItem(KEPT);
    const { account: checked = null } = more;
    rememberCategories(checked?.categories ?? []);
    const credits = { creditsUsed: 0, creditsRemaining: checked?.account.credits ?? null };
    patch({ key: next, kind, account: null, refused: null, ...credits, ...more });
  };
  const takeOffer = async () => {
    const answer = await fetch('demo/session').catch(() => null);
    const offer: Offer | null = answer?.ok ? await answer.json().catch(() => null) : null;
    const taken = { photos: offer?.photos ?? [], refused: null, opening: false };
    if (offer) change(offer.key, 'demo', taken);
    else patch(taken);
  };
  /** Checks the key with the service, free of charge, and keeps it if it is accepted. */
  const signIn = async (typed: string) => {
    patch({ checking: true });
    try {
      const { answer } = await calls.sendCall(calls.showAccount, typed, {});
      change(typed, 'own', { account: answer, checking: false });
    } catch (reason) {
      const refused = reason instanceof Failure ? reason : new Failure(0, 'No answer.');
      patch({ refused, checking: false });
    }
  };
  const signOut = () => change(null, 'own', { visit: state.visit + 1 });
  /** Makes a call and records its cost; a refused key is dropped. @throws as `sendCall` does */
  const send = async <Answer extends { credits_used: number }>(
    call: calls.Call<Answer>,
    how: calls.Sending = {},
  ) => {
    if (key === null) throw new Failure(401, 'Nobody is signed in.');
    try {
      const answered = await calls.sendCall(call, key, how);
      setState(({ creditsUsed, creditsRemaining, ...before }) => ({
        ...before,
        refused: null,
        creditsUsed: creditsUsed + answered.answer.credits_used,
        creditsRemaining: answered.creditsRemaining ?? creditsRemaining,
      }));
      return answered;
    } catch (reason) {
      if (reason instanceof Failure && reason.status === 401) change(null, 'own', { refused: reason });
      throw reason;
    }
  };
  useEffect(() => {
    if (state.opening) void takeOffer();
  }, []);
  // The key was kept from before: the page works without this answer.
  useEffect(() => {
    if (key === null || account !== null) return;
    const asking = new AbortController();
    send(calls.showAccount, { signal: asking.signal }).then(
      ({ answer }) => {
        rememberCategories(answer.categories);
        setState(({ creditsRemaining, ...before }) => ({
          ...before,
          account: answer,
          creditsRemaining: creditsRemaining ?? answer.account.credits,
        }));
      },
      () => undefined,
    );
    return () => asking.abort();
  }, [key]);
  const mayWrite = account !== null && !account.key.test && account.key.scopes.includes('catalog:write');
  const categories = account?.categories ?? NO_CATEGORIES;
  return { ...state, categories, mayWrite, offered, answers, signIn, takeOffer, signOut, send };
}
