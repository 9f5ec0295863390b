import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { branchName } from '../conversation/branch-name.ts';
import { leaves } from '../conversation/branches.ts';
import { useStore } from '../stores/use-store.ts';
import { count, dollars, tokens } from '../words/amounts.ts';

interface HeadProps {
  node: string;
  side: 'left' | 'right';
  /** The messages of this side alone. */
  from: readonly string[] | undefined;
  onChoose: (leaf: string) => void;
}

/** The number of branches to choose from. */
const mostBranches = 50;

/** The name of a branch, its own facts, and the way to go on there. */
export function BranchHead({ node, side, from = [], onChoose }: HeadProps): ReactElement {
  const { go } = useLoom();
  const conversation = useConversation();
  const shape = useStore(conversation.shape);
  useStore(conversation.watch.whole);
  const newest = leaves(shape).slice(0, mostBranches);
  const choices = newest.includes(node) ? newest : [node, ...newest];
  return (
    <header className={`compare-head compare-${side}`}>
      <div className="compare-title">
        <span className="mark mark-model" />
        <select
          className="compare-branch"
          aria-label={side === 'left' ? 'Left branch' : 'Right branch'}
          value={node}
          onChange={(event) => onChoose(event.target.value)}
        >
          {choices.map((leaf) => (
            <option key={leaf} value={leaf}>
              {branchName(conversation, leaf)}
            </option>
          ))}
        </select>
        <span className="grow" />
        <button
          type="button"
          className="button"
          onClick={() => go({ name: 'conversation', root: conversation.root, node })}
        >
          Continue here
        </button>
      </div>
      <p className="compare-facts">{factsOf(conversation.replica.nodes, from).join(' · ')}</p>
    </header>
  );
}

type Nodes = ReturnType<typeof useConversation>['replica']['nodes'];

/** Returns the facts about the part of a branch that is not shared: models, messages, tokens, money. */
function factsOf(nodes: Nodes, ids: readonly string[]): string[] {
  const models = new Set<string>();
  let [written, money, isPriced] = [0, 0, false];
  for (const id of ids) {
    const source = nodes.get(id)?.source;
    if (source?.type !== 'model') continue;
    if (source.model_name !== '') models.add(source.model_name);
    written += source.usage?.output_tokens ?? 0;
    money += source.usage?.cost_usd ?? 0;
    isPriced ||= source.usage?.cost_usd !== undefined;
  }
  return [
    ...models,
    count(ids.length, 'message'),
    ...(written === 0 ? [] : [`${tokens(written)} tokens written`]),
    ...(isPriced ? [dollars(money)] : []),
  ];
}
