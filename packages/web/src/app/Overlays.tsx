import type { ReactElement } from 'react';
import { useLoom } from './loom-context.ts';
import { DropTarget } from '../importing/DropTarget.tsx';
import { Palette } from '../palette/Palette.tsx';
import { useStore } from '../stores/use-store.ts';
import { later } from '../ui/later.tsx';

const ShortcutSheet = later(async () => (await import('../keys/ShortcutSheet.tsx')).ShortcutSheet, {
  takesKeys: true,
});
const WishQuestion = later(async () => (await import('../branching/WishQuestion.tsx')).WishQuestion, {
  takesKeys: true,
});
const ExportDialog = later(async () => (await import('../exporting/ExportDialog.tsx')).ExportDialog, {
  takesKeys: true,
});
const ReportDialog = later(async () => (await import('../importing/ReportDialog.tsx')).ReportDialog, {
  takesKeys: true,
});
const DeletedConversations = later(
  async () => (await import('../navigator/DeletedConversations.tsx')).DeletedConversations,
  { takesKeys: true },
);
const LateDialogs = later(async () => (await import('./dialogs/LateDialogs.tsx')).LateDialogs, { takesKeys: true });

/** The overlays above the page, wherever its reader is. */
export function Overlays(): ReactElement {
  const { workspace, hasDeleted, exporting, imports } = useLoom();
  const hasShortcuts = useStore(workspace.hasShortcuts);
  const wish = useStore(workspace.wish);
  const areDeletedShown = useStore(hasDeleted);
  const leaving = useStore(exporting);
  const ended = useStore(imports.shown);
  const dialog = useStore(workspace.dialog);
  return (
    <>
      {hasShortcuts && <ShortcutSheet onClose={() => workspace.hasShortcuts.set(false)} />}
      {areDeletedShown && <DeletedConversations onClose={() => hasDeleted.set(false)} />}
      {wish !== undefined && <WishQuestion wish={wish} onClose={() => workspace.wish.set(undefined)} />}
      {leaving !== undefined && <ExportDialog wish={leaving} onClose={() => exporting.set(undefined)} />}
      {ended !== undefined && <ReportDialog ended={ended} onClose={() => imports.shown.set(undefined)} />}
      {dialog !== undefined && <LateDialogs dialog={dialog} onClose={() => workspace.dialog.set(undefined)} />}
      <DropTarget />
      <Palette />
    </>
  );
}
