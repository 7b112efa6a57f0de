import 'reflect-metadata';
import { AppError } from '../../../models/errors';
import { HttpImageSource } from '../../../workers/image/http-image-source';

/** Fetches each address of its arguments, all of them allowed, and prints what came of it as a JSON array. */
async function main(urls: readonly string[]): Promise<void> {
  const allow = urls.map((url) => new URL(url).host);
  const source = new HttpImageSource({ timeoutMs: 5000, bytesMax: 1000, redirectsMax: 0, allow });
  const results: string[] = [];
  for (const url of urls) {
    const result = await source.fetch(new URL(url)).catch((failure: unknown) => failure);
    results.push(result instanceof AppError ? (result.extras.reason ?? '') : String(result));
  }
  await source.close();
  process.stdout.write(JSON.stringify(results));
}

void main(process.argv.slice(2));
