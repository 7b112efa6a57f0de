import { inject, injectable } from 'tsyringe';
import {
  type Clock,
  type EmbeddingRepository,
  PORTS,
  type PredictionRepository,
  type ReliabilitySummary,
  type WebhookStore,
} from '../ports';

/** Feedback of so many days is looked at, and none on answers from before the live model or its calibration changed. */
export const RELIABILITY_DAYS = 30;
const DAY_MS = 86_400_000;

/** Fewer answers say too little; claims and truth that are nearer are as they should be (contract 16.17). */
const ANSWERS_MIN = 200;
const APART_MAX = 0.1;
const TOLD_EVERY_MS = 7 * DAY_MS;

/** Whether the confidence of answers is still true, by what callers say of them. */
@injectable()
export class DriftWatch {
  constructor(
    @inject(PORTS.PredictionRepository) private readonly predictions: PredictionRepository,
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.WebhookStore) private readonly webhooks: WebhookStore,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  /** Of the answers of the last days under the live calibration. */
  async reliability(): Promise<ReliabilitySummary> {
    const live = (await this.embeddings.versions()).find(({ state }) => state === 'live');
    const changed = Math.max(Number(live?.promotedAt ?? 0), Number(live?.calibratedAt ?? 0));
    const recent = this.clock.now().getTime() - RELIABILITY_DAYS * DAY_MS;
    return this.predictions.reliabilitySince(new Date(Math.max(changed, recent)));
  }

  /** Tells who wants to know of it that confidence has drifted. */
  async look(): Promise<void> {
    const { answers, claimed, right } = await this.reliability();
    if (claimed === null || right === null || answers < ANSWERS_MIN) return;
    if (Math.abs(claimed - right) > APART_MAX) {
      await this.webhooks.tellOfDrift({ claimed, right, answers }, TOLD_EVERY_MS);
    }
  }
}
