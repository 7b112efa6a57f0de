import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * For whom work is done: the account of a call, or the address that it comes from until its key is known. It follows the
 * call through every `await`, so that what calls share can be shared by party (contract 12.12).
 */
const calls = new AsyncLocalStorage<{ party: string | null }>();

/** Does work for a party; null is the service itself. What serves several accounts at once has a name of its own. */
export const workFor = <Result>(party: string | null, work: () => Result): Result =>
  calls.run({ party }, work);

/** From here on the work under way is done for this party. */
export function goOnFor(party: string): void {
  const call = calls.getStore();
  if (call) call.party = party;
}

/** For whom the work under way is done; null for nobody in particular. */
export const currentParty = (): string | null => calls.getStore()?.party ?? null;
