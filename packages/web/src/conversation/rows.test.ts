import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import type { HideableKind } from '../blocks/kinds/block-kinds.ts';
import { Rows } from './rows.ts';
import type { Row } from './rows.ts';

const node = (id: string, role: NodeState['role'], blocks: readonly MessageBlock[], more: Partial<NodeState> = {}) => ({
  id,
  parent: 'r',
  role,
  blocks: blocks.map((block, index) => ({ ...block, block_id: `${id}/@a/${index}` })),
  source: { type: 'user' as const },
  time: 0,
  turn: 't',
  touched: 0,
  ...more,
});
const call = (id: string, name: string): MessageBlock => ({ type: 'tool-use', id, name, parameters: {} });
const answer = (id: string, more: Partial<NodeState> = {}) =>
  node(`r/${id}`, 'tool', [{ type: 'text', text: 'ok' }], { tool_call_id: id, tool: 'result', ...more });
const text = (words: string): MessageBlock => ({ type: 'text', text: words });

function rowsOf(list: readonly NodeState[], hidden: readonly HideableKind[] = []): readonly Row[] {
  return new Rows().of({
    path: list.map(({ id }) => id),
    nodes: new Map(list.map((item) => [item.id, item])),
    isFork: () => false,
    isShown: (kind) => !hidden.includes(kind),
  });
}
const told = (rows: readonly Row[]): string[] =>
  rows.map((row) =>
    row.kind === 'tools'
      ? `${row.calls.length} × ${row.calls[0]?.name}`
      : row.kind === 'hidden'
        ? `hidden ${row.blocks} ${row.kinds.join()}`
        : row.kind === 'tool'
          ? row.name
          : row.kind,
  );

test('[WB21] three or more calls of one kind in a row that ended well are one row; what failed or waits stands alone', () => {
  const talk = (more: Partial<NodeState> = {}) => [
    node('r/1', 'user', [text('go')], { turn: 'u' }),
    node('r/2', 'assistant', [call('a', 'Read'), call('b', 'read_file'), call('c', 'Read'), call('d', 'Bash')]),
    answer('a'),
    answer('b'),
    answer('c', more),
    answer('d'),
    node('r/3', 'assistant', [call('e', 'weather')]),
    answer('e'),
  ];
  assert.deepEqual(told(rowsOf(talk())), ['header', 'block', 'header', '3 × Read', 'Bash', 'weather']);
  const waits = talk({ tool: 'waiting', ask: { kind: 'ask', preview: [] } });
  assert.deepEqual(told(rowsOf(waits)).slice(3), ['Read', 'read_file', 'Read', 'Bash', 'weather']);
  assert.deepEqual(told(rowsOf(talk({ tool: 'error', is_error: true }))).slice(3, 6), ['Read', 'read_file', 'Read']);
});

test('[WB21] rows that did not change are the same objects, also those of several calls', () => {
  const rows = new Rows();
  const list = [
    node(
      'r/1',
      'assistant',
      ['a', 'b', 'c'].map((id) => call(id, 'Read')),
    ),
    answer('a'),
    answer('b'),
    answer('c'),
  ];
  const source = {
    path: list.map(({ id }) => id),
    nodes: new Map(list.map((item) => [item.id, item])),
    isFork: () => false,
    isShown: () => true,
  };
  const before = rows.of(source);
  assert.equal(rows.of({ ...source, nodes: new Map(source.nodes) }), before);
  const more = node('r/9', 'assistant', [text('and')]);
  const after = rows.of({
    ...source,
    path: [...source.path, more.id],
    nodes: new Map([...source.nodes, [more.id, more]]),
  });
  assert.equal(after[1], before[1]);
});

test('[WB25] hidden kinds are one line that counts them, but what waits for the reader is always shown', () => {
  const list = [
    node('r/1', 'assistant', [{ type: 'thinking', text: 'hm' }, call('a', 'Bash'), call('b', 'Bash'), text('done')]),
    answer('a'),
    answer('b', { tool: 'waiting', ask: { kind: 'ask', preview: [] } }),
  ];
  assert.deepEqual(told(rowsOf(list, ['thinking', 'command'])), [
    'header',
    'hidden 2 thinking,command',
    'Bash',
    'block',
  ]);
  assert.deepEqual(told(rowsOf(list, ['thinking'])), ['header', 'hidden 1 thinking', 'Bash', 'Bash', 'block']);
});

test('[WB26] a text may cite the sources of its own message, else the last ones of its turn', () => {
  const sources: MessageBlock = { type: 'sources', sources: [] };
  const cites = (list: readonly NodeState[]) =>
    rowsOf(list).flatMap((row) => (row.kind === 'block' ? [row.cites] : []));
  const found = node('r/2', 'tool', [sources], { tool_call_id: 'a', tool: 'result' });
  const asked = node('r/1', 'assistant', [call('a', 'search')]);
  assert.deepEqual(cites([asked, found, node('r/3', 'assistant', [text('x[1]')])]), ['r/2']);
  assert.deepEqual(cites([asked, found, node('r/3', 'assistant', [text('x')], { turn: 'other' })]), [undefined]);
  assert.deepEqual(cites([node('r/3', 'assistant', [text('x'), sources])]), ['r/3', undefined]);
});

test('[WB29] the blocks of what a person said know their place in it', () => {
  const said = (count: number) =>
    rowsOf([
      node(
        'r/1',
        'user',
        Array.from({ length: count }, () => text('x')),
      ),
    ]).flatMap((row) => (row.kind === 'block' ? [row.said] : []));
  assert.deepEqual(said(1), ['only']);
  assert.deepEqual(said(3), ['first', 'middle', 'last']);
});
