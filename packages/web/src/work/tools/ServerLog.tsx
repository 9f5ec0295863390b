import { useCallback } from 'react';
import type { ReactElement } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { clockTime } from '../../words/times.ts';
import { useWorkHost } from '../work-host.ts';
import { serverLog } from './server-answers.ts';

/** The last lines about a server. */
export function ServerLog({ name }: { name: string }): ReactElement {
  const { ask } = useWorkHost();
  const read = useCallback(async () => serverLog.parse(await ask('mcp.log', { name })).lines, [ask, name]);
  const { value: lines = [], failure } = useAnswer(read);
  if (failure !== undefined) return <p className="failure">{failure}</p>;
  const printed = lines.map(({ at, kind, text }) => ({
    line: `${clockTime(Date.parse(at))}  ${kind.padEnd(7)}  ${text}\n`,
    isBad: kind !== 'started' && kind !== 'ready',
  }));
  return (
    <div className="server-log">
      <pre tabIndex={0} aria-label={`Log of ${name}`}>
        {printed.map(({ line, isBad }, index) => (
          <span key={index} className={isBad ? 'server-log-bad' : undefined}>
            {line}
          </span>
        ))}
      </pre>
      <CopyText text={printed.map(({ line }) => line).join('')} />
    </div>
  );
}
