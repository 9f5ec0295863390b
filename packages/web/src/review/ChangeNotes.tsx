import type { ReactElement } from 'react';
import { Icon } from '../ui/Icon.tsx';

/** Lists what is not known about changes to files, or cannot be restored: nothing that Loom cannot take back goes unsaid. */
export function ChangeNotes({ notes = [] }: { notes?: readonly string[] | undefined }): ReactElement | null {
  if (notes.length === 0) return null;
  return (
    <ul className="change-notes" aria-label="Changes that are not known">
      {notes.map((note) => (
        <li key={note}>
          <Icon name="warning" small />
          <span>{note}</span>
        </li>
      ))}
    </ul>
  );
}
