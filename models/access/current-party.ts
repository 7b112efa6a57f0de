import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The party for which work is done: the account of a call, or its source address until its key is known. It follows the
 * call through every `await`, so that shared resources can be divided by party (contract 12.12).
 */
const calls = new AsyncLocalStorage<{ party: string | null }>();

/** Does work for a party; null is the service itself. Work for several accounts at once has its own name. */
export const workFor = <Result>(party: string | null, work: () => Result): Result =>
  calls.run({ party }, work);

export function goOnFor(party: string): void {
  const call = calls.getStore();
  if (call) call.party = party;
}

export const currentParty = (): string | null => calls.getStore()?.party ?? null;
