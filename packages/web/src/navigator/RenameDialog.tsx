import { useRef } from 'react';
import type { ReactElement } from 'react';
import type { ListedRoot } from '@loom/kernel';
import { useLoom } from '../app/loom-context.ts';
import { Question } from '../ui/floating/Question.tsx';

/** Gives a conversation a title; without one it is called by how it begins. */
export function RenameDialog({ item, onClose }: { item: ListedRoot; onClose: () => void }): ReactElement {
  const loom = useLoom();
  const field = useRef<HTMLInputElement>(null);
  const rename = (): void => {
    const title = field.current?.value.trim() ?? '';
    loom.attempt(async () => void (await loom.ask('root.mark', { root: item.id, title: title === '' ? null : title })));
  };
  return (
    <Question title="Rename conversation" action="Save" onAnswer={rename} onClose={onClose} initialFocus={field}>
      <div className="field">
        <input
          ref={field}
          aria-label="Title"
          defaultValue={item.title ?? ''}
          placeholder={item.opening}
          onFocus={(event) => event.target.select()}
        />
      </div>
    </Question>
  );
}
