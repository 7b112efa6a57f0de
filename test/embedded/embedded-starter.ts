/** A process of its own that uses the embedded database of a folder, begun from a template, until its input ends. */
import { ensureEmbedded } from '../../db/embedded/ensure-embedded';

async function main(): Promise<void> {
  const [folder = '', template = ''] = process.argv.slice(2);
  const embedded = await ensureEmbedded(folder, { template, durable: false });
  process.stdout.write(`${await embedded.socketFolder()}\n`);
  process.stdin.resume();
  process.stdin.once('end', () => void embedded.close());
}

void main();
