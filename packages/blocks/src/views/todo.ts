import type { TodoBlock, TodoItem, ToolBlock } from '../content-block.ts';
import { definedFields, fieldIn, integerIn, listIn, objectIn, textIn } from './foreign.ts';
import type { View } from './view.ts';

/** Tools that write the whole list: TodoWrite, todowrite, write_todos, update_plan. */
export const todoView: View = {
  ofCall: (parameters) => todoBlocks(listIn(parameters, 'todos', 'plan', 'items', 'entries')),
  ofResult(parameters, { details }) {
    const reported = todoBlocks(listIn(details, 'newTodos', 'todos'));
    return reported.length > 0 ? reported : todoView.ofCall(parameters);
  },
};

/** Claude Code's TaskCreate: one task more. */
export const taskCreateView: View = {
  ofCall: (parameters) => partBlocks([{ id: undefined, content: textIn(parameters, 'subject'), status: 'pending' }]),
  ofResult(parameters, { details }) {
    const task = readTask(objectIn(details, 'task'));
    return task.content === undefined
      ? taskCreateView.ofCall(parameters)
      : partBlocks([{ ...task, status: 'pending' }]);
  },
};

/** Claude Code's TaskUpdate. It names a task by its number; its subject is given only if that is what changes. */
export const taskUpdateView: View = {
  ofCall(parameters) {
    const { id, status } = readTask(parameters);
    return partBlocks([{ id, content: textIn(parameters, 'subject') ?? `Task #${id ?? '?'}`, status }]);
  },
  ofResult: (parameters) => taskUpdateView.ofCall(parameters),
};

/** Claude Code's TaskGet: one task as it stands. */
export const taskGetView: View = {
  ofCall: () => [],
  ofResult: (_parameters, { details }) => partBlocks([readTask(objectIn(details, 'task'))]),
};

/** Claude Code's TaskList: all tasks as they stand. */
export const taskListView: View = {
  ofCall: () => [],
  ofResult(_parameters, { details, text }) {
    const tasks = listIn(details, 'tasks');
    return taskBlocks(tasks === undefined ? tasksOfText(text ?? '') : readTasks(tasks));
  },
};

/**
 * A list of tasks in any spelling: content is called `content`, `text`, `step` or `description`, and finished tasks are
 * marked by a status or by `completed`. An empty list is a list; one in which nothing is a task is not.
 */
export function todoBlocks(list: readonly unknown[] | undefined): ToolBlock[] {
  if (list === undefined) return [];
  return list.length === 0 ? [{ type: 'todo', items: [] }] : taskBlocks(readTasks(list));
}

interface Task {
  id: string | undefined;
  content: string | undefined;
  status: Status | undefined;
}

type Status = TodoItem['status'] | 'cancelled';

/** Holes of a sparse list are read too, which `map` would leave as they are. */
function readTasks(list: readonly unknown[]): Task[] {
  return Array.from(list, readTask);
}

function readTask(value: unknown): Task {
  const done = fieldIn(value, 'completed');
  const status = statuses.get(textIn(value, 'status') ?? '');
  return {
    id: textIn(value, 'id', 'taskId') ?? integerIn(value, 'id', 'taskId')?.toString(),
    content: textIn(value, 'content', 'text', 'step', 'subject', 'description'),
    status: status ?? (done === true ? 'completed' : done === false ? 'pending' : undefined),
  };
}

const statuses: ReadonlyMap<string, Status> = new Map<string, Status>([
  ['pending', 'pending'],
  ['blocked', 'pending'],
  ['in_progress', 'in_progress'],
  ['inProgress', 'in_progress'],
  ['in-progress', 'in_progress'],
  ['completed', 'completed'],
  ['done', 'completed'],
  ['cancelled', 'cancelled'],
  ['canceled', 'cancelled'],
  ['deleted', 'cancelled'],
]);

/** `#1 [completed] Read the file`, a line for each task. */
function tasksOfText(text: string): Task[] {
  return text.split('\n').flatMap((line) => {
    const match = /^#(\d{1,9}) \[(\w{1,20})\] /.exec(line);
    return match === null
      ? []
      : [{ id: match[1], content: line.slice(match[0].length), status: statuses.get(match[2] ?? '') }];
  });
}

/** A todo block has no word for a task that was given up, so such tasks are named beside the list. */
function taskBlocks(tasks: readonly Task[]): TodoBlock[] {
  const items: TodoItem[] = [];
  const ids: string[] = [];
  const cancelled: string[] = [];
  for (const { id, content, status } of tasks) {
    if (content === undefined || status === undefined) continue;
    if (status === 'cancelled') {
      cancelled.push(content);
    } else {
      items.push({ content, status });
      if (id !== undefined) ids.push(id);
    }
  }
  if (items.length === 0 && cancelled.length === 0) return [];
  const metadata = definedFields({
    // Numbers only make sense if every item has one.
    task_ids: ids.length === items.length && ids.length > 0 ? ids : undefined,
    cancelled: cancelled.length > 0 ? cancelled : undefined,
  });
  return [metadata === undefined ? { type: 'todo', items } : { type: 'todo', items, metadata }];
}

/** Tasks that are not the whole list, marked so that they are not taken for it. */
function partBlocks(tasks: readonly Task[]): TodoBlock[] {
  return taskBlocks(tasks).map((block) => ({ ...block, metadata: { partial: true, ...block.metadata } }));
}
