import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import * as fc from 'fast-check';
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
  assert.deepEqual(told(rowsOf(waits)).slice(3), ['2 × Read', 'Read', 'Bash', 'weather']);
  assert.deepEqual(told(rowsOf(talk({ tool: 'error', is_error: true }))).slice(3, 5), ['2 × Read', 'Read']);
});

test('[WB381] reads and searches fold together from two on, commands from three on; one that exited with a failure never does', () => {
  const exit = (id: string, exit_code: number) =>
    node(`r/${id}`, 'tool', [{ type: 'command', command: 'x', exit_code }], { tool_call_id: id });
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const names = ['Read', 'Grep', 'Bash', 'Bash', 'Bash', 'Bash'];
  const list = (codes: readonly number[]) => [
    node(
      'r/1',
      'assistant',
      ids.map((id, index) => call(id, names[index] ?? '')),
    ),
    ...ids.map((id, index) => exit(id, codes[index] ?? 0)),
  ];
  assert.deepEqual(told(rowsOf(list([]))), ['header', '2 × Read', '4 × Bash']);
  assert.deepEqual(told(rowsOf(list([0, 0, 0, 1]))), ['header', '2 × Read', 'Bash', 'Bash', 'Bash', 'Bash']);
  assert.deepEqual(told(rowsOf(list([0, 1]))), ['header', 'Read', 'Grep', '4 × Bash']);
});

test('[WB382] thinking without words and empty answers are no rows; the header above them stays where the turn goes on', () => {
  const origin = { source: 'claude-code', id: 'u1' };
  const kept: MessageBlock = { type: 'thinking', text: '' };
  const turn = (more: Partial<NodeState> = {}) => [
    node('r/1', 'user', [text('go')]),
    node('r/2', 'assistant', [kept], { parent: 'r/1', ...more }),
  ];
  assert.deepEqual(told(rowsOf(turn({ origin }))), ['header', 'block']);
  const goesOn = [...turn({ origin }), node('r/3', 'assistant', [call('a', 'Read'), text('  ')], { parent: 'r/2' })];
  assert.deepEqual(told(rowsOf(goesOn)), ['header', 'block', 'header', 'Read']);
  assert.deepEqual(told(rowsOf(turn())), ['header', 'block', 'header'], 'it may still speak');
  const rows = new Rows();
  const source = (list: readonly NodeState[]) => ({
    path: list.map(({ id }) => id),
    nodes: new Map(list.map((item) => [item.id, item])),
    isFork: () => false,
    isShown,
  });
  rows.of(source(turn({ origin })));
  assert.deepEqual(told(rows.of(source(goesOn))), ['header', 'block', 'header', 'Read'], 'made step by step');
});

test('[WB382] what a program put into the message of a person is a notice beside the words of the person', () => {
  const origin = { source: 'claude-code', id: 'u1' };
  const reminder = text('<system-reminder>\nThe date has changed.\n</system-reminder>');
  const rows = rowsOf([node('r/1', 'user', [reminder, text('go'), text('on')], { origin })]);
  assert.deepEqual(told(rows), ['header', 'notice', 'block', 'block']);
  assert.deepEqual(
    rows.flatMap((row) => (row.kind === 'block' ? [row.said] : [])),
    ['first', 'last'],
  );
});

const isShown = (): boolean => true;

test('[IM44] a notice of a program is one row without a header; where others stand in its place, the header has the switch', () => {
  const origin = { source: 'claude-code', id: 'u1' };
  const list = [
    node('r/1', 'user', [text('go')]),
    node('r/2', 'user', [text('[Request interrupted by user]')], { origin, parent: 'r/1' }),
    node('r/3', 'user', [text('Caveat: …'), text('More.')], { custom_data: { synthetic: true }, parent: 'r/2' }),
    node('r/4', 'assistant', [text('ok')], { parent: 'r/3' }),
  ];
  assert.deepEqual(told(rowsOf(list)), ['header', 'block', 'notice', 'notice', 'header', 'block']);
  const source = { path: list.map(({ id }) => id), nodes: new Map(list.map((item) => [item.id, item])) };
  const forked = new Rows().of({ ...source, isFork: (id) => id === 'r/2', isShown: () => true });
  assert.deepEqual(told(forked), ['header', 'block', 'notice', 'fork', 'header', 'notice', 'header', 'block']);
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

test('[WB160] rows that are made step by step are those that are made at once, and what is above the turn that changes stays as it is', () => {
  const step = fc.record({
    kind: fc.constantFrom(
      'say',
      'call',
      'call',
      'answer',
      'answer',
      'grow',
      'ask',
      'cut',
      'unload',
      'hide',
      'fork',
      'sources',
    ),
    at: fc.nat({ max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      const kept = new Rows();
      let list: NodeState[] = [];
      const unloaded = new Set<string>();
      const forks = new Set<string>();
      let isShown = (_kind: HideableKind): boolean => true;
      for (const [index, { kind, at }] of steps.entries()) {
        const last = list.at(-1);
        const chosen = list.length === 0 ? undefined : list[at % list.length];
        const replace = (id: string, more: Partial<NodeState>): void => {
          list = list.map((one) => (one.id === id ? { ...one, ...more } : one));
        };
        const turn = `t${Math.floor(at / 8)}`;
        if (kind === 'say')
          list = [...list, node(`r/${index}`, at % 2 === 0 ? 'user' : 'assistant', [text('x')], { turn })];
        else if (kind === 'call')
          list = [
            ...list,
            node(`r/${index}`, 'assistant', [call(`c${at % 6}`, 'Read'), call(`d${at % 6}`, 'Read')], { turn }),
          ];
        else if (kind === 'answer')
          list = [...list, { ...answer(`${at % 2 === 0 ? 'c' : 'd'}${at % 6}`, { turn }), id: `r/${index}` }];
        else if (kind === 'sources')
          list = [...list, node(`r/${index}`, 'assistant', [{ type: 'sources', sources: [] }, text('x')], { turn })];
        else if (kind === 'grow' && last !== undefined)
          replace(last.id, { blocks: [...last.blocks, { ...text('y'), block_id: `${last.id}/@a/g${index}` }] });
        else if (kind === 'ask' && chosen?.role === 'tool')
          replace(chosen.id, { tool: 'waiting', ask: { kind: 'ask', preview: [] } });
        else if (kind === 'cut') list = list.slice(0, at);
        else if (kind === 'unload' && chosen !== undefined) unloaded.add(chosen.id);
        else if (kind === 'hide') isShown = (hidden) => hidden !== (at % 2 === 0 ? 'thinking' : 'command');
        else if (kind === 'fork' && chosen !== undefined) forks.add(chosen.id);
        const source = {
          path: list.map(({ id }) => id),
          nodes: new Map(list.filter(({ id }) => !unloaded.has(id)).map((item) => [item.id, item])),
          isFork: (id: string) => forks.has(id),
          isShown,
        };
        const rows = kept.of(source);
        assert.deepEqual(rows, new Rows().of(source));
        assert.equal(kept.of(source), rows);
      }
      const before = kept.of(sourceOf(list));
      const more = node('r/more', 'user', [text('more')], { turn: 'more' });
      const after = kept.of(sourceOf([...list, more]));
      for (const [index, row] of before.entries()) assert.equal(after[index], row);
    }),
    { numRuns: 400 },
  );
});

function sourceOf(list: readonly NodeState[]): Parameters<Rows['of']>[0] {
  return {
    path: list.map(({ id }) => id),
    nodes: new Map(list.map((item) => [item.id, item])),
    isFork: () => false,
    isShown: everything,
  };
}

function everything(): boolean {
  return true;
}

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

test('[WB144] an agent that goes on in one turn has one header, also in a conversation of another program; another model has its own', () => {
  const spoken = (id: string, blocks: readonly MessageBlock[], model: string, more: Partial<NodeState> = {}) => {
    const source = { type: 'model' as const, provider: 'p', model_name: model, parameters: {} };
    const { turn: _turn, ...rest } = node(`r/${id}`, 'assistant', blocks, { source, ...more });
    return rest;
  };
  const { turn: _asked, ...asked } = node('r/1', 'user', [text('go')]);
  const { turn: _answered, ...answered } = answer('a');
  const list = [
    asked,
    spoken('2', [text('I look.'), call('a', 'Read')], 'one'),
    answered,
    spoken('3', [call('b', 'Bash')], 'one'),
    spoken('4', [text('Done.')], 'one'),
    spoken('5', [text('I agree.')], 'other'),
    { ...asked, id: 'r/6' },
    spoken('7', [text('Gone on.')], 'other'),
  ];
  const heads = (rows: readonly Row[]): string[] => rows.flatMap((row) => (row.kind === 'header' ? [row.node] : []));
  assert.deepEqual(heads(rowsOf(list)), ['r/1', 'r/2', 'r/5', 'r/6', 'r/7']);
  const forked = new Rows().of({
    path: list.map(({ id }) => id),
    nodes: new Map(list.map((item) => [item.id, item.id === 'r/4' ? { ...item, parent: 'r/3' } : item])),
    isFork: (id) => id === 'r/3',
    isShown: () => true,
  });
  assert.deepEqual(heads(forked), ['r/1', 'r/2', 'r/4', 'r/5', 'r/6', 'r/7'], 'where messages can be switched');
});
