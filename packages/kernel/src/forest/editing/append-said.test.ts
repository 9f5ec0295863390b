import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantMessage, Message, ToolUseBlock } from '@loom/blocks';
import { decideAppend } from './append.ts';
import type { AppendValue } from './append.ts';
import { wholeState } from '../testing/observation.ts';
import { assistant, calling, result, TestRoot, user } from '../testing/test-root.ts';

type Content = AssistantMessage['content'];

function append(root: TestRoot, messages: readonly Message[], match?: 'exact' | 'said'): AppendValue {
  const how = match === undefined ? {} : { match };
  return root.done(decideAppend(root.state, 'program', { parent: 'root-1', messages, ...how }));
}

function answer(...content: Content): Message {
  return { role: 'assistant', content };
}

function call(id: string, parameters: Record<string, unknown>, exact?: string): ToolUseBlock {
  const block = { type: 'tool-use' as const, id, name: 'read', parameters };
  return exact === undefined ? block : { ...block, arguments: exact };
}

const words = { type: 'text' as const, text: 'It rains.' };
const calls: Content = [call('c1', { path: 'a', line: 1 }), call('c2', {})];

/** Stored messages, and the same messages as a program repeats them: the seven differences. */
const cases: readonly { name: string; stored: Message[]; repeated: Message[] }[] = [
  {
    name: 'without thinking',
    stored: [user('q'), answer({ type: 'thinking', text: 'Look outside.' }, words), user('then?')],
    repeated: [user('q'), answer(words), user('then?')],
  },
  {
    name: 'without sources',
    stored: [
      user('q'),
      answer(words, { type: 'sources', sources: [{ id: '1', url: 'u', title: 't' }] }),
      user('then?'),
    ],
    repeated: [user('q'), answer(words), user('then?')],
  },
  {
    name: 'without errors',
    stored: [user('q'), answer(words, { type: 'error', code: 'network', message: 'gone' }), user('then?')],
    repeated: [user('q'), answer(words), user('then?')],
  },
  {
    name: 'with arguments spelled differently',
    stored: [user('q'), answer(call('c1', { path: 'a', line: 1 }, '{"path": "a", "line": 1}')), result('c1')],
    repeated: [user('q'), answer(call('c1', { line: 1, path: 'a' })), result('c1')],
  },
  {
    name: 'with adjacent texts joined',
    stored: [user('q'), assistant('It rains.', 'It pours.'), user('then?')],
    repeated: [user('q'), assistant('It rains.\nIt pours.'), user('then?')],
  },
  {
    name: 'with results in another order',
    stored: [user('q'), answer(...calls), result('c1', 'one'), result('c2', 'two'), user('then?')],
    repeated: [user('q'), answer(...calls), result('c2', 'two'), result('c1', 'one'), user('then?')],
  },
  {
    name: 'with other white space at the end',
    stored: [user('q'), assistant('It rains.\n\n'), user('then?')],
    repeated: [user('q\n'), assistant('It rains.'), user('then?  ')],
  },
];

for (const { name, stored, repeated } of cases) {
  test(`[FR137] a conversation that is repeated ${name} is found by what was said, and only so`, () => {
    const root = new TestRoot();
    const { nodes } = append(root, stored);
    const before = wholeState(root.state);
    const again = append(root, repeated, 'said');
    assert.deepEqual([again.created, new Set(again.nodes)], [[], new Set(nodes)]);
    assert.deepEqual(append(root, stored, 'said'), { nodes, created: [] });
    assert.deepEqual(wholeState(root.state), before);
    assert.deepEqual(append(root, stored), { nodes, created: [] });
    assert.notDeepEqual(append(root, repeated).created, []);
  });
}

test('[FR137] results in another order are returned in the order of the tree, and what follows hangs below the last one', () => {
  const root = new TestRoot();
  const { nodes } = append(root, [user('q'), answer(...calls), result('c1', 'one'), result('c2', 'two')]);
  const [q, a, one, two] = nodes;
  const thought = answer({ type: 'thinking', text: 'hm' });
  const repeated = [user('q'), answer(...calls), thought, result('c2', 'two'), result('c1', 'one'), user('new')];
  const again = append(root, repeated, 'said');
  assert.deepEqual(again.nodes.slice(0, 5), [q, a, one, one, two]);
  assert.deepEqual(again.created, again.nodes.slice(5));
  assert.equal(root.node(again.created[0] ?? '').parent, two);
});

test('[FR137] results are found in whichever branch holds all of them, and made anew where none does', () => {
  const root = new TestRoot();
  append(root, [user('q'), answer(...calls), result('c1', 'one'), result('c2', 'other')]);
  const second = append(root, [user('q'), answer(...calls), result('c2', 'two'), result('c1', 'one')]);
  const again = append(root, [user('q'), answer(...calls), result('c1', 'one'), result('c2', 'two')], 'said');
  assert.deepEqual([again.created, again.nodes.at(-1)], [[], second.nodes.at(-1)]);
  const third = append(root, [user('q'), answer(...calls), result('c2', 'new'), result('c1', 'one')], 'said');
  assert.equal(third.created.length, 2);
});

test('[FR137] results that are all the same are looked for along each chain once', () => {
  const root = new TestRoot();
  const same = Array.from({ length: 24 }, () => result('c1', 'one'));
  const { nodes } = append(root, [user('q'), calling('x', 'c1'), ...same]);
  assert.deepEqual(append(root, [user('q'), calling('x', 'c1'), ...same], 'said'), { nodes, created: [] });
  const more = append(root, [user('q'), calling('x', 'c1'), ...same, result('c1', 'two')], 'said');
  assert.deepEqual([more.nodes.slice(0, -1), more.created.length], [nodes, 1]);
});

test('[FR137] an exactly equal child comes before one that only says the same, and only the rest is created, as it was sent', () => {
  const root = new TestRoot();
  append(root, [user('q'), answer({ type: 'thinking', text: 'hm' }, words)]);
  const exact = append(root, [user('q'), answer(words)]).nodes.at(-1);
  const { nodes, created } = append(root, [user('q '), answer(words), user('then?  ')], 'said');
  assert.deepEqual([nodes[1], created.length], [exact, 1]);
  assert.partialDeepStrictEqual(root.node(created[0] ?? ''), { parent: exact, blocks: [{ text: 'then?  ' }] });
});

test('[FR137] an answer that was cut off is found by what was heard of it, one that is being written is not', () => {
  const root = new TestRoot();
  const { nodes } = append(root, [user('q'), calling('It rai', 'c1')]);
  const [text, cut] = root.node(nodes[1] ?? '').blocks.map(({ block_id: id = '' }) => id);
  const close = (block = ''): void => {
    const error = { code: 'interrupted', message: 'The process ended.' };
    root.write([{ type: 'status', block, status: 'error', error }]);
  };
  close(cut);
  root.write([{ type: 'status', block: text ?? '', status: 'running' }]);
  const repeated = [user('q'), assistant('It rai')];
  assert.equal(nodesMade(root, repeated), 1);
  close(text);
  assert.equal(nodesMade(root, repeated), 0);
});

test('[FR137] a failure that said nothing is passed over, as a program has not heard it', () => {
  const root = new TestRoot();
  const failed = answer({ type: 'error', code: 'network', message: 'gone' });
  const { nodes } = append(root, [user('q'), failed, user('again'), assistant('yes')]);
  const again = append(root, [user('q'), user('again'), assistant('yes')], 'said');
  assert.deepEqual(again, { nodes: [nodes[0], nodes[2], nodes[3]], created: [] });
});

test('[FR137] among many children what was said is found in the same way, and after an edit what is said now', () => {
  const root = new TestRoot();
  const made = Array.from(
    { length: 40 },
    (_, index) =>
      append(root, [answer({ type: 'thinking', text: 'hm' }, { type: 'text', text: `a ${index}` })]).nodes[0],
  );
  assert.deepEqual(append(root, [assistant('a 7\n')], 'said'), { nodes: [made[7]], created: [] });
  root.write([{ type: 'node-removed', node: made[7] ?? '' }]);
  assert.equal(nodesMade(root, [assistant('a 7')]), 1);
  assert.deepEqual(append(root, [assistant('a', '8')], 'said'), { nodes: [made[8]], created: [] });
  root.write([{ type: 'node-restored', node: made[7] ?? '' }]);
  assert.deepEqual(append(root, [assistant('a 7')], 'said').nodes, [made[7]]);
});

function nodesMade(root: TestRoot, messages: readonly Message[]): number {
  const decided = decideAppend(root.state, 'program', { parent: 'root-1', messages, match: 'said' });
  return decided.ok ? decided.ops.length : assert.fail(decided.refusal.reason);
}
