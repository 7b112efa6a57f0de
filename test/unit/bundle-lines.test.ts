import fc from 'fast-check';
import { LINE_BYTES_MAX, type Line, readLines } from '../../scripts/import/read-lines';

async function linesOf(...chunks: readonly Buffer[]): Promise<Line[]> {
  async function* stream() {
    yield* chunks;
  }
  const lines: Line[] = [];
  for await (const some of readLines(stream())) lines.push(...some);
  return lines;
}

const text = (content: string) => Buffer.from(content);

describe('the lines of a bundle file', () => {
  test('carry their numbers; blank ones count and are passed over', async () => {
    expect(await linesOf(text('a\n\n  \nb\n'))).toEqual([
      { number: 1, text: 'a' },
      { number: 4, text: 'b' },
    ]);
  });

  test('need no newline at the end of the file', async () => {
    expect(await linesOf(text('a\nb'))).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: 'b' },
    ]);
  });

  test('may end in \\r\\n, and the first may begin with a byte order mark', async () => {
    const lines = await linesOf(text('\ufeff{"a":1}\r\n\r\n{"b":2}\r\n'));
    expect(lines.map((line) => 'text' in line && JSON.parse(line.text))).toEqual([{ a: 1 }, { b: 2 }]);
    expect(lines.map((line) => line.number)).toEqual([1, 3]);
  });

  test('that are no UTF-8 are faults alone', async () => {
    expect(await linesOf(text('a\n'), Buffer.from([0xff, 0x0a]), text('b\n'))).toEqual([
      { number: 1, text: 'a' },
      { number: 2, fault: 'not UTF-8' },
      { number: 3, text: 'b' },
    ]);
  });

  test('that are too long are faults alone, whatever comes in one piece', async () => {
    const long = Buffer.alloc(LINE_BYTES_MAX + 1, 'x');
    const longest = Buffer.alloc(LINE_BYTES_MAX, 'y');
    const whole = Buffer.concat([long, text('\n'), longest, text('\nz')]);
    for (const lines of [
      await linesOf(whole),
      await linesOf(whole.subarray(0, 1000), whole.subarray(1000, 5_000_000), whole.subarray(5_000_000)),
    ]) {
      expect(lines.map((line) => ('fault' in line ? 'fault' : line.text.length))).toEqual([
        'fault',
        LINE_BYTES_MAX,
        1,
      ]);
    }
  });

  test('are the same however the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\r', ' ', '🧿', '\ufeff') }),
        fc.array(fc.nat(40)),
        async (content, cuts) => {
          const bytes = text(content);
          const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
          const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
          expect(await linesOf(...chunks)).toEqual(await linesOf(bytes));
        },
      ),
    );
  });
});
