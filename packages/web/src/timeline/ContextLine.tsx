import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { toggleContextStart } from '../branching/branch-actions.ts';

/** Says that models do not see the messages above. */
export function ContextLine({ node }: { node: string }): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  return (
    <div className="context-line">
      <span>The context starts here. Models do not see anything above.</span>
      <button
        type="button"
        className="text-button"
        onClick={() => loom.attempt(() => toggleContextStart(loom, conversation, node))}
      >
        Undo
      </button>
    </div>
  );
}
