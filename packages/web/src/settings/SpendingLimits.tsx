import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useAnswer } from '../ui/use-answer.ts';

const limits = [
  { name: 'limits.turn_usd', label: 'A turn', after: 'a turn' },
  { name: 'limits.day_usd', label: 'A day (UTC)', after: 'a day' },
] as const;

/** The dollars that a turn and a day may cost before a person is asked. */
export function SpendingLimits(): ReactElement {
  const { ask } = useLoom();
  const read = useCallback(async () => {
    const { items } = await ask('setting.list', {});
    return new Map(items.map(({ key, value }) => [key, typeof value === 'number' ? value : undefined]));
  }, [ask]);
  const { value, failure, again } = useAnswer(read);
  return (
    <div className="setting setting-line" role="group" aria-label="Spending limits">
      <div className="grow">
        <h3>Spending limits</h3>
        <p>
          Loom stops and asks once a turn, or all turns of a day, have cost this much. Agents are stopped while they
          work. A cost that is not known is asked about, too.
        </p>
      </div>
      {failure !== undefined && (
        <p className="failure" role="alert">
          {failure}
        </p>
      )}
      {value !== undefined &&
        limits.map((limit) => <LimitField key={limit.name} {...limit} now={value.get(limit.name)} onKept={again} />)}
    </div>
  );
}

interface LimitFieldProps {
  name: string;
  label: string;
  after: string;
  now: number | undefined;
  onKept: () => void;
}

/** The field of one limit; an empty one means that there is none. It is kept on Enter, or when it is left. */
function LimitField({ name, label, after, now, onKept }: LimitFieldProps): ReactElement {
  const { ask, attempt, notices } = useLoom();
  const [text, setText] = useState(now === undefined ? '' : String(now));
  const problem = problemOf(text);
  const keep = (): void => {
    const wanted = text.trim() === '' ? undefined : Number(text);
    if (problem !== undefined || wanted === now) return;
    attempt(async () => {
      if (wanted === undefined) await ask('setting.unset', { key: name });
      else await ask('setting.set', { key: name, value: wanted });
      const words = wanted === undefined ? 'There is no limit for' : `Loom asks at $${wanted.toFixed(2)} for`;
      notices.tell(`${words} ${after}.`);
      onKept();
    });
  };
  return (
    <label className="limit-field">
      <span>{label}</span>
      <span aria-hidden="true">$</span>
      <input
        inputMode="decimal"
        placeholder="none"
        value={text}
        aria-invalid={problem !== undefined}
        onChange={(event) => setText(event.target.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key === 'Enter') keep();
        }}
      />
      {problem !== undefined && (
        <span className="failure" role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}

function problemOf(text: string): string | undefined {
  const amount = Number(text);
  return Number.isFinite(amount) && amount >= 0 ? undefined : 'An amount in dollars, such as 2.50.';
}
