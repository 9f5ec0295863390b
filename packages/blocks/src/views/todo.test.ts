import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewsOfItem } from './item.ts';
import { viewsOfToolCall, viewsOfToolResult } from './tool-views.ts';

test('[VW50] every spelling of a status is understood', () => {
  const spelled = ['pending', 'blocked', 'in_progress', 'inProgress', 'in-progress', 'completed', 'done'];
  const meant = ['pending', 'pending', 'in_progress', 'in_progress', 'in_progress', 'completed', 'completed'];
  const plan = spelled.map((status) => ({ step: status, status }));
  const items = spelled.map((content, index) => ({ content, status: meant[index] }));
  assert.deepEqual(viewsOfToolCall({ name: 'update_plan', parameters: { plan } }), [{ type: 'todo', items }]);
});

test('[VW50] an empty list is a list; entries without content or status are none', () => {
  assert.deepEqual(viewsOfToolCall({ name: 'TodoWrite', parameters: { todos: [] } }), [{ type: 'todo', items: [] }]);
  assert.deepEqual(viewsOfItem({ type: 'todo_list', items: [{ text: 'a' }, 1, { completed: true }] }), []);
  assert.deepEqual(viewsOfToolCall({ name: 'TodoWrite', parameters: { todos: 'all' } }), []);
});

test('[VW50] the list that the agent reports wins over the one that was sent', () => {
  const call = { name: 'TodoWrite', parameters: { todos: [{ content: 'sent', status: 'pending' }] } };
  const native = { oldTodos: [], newTodos: [{ content: 'kept', status: 'completed' }] };
  assert.deepEqual(viewsOfToolResult(call, { native }), [
    { type: 'todo', items: [{ content: 'kept', status: 'completed' }] },
  ]);
});

test('[VW51] cancelled tasks are named beside the list', () => {
  const todos = [
    { content: 'go', status: 'pending' },
    { content: 'stay', status: 'cancelled' },
  ];
  assert.deepEqual(viewsOfToolCall({ name: 'todowrite', parameters: { todos } }), [
    { type: 'todo', items: [{ content: 'go', status: 'pending' }], metadata: { cancelled: ['stay'] } },
  ]);
});

test('[VW52] the TaskList of a sub-agent is read from its text', () => {
  const text = '#1 [completed] Read the file\n#12 [in_progress] Fix [it] (now)\nfoot';
  assert.deepEqual(viewsOfToolResult({ name: 'TaskList', parameters: {} }, { text }), [
    {
      type: 'todo',
      items: [
        { content: 'Read the file', status: 'completed' },
        { content: 'Fix [it] (now)', status: 'in_progress' },
      ],
      metadata: { task_ids: ['1', '12'] },
    },
  ]);
  assert.deepEqual(viewsOfToolResult({ name: 'TaskList', parameters: {} }, { text: 'No tasks found' }), []);
});

test('[VW52] a TaskUpdate that renames shows the new subject', () => {
  const parameters = { taskId: 3, subject: 'New name', status: 'completed' };
  assert.deepEqual(viewsOfToolCall({ name: 'TaskUpdate', parameters }), [
    {
      type: 'todo',
      items: [{ content: 'New name', status: 'completed' }],
      metadata: { partial: true, task_ids: ['3'] },
    },
  ]);
});
