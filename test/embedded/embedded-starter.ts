/** A process of its own that uses the embedded database of a folder until its input ends. */
import { ensureEmbedded } from '../../db/embedded/ensure-embedded';

async function main(): Promise<void> {
  const embedded = await ensureEmbedded(process.argv[2] ?? '', { durable: false });
  process.stdout.write(`${await embedded.socketFolder()}\n`);
  process.stdin.resume();
  process.stdin.once('end', () => void embedded.close());
}

void main();
