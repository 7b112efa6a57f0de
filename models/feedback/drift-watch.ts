import { inject, injectable } from 'tsyringe';
import type * as ports from '../ports';
import { PORTS } from '../ports';

/** Days of feedback that are examined, on answers since the live model or its calibration last changed. */
export const RELIABILITY_DAYS = 30;
const DAY_MS = 86_400_000;

/** With fewer answers there is too little evidence; a smaller gap between claims and truth is normal (contract 16.17). */
const ANSWERS_MIN = 200;
const APART_MAX = 0.1;
const TOLD_EVERY_MS = 7 * DAY_MS;

@injectable()
export class DriftWatch {
  constructor(
    @inject(PORTS.PredictionRepository) private readonly predictions: ports.PredictionRepository,
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: ports.EmbeddingRepository,
    @inject(PORTS.WebhookStore) private readonly webhooks: ports.WebhookStore,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
  ) {}

  async reliability() {
    return together(await this.#byAccount());
  }

  /** Tells webhooks that confidence has drifted: all accounts, if it shows whichever is left out, else those whose answers show it. */
  async run(): Promise<void> {
    const accounts = await this.#byAccount();
    const without = (left: ports.AccountReliability) => together(accounts.filter((each) => each !== left));
    if (accounts.length > 1 && accounts.every((each) => driftIn(without(each)))) {
      return this.#report(together(accounts), null);
    }
    for (const each of accounts) await this.#report(each, each.accountId);
  }

  async #byAccount(): Promise<readonly ports.AccountReliability[]> {
    const live = (await this.embeddings.versions()).find(({ state }) => state === 'live');
    const changed = Math.max(Number(live?.promotedAt ?? 0), Number(live?.calibratedAt ?? 0));
    const recent = this.clock.now().getTime() - RELIABILITY_DAYS * DAY_MS;
    return this.predictions.reliabilitySince(new Date(Math.max(changed, recent)));
  }

  async #report(figures: ReturnType<typeof together>, accountId: string | null): Promise<void> {
    const drift = driftIn(figures);
    if (drift) await this.webhooks.sendDrift(drift, accountId, TOLD_EVERY_MS);
  }
}

function together(accounts: readonly ports.AccountReliability[]) {
  const sumOf = (of: (account: ports.AccountReliability) => number) =>
    accounts.reduce((sum, account) => sum + account.answers * of(account), 0);
  const answers = sumOf(() => 1);
  const mean = (of: (account: ports.AccountReliability) => number) =>
    answers === 0 ? null : sumOf(of) / answers;
  return { answers, claimed: mean(({ claimed }) => claimed), right: mean(({ right }) => right) };
}

function driftIn({ answers, claimed, right }: ReturnType<typeof together>) {
  if (claimed === null || right === null || answers < ANSWERS_MIN) return null;
  return Math.abs(claimed - right) > APART_MAX ? { claimed, right, answers } : null;
}
