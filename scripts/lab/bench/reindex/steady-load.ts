import { during, JsonClient, steadily, type TimedCall } from '../open-loop';
import type { AnswerLog } from './answer-log';

export interface SteadyLoadOptions {
  readonly url: string;
  readonly key: string;
  readonly photos: readonly Buffer[];
  readonly photosPerSecond: number;
  readonly queriesPerSecond: number;
}

/** What was sent while something else went on. */
export interface LoadedPhase {
  readonly seconds: number;
  readonly photos: readonly TimedCall[];
  readonly queries: readonly TimedCall[];
}

const QUESTIONS = ['bag', 'watch', 'leather', 'gold', 'small', 'black', 'steel', 'classic'];

/** Photos and catalog queries at a fixed rate, whatever becomes of them, while something else goes on. */
export class SteadyLoad {
  readonly #client: JsonClient;
  #photo = 0;
  #query = 0;

  constructor(
    private readonly log: AnswerLog,
    private readonly options: SteadyLoadOptions,
  ) {
    this.#client = new JsonClient(options.url);
  }

  async during(work: Promise<unknown>): Promise<LoadedPhase> {
    const { photosPerSecond, queriesPerSecond } = this.options;
    const { calls, seconds } = await during(work, (isOver) =>
      Promise.all([
        steadily(photosPerSecond, isOver, () => this.#identify()),
        steadily(queriesPerSecond, isOver, () => this.#ask()),
      ]),
    );
    return { seconds, photos: calls[0], queries: calls[1] };
  }

  async #identify(): Promise<TimedCall> {
    const { url, key, photos } = this.options;
    const photo = this.#photo++ % photos.length;
    const { status, sentAt, endedAt } = await this.log.identify(
      url,
      key,
      photo,
      photos[photo] ?? Buffer.alloc(0),
    );
    return { status, ms: endedAt - sentAt };
  }

  #ask(): Promise<TimedCall> {
    const query = QUESTIONS[this.#query++ % QUESTIONS.length];
    return this.#client.post('/v3/catalog/query', this.options.key, Buffer.from(JSON.stringify({ query })));
  }
}
