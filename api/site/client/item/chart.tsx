import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { day, money } from './rows';

export type Line = Readonly<{ name: string; currency: string; points: { date: Date; value: number }[] }>;

const HEIGHT = 260;
const EDGE = { top: 16, right: 12, bottom: 28, left: 64 };
const DASHES = ['', '7 4', '2 3', '10 3 2 3'];
const MONTH = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** A line plot that can be read by pointer and, through the slider that lies over it, by finger and arrow keys. Lines
 * differ by dashes, not by colour alone. */
export function Chart({ lines, label }: { readonly lines: readonly Line[]; readonly label: string }) {
  const [frame, width] = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const points = lines.flatMap((line) => line.points);
  const times = [...new Set(points.map(({ date }) => date.getTime()))].sort((a, b) => a - b);
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? 0;
  const currency = lines[0]?.currency ?? 'usd';
  const grid = gridOf(points.map(({ value }) => value));
  const bottom = grid[0] ?? 0;
  const top = grid.at(-1) ?? 1;
  const x = (time: number) =>
    EDGE.left + (last === first ? 0.5 : (time - first) / (last - first)) * (width - EDGE.left - EDGE.right);
  const y = (value: number) =>
    HEIGHT - EDGE.bottom - ((value - bottom) / (top - bottom)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const time = at === null ? undefined : times[at];
  return (
    <figure class="chart" ref={frame}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={`${label}. ${summary(lines)}`}>
        {grid.map((value) => (
          <g key={value}>
            <line x1={EDGE.left} x2={width - EDGE.right} y1={y(value)} y2={y(value)} />
            <text x={EDGE.left - 10} y={y(value) + 4} text-anchor="end">
              {money(value, currency)}
            </text>
          </g>
        ))}
        <text x={x(first)} y={HEIGHT - 6} text-anchor={last === first ? 'middle' : 'start'}>
          {MONTH.format(first)}
        </text>
        {last > first && (
          <text x={x(last)} y={HEIGHT - 6} text-anchor="end">
            {MONTH.format(last)}
          </text>
        )}
        {time !== undefined && (
          <line class="cursor" x1={x(time)} x2={x(time)} y1={EDGE.top} y2={HEIGHT - EDGE.bottom} />
        )}
        {lines.map((line, index) => (
          <g key={line.name} class={`line line-${index % DASHES.length}`}>
            <polyline
              points={line.points.map(({ date, value }) => `${x(date.getTime())},${y(value)}`).join(' ')}
              stroke-dasharray={DASHES[index % DASHES.length]}
            />
            {line.points
              .filter(({ date }, position) => position === line.points.length - 1 || date.getTime() === time)
              .map(({ date, value }) => (
                <circle key={date.getTime()} cx={x(date.getTime())} cy={y(value)} r={4} />
              ))}
          </g>
        ))}
      </svg>
      <input
        type="range"
        aria-label="Read a date"
        aria-valuetext={time === undefined ? 'None yet' : readingAt(lines, time)}
        min={0}
        max={times.length - 1}
        value={at ?? times.length - 1}
        onInput={({ currentTarget }) => setAt(Number(currentTarget.value))}
        onFocus={() => setAt((now) => now ?? times.length - 1)}
        onBlur={() => setAt(null)}
        onPointerLeave={() => setAt(null)}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setAt(Math.round(((event.clientX - box.left) / box.width) * (times.length - 1)));
        }}
      />
      <figcaption>
        <ul class="legend">
          {lines.map(({ name }, index) => (
            <li key={name}>
              <svg viewBox="0 0 28 8" aria-hidden="true" class={`line line-${index % DASHES.length}`}>
                <polyline points="0,4 28,4" stroke-dasharray={DASHES[index % DASHES.length]} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
        <p class="reading" aria-hidden="true">
          {time === undefined ? '' : readingAt(lines, time)}
        </p>
      </figcaption>
    </figure>
  );
}

function summary(lines: readonly Line[]): string {
  const ends = lines.map(({ name, currency, points }) => {
    const [first, last] = [points[0], points.at(-1)].map(
      (point) => point && `${money(point.value, currency)} on ${day(point.date)}`,
    );
    return `${name}: ${first}, ${last}.`;
  });
  return ends.join(' ');
}

function readingAt(lines: readonly Line[], time: number): string {
  const values = lines.flatMap(({ name, currency, points }) => {
    const point = points.find(({ date }) => date.getTime() === time);
    return point ? [`${lines.length > 1 ? `${name} ` : ''}${money(point.value, currency)}`] : [];
  });
  return `${day(new Date(time))}: ${values.join(', ')}`;
}

/** The plot is drawn at the width of its container, so that its text has normal size. */
function useWidth() {
  const frame = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(240, current.clientWidth)));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [frame, width] as const;
}

/** Round values whose range contains all given ones: three to six, evenly spaced. */
function gridOf(values: readonly number[]): number[] {
  const lowest = Math.min(...values);
  const highest = Math.max(...values);
  const spread = highest - lowest || highest * 0.2 || 1;
  const rough = spread / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((each) => each * power >= rough) ?? 10) * power;
  const from = Math.max(0, Math.floor((lowest - spread * 0.1) / step));
  const to = Math.ceil((highest + spread * 0.1) / step);
  return Array.from({ length: to - from + 1 }, (_, at) => (from + at) * step);
}
