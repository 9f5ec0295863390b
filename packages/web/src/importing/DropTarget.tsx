import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { Icon } from '../ui/Icon.tsx';
import { lazily } from '../ui/lazily.ts';

const loadDropping = lazily(() => import('./drop-files.ts'));

/** The target for files dropped anywhere on the page; while they are above it, it says where they will go. */
export function DropTarget(): ReactElement | null {
  const loom = useLoom();
  const [over, setOver] = useState<'import' | 'attach'>();
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const onOver = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      // Otherwise the browser would open the file in the place of the page.
      event.preventDefault();
      const mayImport = !isComposer(event.target) && hasHistory(event.dataTransfer);
      setOver(mayImport ? 'import' : 'attach');
    };
    const onLeave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(undefined);
    };
    const onDrop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(undefined);
      const files = [...(event.dataTransfer?.files ?? [])];
      const isOnComposer = isComposer(event.target);
      loom.attempt(async () => (await loadDropping()).dropFiles(loom, files, { isOnComposer }));
    };
    addEventListener('dragover', onOver);
    addEventListener('dragleave', onLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onOver);
      removeEventListener('dragleave', onLeave);
      removeEventListener('drop', onDrop);
    };
  }, [loom]);
  if (over === undefined) return null;
  return (
    <div className="drop-target" role="status">
      <span>
        <Icon name={over === 'attach' ? 'attach' : 'download'} />
        {over === 'attach' ? 'Drop files to attach them' : 'Drop an export to import it'}
      </span>
    </div>
  );
}

/** Guesses by the types alone: browsers tell the names of files only after the drop. JSON Lines files have no type. */
function hasHistory(transfer: DataTransfer | null): boolean {
  return [...(transfer?.items ?? [])].some(({ kind, type }) => kind === 'file' && /^$|zip|json|zst|octet/u.test(type));
}

function isComposer(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.composer') !== null;
}
