import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import { dangerOf } from '@loom/blocks/asking';
import { citedParts } from '../markdown/citations.ts';
import { agentErrorWords } from './agent-errors.ts';
import { errorWords, waitWords } from './error-words.ts';
import { hiddenWords } from './kinds/hidden-words.ts';
import { shownOutput } from './output-lines.ts';
import { askFacts } from './ask/ask-facts.ts';
import { askTitle } from './ask/ask-words.ts';
import { decidedWords } from './ask/decided-words.ts';
import { questionOptions } from './ask/question-options.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

test('[WB24] of an output the first ten lines are shown, over all of its streams, and all lines are counted', () => {
  const parts = [
    { text: lines(8), isError: false },
    { text: lines(38), isError: true },
  ];
  const cut = shownOutput(parts, false);
  assert.equal(cut.lines, 46);
  assert.equal(cut.isCut, true);
  assert.deepEqual(
    cut.parts.map(({ text, isError }) => [text.split('\n').length, isError]),
    [
      [8, false],
      [2, true],
    ],
  );
  assert.equal(shownOutput(parts, true).isCut, false);
  assert.equal(shownOutput([{ text: lines(10), isError: false }], false).isCut, false);
  assert.equal(shownOutput([{ text: 'one\n', isError: false }], false).lines, 1);
});

test('[WB25] what is hidden is counted in words', () => {
  assert.equal(hiddenWords({ blocks: 14, kinds: ['command', 'read'] }), '14 tool blocks hidden');
  assert.equal(hiddenWords({ blocks: 1, kinds: ['thinking'] }), '1 thinking block hidden');
  assert.equal(hiddenWords({ blocks: 2, kinds: ['thinking', 'command'] }), '2 blocks hidden');
});

test('[WB26] citations lead to the source with their number', () => {
  const sources = [
    { id: '7', url: 'https://a.example', title: 'A' },
    { id: '2', url: 'https://b.example', title: 'B' },
  ];
  const cited = citedParts('x[2] y[1]z[9] [x]', sources).map(({ text, source }) => `${text}→${source?.title ?? ''}`);
  assert.deepEqual(cited, ['x→', '[2]→B', ' y→', '[1]→A', 'z[9] [x]→']);
});

test('[WB27] an error says what happened and what to do now', () => {
  assert.equal(errorWords('overloaded', 'x').title, 'The provider is overloaded');
  assert.equal(errorWords('auth', 'x').canResume, false);
  assert.equal(errorWords('constructor', 'it broke.').title, 'It broke');
  const toldOf = (code: string, message: string): string[] => {
    const { said, advice } = errorWords(code, message);
    return [said, advice];
  };
  assert.deepEqual(toldOf('overloaded', 'Not now.'), ['Not now.', 'Try again in a moment, or choose another model.']);
  assert.deepEqual(toldOf('network', 'The host is not known. Check the address.'), [
    'The host is not known. Check the address.',
    '',
  ]);
  assert.deepEqual(toldOf('network', ''), ['', 'Check the connection, then try again.']);
  const kept = ['', 'Everything written until then is kept.'];
  assert.deepEqual(toldOf('interrupted', 'demo:demo was stopped before this was complete'), kept);
  assert.deepEqual(toldOf('constructor', 'it broke.'), kept);
  assert.equal(waitWords({ retry_after_ms: 37_200 }), 'It asks to wait 38 s.');
  assert.equal(waitWords(null), undefined);
});

test('[WB28] what a person decides on is asked in a sentence, and harm is never offered first', () => {
  const call = { type: 'tool-use', id: 'c', name: 'run_command', parameters: {} } as const;
  const command = (text: string) => [{ type: 'command', command: text } as const];
  assert.equal(askTitle(call, { kind: 'ask', preview: command('ls') }), 'Run this command?');
  const change = { type: 'file-change' as const, changes: [{ path: 'a', kind: 'add' as const }] };
  assert.equal(askTitle(call, { kind: 'ask', preview: [change] }), 'Change this file?');
  assert.equal(askTitle({ ...call, name: 'tidy' }, { kind: 'ask', preview: [] }), 'Allow tidy?');
  assert.equal(askTitle({ ...call, name: 'spending-limit' }, { kind: 'ask', preview: [] }), 'Spend beyond the limit?');
  const question = { ...call, name: 'ask', parameters: { question: 'Which?' } };
  assert.equal(askTitle(question, { kind: 'question', preview: [] }), 'Which?');
  for (const text of ['rm -rf .', 'sudo ls', 'git push -f', 'curl x | sh', 'git reset --hard']) {
    assert.notEqual(dangerOf(command(text)), undefined, text);
  }
  for (const text of ['npm test', 'git push', 'echo x > /dev/null']) {
    assert.equal(dangerOf(command(text)), undefined, text);
  }
  const texts = (preview: Parameters<typeof askFacts>[0]) => askFacts(preview, '~/tides').map((fact) => fact.text);
  assert.deepEqual(texts(command('npm install x')), ['~/tides', 'uses the network']);
  assert.deepEqual(texts([{ type: 'file-change', changes: [{ path: 'a', kind: 'delete' }] }]), [
    '~/tides',
    'deletes 1 file',
  ]);
  assert.deepEqual(askFacts(command('ls'), undefined), []);
});

test('[WB36] the answers that a question offers are read however its agent writes them', () => {
  const options = (parameters: PlainObject) => questionOptions({ type: 'tool-use', id: 'c', name: 'ask', parameters });
  assert.deepEqual(options({ question: 'Which?', options: ['Blue', 'Green', 'Blue', ''] }), [
    { label: 'Blue' },
    { label: 'Green' },
  ]);
  const asked = { question: 'Which?', options: [{ label: 'Keep', description: 'and count' }, { label: 3 }] };
  assert.deepEqual(options({ questions: [asked] }), [{ label: 'Keep', description: 'and count' }]);
  assert.deepEqual(options({ questions: [asked, asked] }), [], 'one answer cannot answer two questions');
  assert.deepEqual(options({ options: 'none' }), []);
});

test('[WB37] a decision says who made it and when', () => {
  const at = '2026-11-17T10:41:00';
  const decided = { decision: 'approved', by: 'jo', at } as const;
  assert.equal(decidedWords(decided, 'person'), 'Allowed by jo at 10:41 AM');
  assert.equal(decidedWords({ ...decided, by: 'person' }, 'person'), 'Allowed by you at 10:41 AM');
  assert.equal(decidedWords({ ...decided, decision: 'denied' }, 'person'), 'Denied by jo at 10:41 AM');
  assert.equal(decidedWords({ ...decided, decision: 'answered' }, 'person'), 'Answered by jo at 10:41 AM');
});

test('[WB686] a folder that is gone is named from the home folder', () => {
  const words = agentErrorWords({ gone: '/home/me/code/tides' });
  assert.deepEqual([words?.title, words?.folder], ['~/code/tides is no longer there', '/home/me/code/tides']);
});

test('[WB298] the failure of an agent is worded by its facts, never by its words', () => {
  const titles = [
    { agent: 'Codex', login: 'codex login' },
    { agent: 'Codex', ended: true, exit: 137 },
    { agent: 'Codex', ended: true, exit: 'SIGKILL' },
    { agent: 'Codex', ended: true },
  ].map((detail) => agentErrorWords(detail)?.title);
  assert.deepEqual(titles, [
    'Codex is not logged in',
    'Codex stopped, exit 137',
    'Codex stopped, SIGKILL',
    'Codex stopped',
  ]);
  const others = [undefined, 'login', { retry_after_ms: 5 }, { agent: 'Codex' }];
  assert.ok(others.every((detail) => agentErrorWords(detail) === undefined));
});
