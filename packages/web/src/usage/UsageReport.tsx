import type { ReactElement } from 'react';
import { Nothing } from '../ui/Nothing.tsx';
import { count, dollars, grouped, tokens } from '../words/amounts.ts';
import { CostBreakdown } from './CostBreakdown.tsx';
import { Legend } from './Legend.tsx';
import { BarPlot, LinePlot } from './Plot.tsx';
import { PlotBox } from './PlotBox.tsx';
import { byDay, byModel, cachedShare, sumOf, unpricedModels } from './usage-sums.ts';
import type { DayUsage } from './usage-sums.ts';
import { costWords, dayName, shareWords, tokenWords } from './usage-words.ts';

interface ReportProps {
  rows: readonly DayUsage[];
  from: string | undefined;
  now: number;
  period: string;
}

/** The number of models told apart in a plot. */
const apart = 3;

const kinds = [
  { name: 'From cache', series: 'series-2' },
  { name: 'Cache writes', series: 'series-3' },
  { name: 'New input', series: 'series-1' },
  { name: 'Output', series: 'series-4' },
] as const;
const modelSeries = ['series-1', 'series-2', 'series-3', 'series-4'] as const;

/** The figures of a period: in all, by day, by model and by conversation. */
export function UsageReport({ rows, from, now, period }: ReportProps): ReactElement {
  if (rows.length === 0) {
    return (
      <Nothing title="No usage yet">
        <p>Usage appears here after the first answer.</p>
      </Nothing>
    );
  }
  const sum = sumOf(rows);
  const unknown = unpricedModels(rows).map(({ name, calls }) => `${name} (${calls})`);
  const models = byModel(rows);
  const told = models.slice(0, apart).map(({ model }) => model);
  const first = from ?? rows.reduce((least, { day }) => (day < least ? day : least), rows[0]?.day ?? '');
  const days = byDay(rows, { from: first, to: new Date(now).toISOString().slice(0, 10), models: told });
  const series = modelSeries.slice(0, models.length);
  const names = series.map((each, index) => ({ name: told[index] ?? 'Other models', series: each }));
  return (
    <>
      <dl className="figures-row">
        <Figure value={costWords(sum)} label="cost, counted once per call" />
        <Figure value={tokenWords(sum)} label="tokens" />
        <Figure value={shareWords(cachedShare(sum))} label="of input from cache" />
        {sum.written > 0 && <Figure value={tokens(sum.written)} label="tokens written to cache" />}
        {sum.repeated > 0 && <Figure value={tokens(sum.repeated)} label="tokens paid again after edits" />}
        <Figure value={grouped(sum.calls)} label={sum.calls === 1 ? 'model call' : 'model calls'} />
      </dl>
      <Legend title="Tokens by day" entries={kinds} />
      <PlotBox>
        <BarPlot
          label={`Tokens by day, ${period}: ${tokenWords(sum)} in all`}
          series={kinds.map((kind) => kind.series)}
          format={tokens}
          bars={days.map(({ day, sum: own }) => ({
            day,
            parts: [own.cached, own.written, own.newInput, own.output],
            words: `${dayName(day)}: ${tokens(own.cached)} from cache, ${tokens(own.written)} cache writes, ${tokens(own.newInput)} new, ${tokens(own.output)} output`,
          }))}
        />
      </PlotBox>
      {sum.cost > 0 && (
        <>
          <Legend title="Cost by day" entries={names} />
          <PlotBox>
            <BarPlot
              label={`Cost by day, ${period}: ${costWords(sum)} in all`}
              series={series}
              format={dollars}
              bars={days.map(({ day, costs, sum: own }) => ({
                day,
                parts: costs,
                words: `${dayName(day)}: ${costWords(own)}`,
              }))}
            />
          </PlotBox>
        </>
      )}
      <Legend title="Share of input from cache" entries={[]} />
      <PlotBox>
        <LinePlot
          label={`Share of input from cache, ${period}: ${shareWords(cachedShare(sum))} in all`}
          format={shareWords}
          points={days.map(({ day, sum: own }) => ({ day, value: cachedShare(own), repeated: own.repeated }))}
        />
      </PlotBox>
      <CostBreakdown from={from} />
      <p className="page-note">
        Costs are what providers report, or their list prices on the day of the call.
        {sum.unpriced > 0 &&
          ` ${count(sum.unpriced, 'call')} ${sum.unpriced === 1 ? 'has' : 'have'} no known price: ${unknown.join(', ')}.`}
      </p>
    </>
  );
}

function Figure({ value, label }: { value: string; label: string }): ReactElement {
  return (
    <div className="figure">
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
