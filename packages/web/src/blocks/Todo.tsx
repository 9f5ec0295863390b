import type { ReactElement } from 'react';
import type { TodoItem } from '@loom/blocks';
import { Icon } from '../ui/Icon.tsx';

const states: Readonly<Record<TodoItem['status'], { className: string; word: string }>> = {
  completed: { className: 'todo-done', word: 'Done' },
  in_progress: { className: 'todo-now', word: 'In progress' },
  pending: { className: 'todo-open', word: 'Open' },
};

/** A list of tasks as it stands. */
export function Todo({ items }: { items: readonly TodoItem[] }): ReactElement {
  return (
    <ul className="tool-body todo">
      {items.map(({ content, status }, index) => (
        <li key={index} className={states[status].className}>
          <span className="todo-mark">{status === 'completed' && <Icon name="check" small />}</span>
          <span className="unseen">{states[status].word}: </span>
          <span className="todo-words">{content}</span>
        </li>
      ))}
    </ul>
  );
}
