import { AsyncLocalStorage } from 'node:async_hooks';

/** Follows a call through every `await`: its account, or its source address until its key is known (contract 12.12). */
const calls = new AsyncLocalStorage<{ party: string | null }>();

/** Does work for a party; null is the service itself. Work for several accounts at once has its own name. */
export const runAsParty = <Result>(party: string | null, work: () => Result): Result =>
  calls.run({ party }, work);

export function setCurrentParty(party: string): void {
  const call = calls.getStore();
  if (call) call.party = party;
}

export const currentParty = (): string | null => calls.getStore()?.party ?? null;
