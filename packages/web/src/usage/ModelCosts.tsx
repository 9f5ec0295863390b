import type { ReactElement } from 'react';
import type { ModelSum } from './usage-sums.ts';
import { tokensOf } from './usage-sums.ts';
import { costWords, tokenWords } from './usage-words.ts';

/** What each model cost, with a bar for its part. */
export function ModelCosts({ models }: { models: readonly ModelSum[] }): ReactElement {
  const highest = Math.max(...models.map(({ sum }) => sum.cost));
  const most = Math.max(...models.map(({ sum }) => tokensOf(sum)));
  const shareOf = ({ sum }: ModelSum): number => (highest > 0 ? sum.cost / highest : tokensOf(sum) / Math.max(most, 1));
  return (
    <>
      <h2>Cost by model</h2>
      <table className="table">
        <thead>
          <tr>
            <th>Model</th>
            <th className="table-bar">
              <span className="unseen">Share</span>
            </th>
            <th className="table-number">Tokens</th>
            <th className="table-number">Cost</th>
          </tr>
        </thead>
        <tbody>
          {models.map((each) => (
            <tr key={`${each.provider} ${each.model}`}>
              <td>{each.model}</td>
              <td className="table-bar">
                <i className="bar" style={{ width: `${shareOf(each) * 100}%` }} />
              </td>
              <td className="table-number">{tokenWords(each.sum)}</td>
              <td className="table-number">{costWords(each.sum)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
