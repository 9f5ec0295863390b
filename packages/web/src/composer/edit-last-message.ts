import type { Loom } from '../app/loom.ts';
import { isOfPerson } from '../conversation/who.ts';
import { draftOf, isEmpty } from './attaching/attachments.ts';
import { focusComposer } from './focus.ts';

/** Takes the person's last message into the field again; the new text begins a branch beside it. */
export function editLastMessage({ conversation, composer }: Loom): boolean {
  const open = conversation.getSnapshot();
  if (open === undefined || !isEmpty(composer.draft.getSnapshot())) return false;
  const { path, replica, root } = open;
  const node = path.getSnapshot().findLast((id) => {
    const known = replica.nodes.get(id);
    return known !== undefined && isOfPerson(known);
  });
  const state = node === undefined ? undefined : replica.nodes.get(node);
  if (node === undefined || state === undefined) return false;
  composer.rewrite({ node, parent: replica.outline.get(node)?.parent ?? root }, draftOf([state.blocks]));
  focusComposer();
  return true;
}
