import type { ProcessTraits, ServiceProcess } from '../ports';

export interface Misfit {
  /** For anybody: names no host. */
  readonly says: string;
  /** The others, for operators. */
  readonly processes: readonly string[];
}

/** Whether two processes fit, of each thing that they must agree on, and what it means where they do not. */
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

/** While keys are rotated the newer process still verifies what the older one signs; a process that signs nothing fits all. */
function verifies(signer: ProcessTraits, other: ProcessTraits): boolean {
  const [signing] = signer.signingKeys;
  return signing === undefined || other.signingKeys.length === 0 || other.signingKeys.includes(signing);
}

/** What a process does not agree on with others (contract 14.15). */
export function misfitsOf(own: ServiceProcess, others: readonly ServiceProcess[]): readonly Misfit[] {
  return RULES.flatMap(({ fits, says }) => {
    const processes = others.filter(({ traits }) => !fits(own.traits, traits)).map(({ name }) => name);
    return processes.length === 0 ? [] : [{ says, processes }];
  });
}
