import { useConversation, useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { blockFacts } from './block-facts.ts';
import type { Fact } from './FactList.tsx';
import type { CurrentBlock } from './use-current-block.ts';

/** Returns the facts about the block, with the way to its history. */
export function useBlockFacts({ node, block }: CurrentBlock): Fact[] {
  const { workspace } = useLoom();
  const conversation = useConversation();
  const path = useStore(conversation.path);
  const notShown = useStore(conversation.notShown);
  const facts: Fact[] = blockFacts({ node, block, path, notShown });
  const version = {
    name: 'Versions',
    value: (
      <button type="button" className="link" onClick={() => workspace.tab.set('history')}>
        Show the history
      </button>
    ),
  };
  return facts.toSpliced(2, 0, version);
}
