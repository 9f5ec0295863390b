import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../../app/loom-context.ts';
import { Icon } from '../../ui/Icon.tsx';
import { attachFiles } from './attaching.ts';

/** Files may be dropped anywhere on the page; while they are above it, it says so. */
export function DropTarget(): ReactElement | null {
  const loom = useLoom();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      // Otherwise the browser would open the file in the place of the page.
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      loom.attempt(() => attachFiles(loom, [...(event.dataTransfer?.files ?? [])]));
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [loom]);
  if (!isOver) return null;
  return (
    <div className="drop-target" role="status">
      <span>
        <Icon name="attach" /> Drop files to attach them
      </span>
    </div>
  );
}
