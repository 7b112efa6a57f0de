import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { GRADES } from '../../../../models/pricing/estimate';
import { Random } from '../../../../models/random';

const FILE = 'estimates.jsonl';
const ESTIMATED_AT = '2026-03-02T03:00:00Z';
/** A price moves by so much of itself at most. */
const MOVE_MAX = 0.03;
const LINES_AT_ONCE = 2_000;

/** Writes a bundle of all estimates of another one, a day later and each a little higher or lower. */
export async function writeNightlyBundle(bundle: string, seed: number, out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  const file = await open(join(out, FILE), 'w');
  const random = new Random(seed, 'nightly');
  let lines: string[] = [];
  const write = async () => {
    await file.write(lines.join(''));
    lines = [];
  };
  for await (const line of createInterface({ input: createReadStream(join(bundle, FILE)) })) {
    const estimate = JSON.parse(line);
    const move = 1 + MOVE_MAX * (2 * random.next() - 1);
    for (const grade of GRADES) {
      if (estimate[grade] !== null) estimate[grade] = Math.round(estimate[grade] * move);
    }
    lines.push(`${JSON.stringify({ ...estimate, estimated_at: ESTIMATED_AT })}\n`);
    if (lines.length === LINES_AT_ONCE) await write();
  }
  await write();
  await file.close();
}
