import type { ReactElement } from 'react';
import { useLoom } from './loom-context.ts';
import { Palette } from '../palette/Palette.tsx';
import { useStore } from '../stores/use-store.ts';
import { later } from '../ui/later.tsx';

const ShortcutSheet = later(async () => (await import('../keys/ShortcutSheet.tsx')).ShortcutSheet, {
  takesKeys: true,
});
const PricedQuestion = later(async () => (await import('../branching/PricedQuestion.tsx')).PricedQuestion, {
  takesKeys: true,
});
const DeletedConversations = later(
  async () => (await import('../navigator/DeletedConversations.tsx')).DeletedConversations,
  { takesKeys: true },
);

/** What is shown above the page wherever its reader is. */
export function Overlays(): ReactElement {
  const { workspace, hasDeleted } = useLoom();
  const hasShortcuts = useStore(workspace.hasShortcuts);
  const priced = useStore(workspace.priced);
  const areDeletedShown = useStore(hasDeleted);
  return (
    <>
      {hasShortcuts && <ShortcutSheet onClose={() => workspace.hasShortcuts.set(false)} />}
      {areDeletedShown && <DeletedConversations onClose={() => hasDeleted.set(false)} />}
      {priced !== undefined && <PricedQuestion wish={priced} onClose={() => workspace.priced.set(undefined)} />}
      <Palette />
    </>
  );
}
