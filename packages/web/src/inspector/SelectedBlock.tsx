import type { ReactElement } from 'react';
import { FactList } from './FactList.tsx';
import { useBlockFacts } from './use-block-facts.tsx';
import { useCurrentBlock } from './use-current-block.ts';
import type { CurrentBlock } from './use-current-block.ts';

/** The facts about the current block, below the tree. */
export function SelectedBlock(): ReactElement | null {
  const current = useCurrentBlock();
  return current === undefined ? null : <Facts current={current} />;
}

function Facts({ current }: { current: CurrentBlock }): ReactElement {
  // Ids are for the tabs that show everything.
  const facts = useBlockFacts(current).filter(({ name }) => name !== 'Id');
  return (
    <section className="inspector-section selected-block" aria-label="Selected block">
      <h2>Selected block</h2>
      <FactList facts={facts} />
    </section>
  );
}
