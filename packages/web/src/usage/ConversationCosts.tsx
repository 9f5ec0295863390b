import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { originOf } from '../conversation/origin.ts';
import { nameOf } from '../navigator/navigator-rows.ts';
import { useStore } from '../stores/use-store.ts';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { dollars, tokens } from '../words/amounts.ts';
import { costliest } from './costliest.ts';

/** The conversations that used the most since they were begun, among those that are listed. */
export function ConversationCosts(): ReactElement | null {
  const { items } = useStore(useLoom().list);
  const rows = costliest(items);
  if (rows.length === 0) return null;
  return (
    <>
      <h2>Costliest conversations, since they were begun</h2>
      <table className="table">
        <thead>
          <tr>
            <th className="table-wide">Conversation</th>
            <th>Source</th>
            <th className="table-number">Tokens</th>
            <th className="table-number">Cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((item) => (
            <tr key={item.id}>
              <td className="table-wide">
                <PlaceLink place={{ name: 'conversation', root: item.id }} className="row-link cut">
                  {nameOf(item)}
                </PlaceLink>
              </td>
              <td className="aside">{originOf(item.config)?.program ?? 'Loom'}</td>
              <td className="table-number">{tokens(item.usage.input_tokens + item.usage.output_tokens)}</td>
              <td className="table-number">
                {item.usage.cost_usd === undefined ? 'price unknown' : dollars(item.usage.cost_usd)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
