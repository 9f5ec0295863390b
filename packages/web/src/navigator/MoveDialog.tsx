import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { Question } from '../ui/floating/Question.tsx';
import { count } from '../words/amounts.ts';
import type { Acted } from './away.ts';

interface MoveDialogProps {
  items: readonly Acted[];
  onClose: () => void;
  onDone?: () => void;
}

/** Puts conversations into a project, or back into that of their folders. */
export function MoveDialog({ items, onClose, onDone }: MoveDialogProps): ReactElement {
  const { attempt, away, projects } = useLoom();
  const { projects: known } = useStore(projects.view);
  const field = useRef<HTMLSelectElement>(null);
  const [project, setProject] = useState('');
  const move = (): void => {
    attempt(() => away.move(items, project === '' ? null : project));
    onDone?.();
  };
  const what = items.length === 1 ? 'conversation' : count(items.length, 'conversation');
  return (
    <Question title={`Move ${what}`} action="Move" onAnswer={move} onClose={onClose} initialFocus={field}>
      <select
        ref={field}
        className="move-select"
        aria-label="Project"
        value={project}
        onChange={({ target }) => setProject(target.value)}
      >
        <option value="">The project of its folder</option>
        {known
          .filter(({ project: id }) => id !== '')
          .map(({ project: id, name }) => (
            <option value={id} key={id}>
              {name}
            </option>
          ))}
      </select>
    </Question>
  );
}
