import { useCallback, useId, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { ListedRoot } from '@loom/kernel';
import { useLoom } from '../app/loom-context.ts';
import { Question } from '../ui/floating/Question.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { readTags } from './conversation-actions.ts';

/** Gives a conversation tags; those that others have are offered. */
export function TagsDialog({ item, onClose }: { item: ListedRoot; onClose: () => void }): ReactElement {
  const loom = useLoom();
  const field = useRef<HTMLInputElement>(null);
  const hint = useId();
  const [text, setText] = useState(item.tags.join(', '));
  const chosen = readTags(text);
  const others = useOtherTags().filter((tag) => !chosen.includes(tag));
  const save = (): void =>
    loom.attempt(async () => void (await loom.ask('root.mark', { root: item.id, tags: chosen })));
  return (
    <Question title="Tags" action="Save" onAnswer={save} onClose={onClose} initialFocus={field}>
      <div className="field">
        <input
          ref={field}
          aria-label="Tags"
          aria-describedby={hint}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <p id={hint} className="field-hint">
        Words to find it by, with commas between them.
      </p>
      {others.length > 0 && (
        <div className="chips" role="group" aria-label="Tags of other conversations">
          {others.map((tag) => (
            <button type="button" className="chip" key={tag} onClick={() => setText([...chosen, tag].join(', '))}>
              {tag}
            </button>
          ))}
        </div>
      )}
    </Question>
  );
}

function useOtherTags(): readonly string[] {
  const loom = useLoom();
  const read = useCallback(() => loom.ask('tag.list', { limit: 30 }), [loom]);
  return useAnswer(read).value?.items.map(({ tag }) => tag) ?? [];
}
