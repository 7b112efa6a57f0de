import type { ModelReport } from '../indexing/embedding-version';
import type { Logger, ProcessRegistry, ProcessTraits, ServiceProcess } from '../ports';

/** What processes must agree on: whether two of them do, and what it means if they do not. */
const RULES: readonly {
  readonly fits: (a: ProcessTraits, b: ProcessTraits) => boolean;
  readonly says: string;
}[] = [
  {
    fits: (a, b) => a.release === b.release,
    says: 'another process runs another release: restart those of the older one',
  },
  {
    fits: (a, b) => verifies(a, b) && verifies(b, a),
    says: 'another process has other SIGNING_KEYS: it refuses links to data files that this one signs, or the other way round',
  },
  {
    fits: (a, b) => a.imageStore === null || b.imageStore === null || a.imageStore === b.imageStore,
    says: 'another process stores pictures elsewhere (IMAGE_STORE, or its own DATA_DIR): each lacks those of the other',
  },
];

/** During a rotation the newer process still verifies the links of the older one; one that signs nothing is compatible with any. */
function verifies(signer: ProcessTraits, other: ProcessTraits): boolean {
  const [signing] = signer.signingKeys;
  return signing === undefined || other.signingKeys.length === 0 || other.signingKeys.includes(signing);
}

/** A disagreement of a process with others, named for operators; `says` names no host (contract 14.15). */
export function mismatchesOf(own: ServiceProcess, others: readonly ServiceProcess[]) {
  return RULES.flatMap(({ fits, says }) => {
    const processes = others.filter(({ traits }) => !fits(own.traits, traits)).map(({ name }) => name);
    return processes.length === 0 ? [] : [{ says, processes }];
  });
}

/** Records periodically that this process is alive, and compares it with the others (contract 14.15). */
export class ProcessWatch {
  #traits: ProcessTraits | null = null;
  #models: readonly ModelReport[] | null = null;
  #renewing: Promise<void> | null = null;
  #mismatches: ReturnType<typeof mismatchesOf> = [];
  #reported = '[]';

  constructor(
    private readonly registry: ProcessRegistry,
    private readonly logger: Logger,
    private readonly self: Omit<ServiceProcess, 'traits' | 'models'>,
    private readonly traits: () => Promise<ProcessTraits>,
  ) {}

  /** The differences from other processes in the last comparison; a sentence each, without host names. */
  get mismatches(): readonly string[] {
    return this.#mismatches.map(({ says }) => says);
  }

  async run(): Promise<void> {
    this.#traits = await this.traits();
    await this.renew();
  }

  /** Publishes at once which models this process has ready, without waiting for the next renewal. */
  async report(models: readonly ModelReport[]): Promise<void> {
    this.#models = models;
    await this.#renewing?.catch(() => undefined);
    await this.renew();
  }

  /** Concurrent calls share one write. @throws AppError 503 when the database is unavailable or can't be written */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  leave(): Promise<void> {
    return this.registry.leave(this.self.id);
  }

  async #renew(): Promise<void> {
    const traits = this.#traits ?? (await this.traits());
    const process = { ...this.self, traits, models: this.#models };
    this.#mismatches = mismatchesOf(process, await this.registry.renew(process));
    const text = JSON.stringify(this.#mismatches);
    if (text === this.#reported) return;
    this.#reported = text;
    for (const { says, processes } of this.#mismatches) this.logger.warn({ processes }, says);
    if (this.#mismatches.length === 0) this.logger.info({}, 'all processes fit together again');
  }
}
