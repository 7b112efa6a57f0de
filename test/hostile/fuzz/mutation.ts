import { Random } from '../../../models/random';
import { base64Body } from '../corpus/entry';
import { MUTATORS } from './mutators';

/** One mutation: what was done to which picture, and the body that it is sent in. */
export interface Mutation {
  readonly seed: number;
  readonly index: number;
  readonly story: string;
  readonly body: Buffer;
}

/** How often the text around the picture is damaged instead of the picture. */
const TEXT_SHARE = 0.05;
const STEPS_MAX = 3;

/** Mutation `index` of a seed: the same for the same pictures, whatever ran before it. */
export function mutationOf(
  seed: number,
  index: number,
  pictures: readonly (readonly [name: string, bytes: Buffer])[],
): Mutation {
  const random = new Random('fuzz', seed, index);
  const [name, sound] = random.pick(pictures);
  const steps = random.integer(1, STEPS_MAX);
  const told = [name];
  let bytes = sound;
  for (let step = 0; step < steps; step += 1) {
    const [mutator, mutate] = random.pick(MUTATORS);
    told.push(mutator);
    bytes = mutate(bytes, random, () => random.pick(pictures)[1]);
  }
  const body = base64Body(bytes.toString('base64'));
  if (!random.chance(TEXT_SHARE)) return { seed, index, story: told.join(', '), body };
  const at = random.integer(0, body.length - 1);
  body[at] = random.integer(0, 255);
  return { seed, index, story: [...told, 'text'].join(', '), body };
}
