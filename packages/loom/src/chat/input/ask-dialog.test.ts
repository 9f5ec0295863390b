import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ask } from '@loom/kernel';
import * as fc from 'fast-check';
import type { PendingCall } from '../call-book.ts';
import { renderAsked } from '../drawing/asked-lines.ts';
import { AskDialog } from './ask-dialog.ts';
import type { Verdict } from './ask-dialog.ts';

const command = 'npm test';
const asking = (ask: Partial<Ask> = {}, executed?: 'provider'): PendingCall => ({
  node: 'r/node-2',
  call: {
    type: 'tool-use',
    id: 'c',
    name: 'run_command',
    parameters: { command },
    ...(executed === undefined ? {} : { executed }),
  },
  ask: { kind: 'ask', preview: [{ type: 'command', command }], ...ask },
});
const rules: Ask['rules'] = [{ tool: 'run_command', command, effect: 'allow' }];

/** Enters lines one after the other; returns the decision, if there is one, and everything that was shown and asked. */
function say(pending: PendingCall, lines: readonly string[], folder?: string): { verdict?: Verdict; shown: string[] } {
  const dialog = new AskDialog(pending, folder);
  const shown: string[] = [];
  for (const line of lines) {
    shown.push(`${dialog.prompt}${dialog.refill === undefined ? '' : `<${dialog.refill}>`}`);
    const heard = dialog.hear(line);
    if (heard.type === 'verdict') return { verdict: heard.verdict, shown };
    shown.push(...heard.lines.map(({ text }) => text));
  }
  return { shown };
}

test('[CH13] only a clear yes approves; anything else denies and is the reason', () => {
  const verdict = (line: string): Verdict | undefined => say(asking(), [line]).verdict;
  assert.match(say(asking(), ['']).shown[0] ?? '', /Run run_command\? \[y\]es, \[n\]o, \[c\]hange/);
  for (const yes of ['y', 'Y', ' yes ']) assert.deepEqual(verdict(yes), { decision: 'approved' });
  assert.equal(verdict('a'), undefined, 'without a rule nothing is approved for longer');
  assert.deepEqual(verdict('no'), { decision: 'denied' });
  assert.deepEqual(verdict('yes, but slowly'), { decision: 'denied', text: 'yes, but slowly' });
  assert.equal(verdict('  '), undefined);
  fc.assert(
    fc.property(fc.string(), fc.boolean(), (line, hasRules) => {
      fc.pre(!/^(?:y|yes|a|always)$/i.test(line.trim()));
      assert.notEqual(say(asking(hasRules ? { rules } : {}), [line]).verdict?.decision, 'approved');
    }),
  );
});

test('[CH83] always shows the rules as they are stored, and asks how far they reach', () => {
  const own = say(asking({ rules }), ['a', '1']);
  assert.deepEqual(own.verdict, { decision: 'approved', scope: 'conversation' });
  assert.ok(own.shown.includes('  Always allow `run_command` to run `npm test`. Anything else still asks.'));
  assert.ok(own.shown.includes(`  Stored as ${JSON.stringify(rules[0])}`));
  const agents = say(asking({ rules }, 'provider'), ['a', '2'], '/code/tides');
  assert.deepEqual(agents.verdict, { decision: 'approved', scope: 'folder' });
  assert.ok(agents.shown.includes('    2  Always in tides: Every conversation that works in /code/tides'));
  // Neither an empty line nor a number that was not offered allows anything.
  for (const line of ['', '4', '0', 'hm']) {
    const back = say(asking({ rules }, 'provider'), ['a', line, 'n'], '/code/tides');
    assert.deepEqual(back.verdict, { decision: 'denied' }, line);
  }
});

test('[CH83] what cannot be taken back is never allowed for longer', () => {
  const danger = asking({ rules, preview: [{ type: 'command', command: 'rm -rf build' }] });
  const { verdict, shown } = say(danger, ['a', 'y']);
  assert.deepEqual(verdict, { decision: 'approved' });
  assert.doesNotMatch(shown[0] ?? '', /always/);
  assert.match(shown[1] ?? '', /once or not at all/);
});

test('[CH84] arguments are changed in the line; what is no JSON object is asked for again', () => {
  const { verdict, shown } = say(asking(), ['c', '{"command":', '{"command":"ls"}']);
  assert.deepEqual(verdict, { decision: 'approved', arguments_changed: '{"command":"ls"}' });
  assert.match(shown[1] ?? '', /<\{"command":"npm test"\}>$/);
  assert.match(shown.at(-1) ?? '', /<\{"command":>$/, 'what was typed is not lost');
  assert.deepEqual(say(asking(), ['c', '{ "command": "npm test" }']).verdict, { decision: 'approved' });
  assert.deepEqual(say(asking(), ['c', '', 'n']).verdict, { decision: 'denied' });
});

test('[CH14] whatever is said to a question is its answer', () => {
  const question = asking({ kind: 'question', preview: [] });
  assert.deepEqual(say(question, [' y ']).verdict, { decision: 'answered', text: 'y' });
  assert.equal(say(question, ['']).verdict, undefined);
});

test('[CH85] questions are answered one after the other, by numbers, labels or own words', () => {
  const questions = [
    { text: 'Which?', several: true as const, choices: [{ label: 'Warp' }, { label: 'Weft' }, { label: 'Hem' }] },
    { text: 'When?', choices: [{ label: 'Now' }, { label: 'Tonight' }] },
    { text: 'How many?' },
  ];
  const pending = asking({ kind: 'question', preview: [], questions });
  const { verdict, shown } = say(pending, ['3, 1', '7', 'tonight', '12']);
  assert.deepEqual(verdict, {
    decision: 'answered',
    answers: [{ chosen: ['Warp', 'Hem'] }, { chosen: ['Tonight'] }, { text: '12' }],
  });
  assert.match(shown[0] ?? '', /^Your answer 1 of 3 \(numbers, such as 1,2/);
  assert.ok(shown.includes('(Choose from 1 to 2, or say it in words.)'));
  assert.deepEqual(say(pending, ['1', 'when it rains', '-']).verdict, { decision: 'denied' });
});

test('[AG24] a plan is approved with the mode that follows, or sent back with what to change', () => {
  const ask = {
    kind: 'ask' as const,
    preview: [{ type: 'text' as const, text: 'Plan' }],
    modes: ['ask' as const, 'edit' as const],
  };
  const call = { type: 'tool-use' as const, id: 'c', name: 'exit_plan', parameters: { plan: 'Plan' } };
  const hear = (line: string) => new AskDialog({ node: 'n', call, ask }, undefined).hear(line);
  assert.match(
    new AskDialog({ node: 'n', call, ask }, undefined).prompt,
    /^Approve the plan\? \[y\]es \(mode ask\), “edit”/u,
  );
  assert.deepEqual(hear('y'), { type: 'verdict', verdict: { decision: 'approved' } });
  assert.deepEqual(hear('Edit'), { type: 'verdict', verdict: { decision: 'approved', mode: 'edit' } });
  assert.deepEqual(hear('a test first'), { type: 'verdict', verdict: { decision: 'denied', text: 'a test first' } });
});

test('[AG24] the exact command, the change and the plan are shown before a decision', () => {
  const call = (name: string) => ({ type: 'tool-use' as const, id: 'c', name, parameters: { x: 'as written' } });
  const shown = (name: string, preview: Ask['preview']) =>
    renderAsked(call(name), { kind: 'ask', preview }).map(({ text }) => text);
  const command: Ask['preview'] = [
    { type: 'command', command: 'ls' },
    { type: 'text', text: 'In /work.' },
  ];
  assert.deepEqual(shown('shell', command), ['● shell', '  $ ls', '  In /work.']);
  const change: Ask['preview'] = [{ type: 'file-change', changes: [{ path: 'a', kind: 'modify', diff: '-b\n+c\n' }] }];
  assert.deepEqual(shown('edit', change), ['● edit', '  modify a', '  -b', '  +c']);
  assert.deepEqual(shown('exit_plan', [{ type: 'text', text: '1. Read' }]), ['● exit_plan', '  1. Read']);
  assert.deepEqual(shown('other', [{ type: 'text', text: 'a sentence' }]), ['● other', '  x: as written']);
});
