import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { sourceName } from '../conversation/who.ts';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { Segments } from '../ui/Segments.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { readCostliest } from './read-usage.ts';
import { sumOf, tokensOf } from './usage-sums.ts';
import type { UsageRow } from './usage-sums.ts';
import { costWords, tokenWords } from './usage-words.ts';

const groups = [
  { value: 'model', label: 'Model' },
  { value: 'project', label: 'Project' },
  { value: 'source', label: 'Source' },
  { value: 'conversation', label: 'Conversation' },
] as const;
type GroupName = (typeof groups)[number]['value'];

/** The costliest models, projects, sources or conversations of a period, with a bar for the share of each. */
export function CostBreakdown({ from }: { from: string | undefined }): ReactElement {
  const loom = useLoom();
  const [by, setBy] = useState<GroupName>('model');
  const read = useCallback(async () => ({ by, ...(await readCostliest(loom, { by, from })) }), [loom, by, from]);
  return (
    <>
      <div className="plot-head">
        <h2 className="grow">{`Cost by ${by}`}</h2>
        <Segments label="Cost by" choices={groups} chosen={by} onChoose={setBy} />
      </div>
      <Waiting answer={useAnswer(read)}>
        {({ by: told, rows, hasMore }) => (
          <>
            <CostTable by={told} rows={rows} />
            {hasMore && <p className="page-note">{`The ${rows.length} costliest are shown.`}</p>}
          </>
        )}
      </Waiting>
    </>
  );
}

function CostTable({ by, rows }: { by: GroupName; rows: readonly UsageRow[] }): ReactElement {
  const sums = rows.map((row) => sumOf([row]));
  const highest = Math.max(0, ...sums.map(({ cost }) => cost));
  const most = Math.max(1, ...sums.map(tokensOf));
  return (
    <table className="table">
      <thead>
        <tr>
          <th className="table-wide">{groups.find(({ value }) => value === by)?.label}</th>
          <th className="table-share">
            <span className="unseen">Share</span>
          </th>
          <th className="table-number">Tokens</th>
          <th className="table-number">Cost</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          const sum = sums[index] ?? sumOf([]);
          const share = highest > 0 ? sum.cost / highest : tokensOf(sum) / most;
          return (
            <tr key={row.conversation ?? row.project ?? row.source ?? `${row.provider} ${row.model}`}>
              <td className="table-wide">
                <GroupLabel row={row} />
              </td>
              <td className="table-share">
                <i className="bar" style={{ width: `${share * 100}%` }} />
              </td>
              <td className="table-number">{tokenWords(sum)}</td>
              <td className="table-number" title={row.unpriced_models?.join(', ')}>
                {costWords(sum)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function GroupLabel({ row }: { row: UsageRow }): ReactElement {
  const { conversation, title = '', project, source, model = '' } = row;
  if (conversation !== undefined) {
    return (
      <PlaceLink place={{ name: 'conversation', root: conversation }} className="row-link cut">
        {title === '' ? 'Untitled' : title}
      </PlaceLink>
    );
  }
  const words = project === '' ? 'No folder' : (project ?? (source === undefined ? model : sourceName(source)));
  return (
    <span className="row-name cut" title={words}>
      {words}
    </span>
  );
}
