import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { useAreFree } from '../models/use-is-free.ts';
import { useStore } from '../stores/use-store.ts';
import { dollars, tokens } from '../words/amounts.ts';
import { branchName } from '../conversation/branch-name.ts';

/** The cost of saving the edited message in place, for each branch below. */
export function EditCosts(): ReactElement | null {
  const { workspace } = useLoom();
  const conversation = useConversation();
  const edit = useStore(workspace.costs);
  const areFree = useAreFree();
  if (edit === undefined || edit.costs.length === 0) return null;
  return (
    <section className="inspector-section">
      <h2>If you save in place</h2>
      <table className="cost-table">
        <thead>
          <tr>
            <th scope="col">Branch</th>
            <th scope="col">Thinking</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {edit.costs.slice(0, 20).map(({ leaf, invalid_thinking: thinking, tokens_again: again, cost_usd: cost }) => (
            <tr key={leaf}>
              <th scope="row">{branchName(conversation, leaf)}</th>
              <td>{thinking.length}</td>
              <td>{tokens(again)}</td>
              <td>{areFree([leaf]) ? 'free' : cost === undefined ? 'unknown' : dollars(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="inspector-note">
        Paid again only when a branch is run. “Thinking” counts signed blocks that the model would refuse after this
        change, so Loom leaves them out.
      </p>
    </section>
  );
}
