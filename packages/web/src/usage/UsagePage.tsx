import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { firstDay, periodLabel, periodNames } from './periods.ts';
import type { PeriodName } from './periods.ts';
import { readUsage } from './read-usage.ts';
import { UsageReport } from './UsageReport.tsx';

/** The usage of models, counted once per call, however many branches there are of the text they wrote. */
export function UsagePage(): ReactElement {
  const loom = useLoom();
  const [now] = useState(() => Date.now());
  const [period, setPeriod] = useState<PeriodName>('month');
  const from = firstDay(period, now);
  const read = useCallback(async () => ({ from, rows: await readUsage(loom, from) }), [loom, from]);
  const answer = useAnswer(read);
  const periods = (
    <Segments
      label="Period"
      choices={periodNames.map((name) => ({ value: name, label: periodLabel(name, now) }))}
      chosen={period}
      onChoose={setPeriod}
    />
  );
  return (
    <Page title="Usage" isWide aside={periods}>
      <Waiting answer={answer}>
        {({ rows, from: first }) => (
          <UsageReport rows={rows} from={first} now={now} period={periodLabel(period, now)} />
        )}
      </Waiting>
    </Page>
  );
}
