import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewsOfToolCall, viewsOfToolResult } from './tool-views.ts';

const questions = [
  {
    question: 'Which store?',
    header: 'Store',
    id: 'store',
    options: [{ label: 'One file', description: 'simple' }, { label: 'Many files' }],
  },
  { question: 'What else?', id: 'else', multiSelect: true, options: [{ label: 'Tests' }, { label: 'Docs' }] },
];

const markdown = (content: string) => [{ type: 'code', content, language: 'markdown' }];

test('[VW17] questions are shown with their options, before and after they are answered', () => {
  const call = { name: 'AskUserQuestion', parameters: { questions } };
  assert.deepEqual(
    viewsOfToolCall(call),
    markdown('Which store?\n\n- [ ] One file: simple\n- [ ] Many files\n\nWhat else?\n\n- [ ] Tests\n- [ ] Docs'),
  );
  const answers = { 'Which store?': 'Neither of them', 'What else?': 'Tests, Docs' };
  const answered =
    'Which store?\n\n- [ ] One file: simple\n- [ ] Many files\n- [x] Neither of them\n\nWhat else?\n\n- [x] Tests\n- [x] Docs';
  assert.deepEqual(
    viewsOfToolResult(call, { text: 'User has answered', native: { questions, answers } }),
    markdown(answered),
  );
  // Codex tells the answers as JSON, by the ids of the questions.
  const told = { answers: { store: { answers: ['Neither of them'] }, else: { answers: ['Tests', 'Docs'] } } };
  assert.deepEqual(
    viewsOfToolResult({ name: 'request_user_input', parameters: { questions } }, { text: JSON.stringify(told) }),
    markdown(answered),
  );
  assert.deepEqual(viewsOfToolResult(call, { text: 'rejected', is_error: true }), []);
});

test('[VW18] a plan is shown before it is permitted, and with its file afterwards', () => {
  const call = { name: 'ExitPlanMode', parameters: { plan: '# Plan\n1. Begin' } };
  assert.deepEqual(viewsOfToolCall(call), markdown('# Plan\n1. Begin'));
  const native = { plan: '# Plan\n1. End', isAgent: false, filePath: '/x/plan.md' };
  assert.deepEqual(viewsOfToolResult(call, { text: 'User has approved your plan', native }), [
    { type: 'code', content: '# Plan\n1. End', language: 'markdown', filename: '/x/plan.md' },
  ]);
  assert.deepEqual(viewsOfToolResult({ name: 'ExitPlanMode', parameters: {} }, { native: { plan: null } }), []);
});
