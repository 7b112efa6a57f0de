import fc from 'fast-check';
import { LINE_BYTES_MAX, readLines } from '../../scripts/import/read-lines';

async function linesOf(...chunks: readonly (string | Buffer)[]): Promise<[number, unknown][]> {
  async function* stream() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const lines: [number, unknown][] = [];
  for await (const some of readLines(stream()))
    for (const line of some) lines.push([line.line, 'reason' in line ? line.reason : line.record]);
  return lines;
}

describe('the lines of a bundle file', () => {
  test('that are too long are rejected alone, whatever comes in one piece', async () => {
    const longest = `"${'y'.repeat(LINE_BYTES_MAX - 2)}"`;
    const whole = `${'x'.repeat(LINE_BYTES_MAX + 1)}\n${longest}\n1`;
    const pieces = [whole.slice(0, 1000), whole.slice(1000, 5_000_000), whole.slice(5_000_000)];
    const lines = { 1: `longer than ${LINE_BYTES_MAX} bytes`, 2: JSON.parse(longest), 3: 1 };
    for (const chunks of [[whole], pieces])
      expect(Object.fromEntries(await linesOf(...chunks))).toEqual(lines);
  });

  test('are the same however the stream is split', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((value) => JSON.stringify(value)),
      fc.constant(' \ufeff'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(text),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.nat(40)),
        async (texts, end, cuts) => {
          const bytes = Buffer.from(texts.join(end));
          const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
          const chunks = ends.map((to, index) => bytes.subarray(ends[index - 1] ?? 0, to));
          expect(await linesOf(...chunks)).toEqual(await linesOf(bytes));
        },
      ),
    );
  });
});
