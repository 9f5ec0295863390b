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
  const text = lines.map(({ at, kind, text: said }) => `${clockTime(Date.parse(at))}  ${kind.padEnd(7)}  ${said}`);
  return (
    <div className="server-log">
      <pre tabIndex={0} aria-label={`Log of ${name}`}>
        {text.join('\n')}
      </pre>
      <CopyText text={text.join('\n')} />
    </div>
  );
}
