import type { ReactElement } from 'react';
import { SelectedBlock } from './SelectedBlock.tsx';
import { TreeView } from '../tree/TreeView.tsx';

/** The outline of the conversation, and what is known of the block that is current. */
export function TreeTab(): ReactElement {
  return (
    <>
      <TreeView />
      <SelectedBlock />
    </>
  );
}
