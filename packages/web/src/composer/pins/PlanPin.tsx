import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import type { TurnView } from '@loom/sync';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { useStore } from '../../stores/use-store.ts';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { planWords } from './queue-words.ts';

/** The plan of the turn that runs, in one line; all of it on demand. */
export function PlanPin({
  conversation,
  turn,
}: {
  conversation: OpenConversation;
  turn: TurnView;
}): ReactElement | null {
  const { watch, replica } = conversation;
  const path = useStore(conversation.path);
  // A rewritten plan is another block of the same path, and a separate row.
  const rows = useStore(conversation.rows);
  const id = useMemo(() => findPlan(path, replica.nodes, turn.turn), [path, rows, replica.nodes, turn.turn]);
  const block = useStore(watch.block(id ?? ''));
  const [isOpen, setOpen] = useState(false);
  const words = block?.type === 'todo' ? planWords(block.items) : undefined;
  if (block?.type !== 'todo' || words === undefined) return null;
  return (
    <>
      <div className="pin">
        <Icon name="list" />
        <span className="grow cut">{words.now}</span>
        <span className="figures">{words.progress}</span>
        <IconButton
          icon={isOpen ? 'down' : 'up'}
          label={isOpen ? 'Fold the plan' : 'Show the plan'}
          isSmall
          isOpen={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      {isOpen && (
        <ol className="plan">
          {block.items.map(({ content, status }, index) => (
            <li key={index} className={`plan-${status}`}>
              {status === 'completed' ? <Icon name="check" small /> : <span className="plan-mark" />}
              <span>{content}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

type Nodes = OpenConversation['replica']['nodes'];

/** The newest plan of a turn. */
function findPlan(path: readonly string[], nodes: Nodes, turn: string): string | undefined {
  for (const id of path.toReversed()) {
    const node = nodes.get(id);
    if (node === undefined || node.turn !== turn) return undefined;
    const plan = node.blocks.findLast(({ type }) => type === 'todo');
    if (plan !== undefined) return plan.block_id;
  }
  return undefined;
}
