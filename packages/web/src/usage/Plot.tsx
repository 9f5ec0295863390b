import type { ReactElement } from 'react';
import { bands, namedEvery, scale, stack, ticksTo } from './plot-scale.ts';
import { tokens } from '../words/amounts.ts';
import { dayName, monthName, shortDayNames } from './usage-words.ts';

/** The size of a plot in its own units; the page draws it as wide as there is room. */
const width = 992;
const left = 52;
/** The most days with room for a number; more of them are named with their months, which takes more. */
const mostNumbered = 31;

export interface Bar {
  readonly day: string;
  /** The values of the parts, from the bottom. */
  readonly parts: readonly number[];
  /** The text shown when it is pointed at. */
  readonly words: string;
}

interface BarPlotProps {
  label: string;
  bars: readonly Bar[];
  /** The classes of the parts, from the bottom. */
  series: readonly string[];
  format: (value: number) => string;
}

/** Bars by day, each of several parts. */
export function BarPlot({ label, bars, series, format }: BarPlotProps): ReactElement {
  const [top, bottom] = [20, 196];
  const ticks = ticksTo(Math.max(0, ...bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0))));
  const y = scale(ticks.at(-1) ?? 1, bottom, top);
  const places = bands(bars.length, left, width);
  return (
    <svg className="plot" viewBox={`0 0 ${width} 220`} role="img" aria-label={label}>
      <Grid ticks={ticks} y={y} format={format} />
      {bars.map(({ day, parts, words }, index) => {
        const place = places[index];
        if (place === undefined) return null;
        return (
          <g key={day}>
            <title>{words}</title>
            <rect
              className="plot-hover"
              x={place.middle - place.width}
              y={top}
              width={place.width * 2}
              height={bottom - top}
            />
            {stack(parts).map(({ from, to }, part) => (
              <rect
                key={series[part]}
                className={series[part]}
                x={place.left}
                width={place.width}
                y={y(to)}
                height={Math.max(0, y(from) - y(to))}
              />
            ))}
          </g>
        );
      })}
      <DayNames days={bars.map(({ day }) => day)} y={214} />
    </svg>
  );
}

interface LinePlotProps {
  label: string;
  /** The values, from 0 to 1; days without a value are left out. */
  points: readonly { readonly day: string; readonly value: number | undefined; readonly repeated: number }[];
  format: (value: number) => string;
}

/** A share by day. */
export function LinePlot({ label, points, format }: LinePlotProps): ReactElement {
  const y = scale(1, 96, 16);
  const places = bands(points.length, left, width);
  const known = points.flatMap(({ day, value, repeated }, index) => {
    const place = places[index];
    return value === undefined || place === undefined ? [] : [{ day, value, repeated, x: place.middle }];
  });
  const [worst] = known.filter(({ repeated }) => repeated > 0).sort((one, other) => other.repeated - one.repeated);
  return (
    <svg className="plot" viewBox={`0 0 ${width} 120`} role="img" aria-label={label}>
      <Grid ticks={[0, 0.5, 1]} y={y} format={format} />
      <polyline className="plot-line" points={known.map(({ x, value }) => `${x},${y(value)}`).join(' ')} />
      {known.map(({ day, x, value, repeated }) => (
        <circle key={day} className="series-1" cx={x} cy={y(value)} r="3">
          <title>{`${dayName(day)}: ${format(value)}${repeated === 0 ? '' : `, ${againWords(repeated)}`}`}</title>
        </circle>
      ))}
      {worst !== undefined && (
        <text
          className="plot-note"
          x={worst.x + (worst.x > width / 2 ? -8 : 8)}
          y={Math.min(y(worst.value) + 4, 92)}
          textAnchor={worst.x > width / 2 ? 'end' : 'start'}
        >
          {`${dayName(worst.day)}: ${againWords(worst.repeated)}`}
        </text>
      )}
      <DayNames days={points.map(({ day }) => day)} y={114} />
    </svg>
  );
}

function againWords(repeated: number): string {
  return `${tokens(repeated)} tokens paid again after edits`;
}

interface GridProps {
  ticks: readonly number[];
  y: (value: number) => number;
  format: (value: number) => string;
}

function Grid({ ticks, y, format }: GridProps): ReactElement[] {
  return ticks.map((tick) => (
    <g key={tick}>
      <path className="plot-grid" d={`M${left} ${y(tick)}H${width}`} />
      <text x={left - 8} y={y(tick) + 4} textAnchor="end">
        {format(tick)}
      </text>
    </g>
  ));
}

function DayNames({ days, y }: { days: readonly string[]; y: number }): ReactElement[] {
  const isNamed = namedEvery(days.length, days.length > mostNumbered ? 9 : mostNumbered);
  const named = days.filter((_, index) => isNamed(index));
  // More than a year of days would have the same names twice.
  const words = days.length > 366 ? named.map(monthName) : shortDayNames(named);
  const names = new Map(words.map((name, index) => [named[index], name]));
  const places = bands(days.length, left, width);
  // The last name would reach over the edge, unless its day is wide.
  const isWide = (places[0]?.width ?? 0) > 20;
  return days.flatMap((day, index) =>
    names.has(day)
      ? [
          <text
            key={day}
            x={places[index]?.middle}
            y={y}
            textAnchor={index === days.length - 1 && !isWide ? 'end' : 'middle'}
          >
            {names.get(day)}
          </text>,
        ]
      : [],
  );
}
