import type { ReactElement } from 'react';
import { SelectedBlock } from './SelectedBlock.tsx';
import { TreeView } from '../tree/TreeView.tsx';

/** The outline of the conversation, and the facts about the current block. */
export function TreeTab(): ReactElement {
  return (
    <>
      <TreeView />
      <SelectedBlock />
    </>
  );
}
