import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { RootState } from '@loom/kernel';
import type { Change, RootOp } from '@loom/kernel/logs';
import { completedBlocks } from './cut-words.ts';
import { decideUpsert } from './upsert.ts';

const cut = { status: 'error', error: { code: 'interrupted', message: 'stopped before this was complete' } } as const;
const said = (text: string): { key: string; block: MessageBlock } => ({ key: text, block: { type: 'text', text } });

function heard(blocks: MessageBlock[], more: Partial<NodeState> = {}): NodeState {
  return {
    id: 'n1',
    parent: 'root',
    role: 'assistant',
    source: { type: 'model', provider: 'claude', model_name: 'default', parameters: {} },
    turn: 't1',
    time: 0,
    touched: 1,
    blocks,
    ...more,
  };
}

test('[IM80] words that were cut off when Loom stopped are completed from the session that has them whole', () => {
  const half: MessageBlock = { type: 'text', text: 'Half of', block_id: 'b1', ...cut };
  const thought: MessageBlock = { type: 'thinking', text: '', block_id: 'b2', ...cut };
  const call: MessageBlock = { type: 'tool-use', id: 'c1', name: 'Bash', parameters: {}, block_id: 'b3', ...cut };
  const whole: MessageBlock = { type: 'tool-use', id: 'c1', name: 'Bash', parameters: { command: 'ls' } };
  const found = completedBlocks(heard([thought, half, call]), [
    { key: 'k1', block: { type: 'thinking', text: 'I think.' } },
    said('Half of it.'),
    { key: 'k3', block: whole },
  ]);
  assert.deepEqual(
    found.map(({ key, before }) => [key, before.block_id]),
    [
      ['k1', 'b2'],
      ['Half of it.', 'b1'],
      ['k3', 'b3'],
    ],
  );
});

test('[IM80] words that are whole, stopped by a person or changed since are left alone, and each is completed once', () => {
  const block = (text: string, more: object = cut): MessageBlock => ({ type: 'text', text, block_id: 'b1', ...more });
  const stopped = { status: 'error', error: { code: 'stopped', message: 'a person stopped it' } };
  const blocks = [said('Half of it.'), said('Half of it.')];
  assert.equal(completedBlocks(heard([block('Half')]), blocks).length, 1);
  for (const other of [block('Half', { status: 'done' }), block('Half', stopped), block('Half as I want it')])
    assert.deepEqual(completedBlocks(heard([other]), blocks), []);
  const { turn: _turn, ...imported } = heard([block('Half')]);
  assert.deepEqual(completedBlocks(imported, blocks), []);
  assert.deepEqual(completedBlocks(heard([block('Half')], { deleted: true }), blocks), []);
});

test('[IM80] a message that was cut off is whole after an import, and says so', () => {
  const root = 'root-1';
  const state = new RootState(root);
  const apply = (agent: string, ops: RootOp[], turn?: string): void => {
    const change: Change<RootOp> = { seq: state.seq + 1, time: state.seq + 1, agent, request: `r${state.seq}`, ops };
    state.apply(turn === undefined ? change : { ...change, turn });
  };
  const source = { type: 'model', provider: 'claude', model_name: 'default', parameters: {} } as const;
  const origin = { source: 'claude-code', id: 'line-1' };
  const half = { type: 'text', text: 'Half of', block_id: `${root}/@claude:default/1`, status: 'running' } as const;
  apply('person', [
    { type: 'root-changed', config: {} },
    {
      type: 'node-added',
      node: { id: `${root}/node-1`, parent: root, role: 'user', blocks: [], source: { type: 'user' } },
    },
  ]);
  const manner = {
    provider: 'claude',
    model: 'default',
    settings: {},
    tools: [],
    told: [],
    max_rounds: 1,
    holder: 'h',
  };
  const answer = `${root}/node-2`;
  apply('person', [{ type: 'turn-started', turn: 't1', node: `${root}/node-1`, answer, ...manner }], 't1');
  const node = {
    id: answer,
    parent: `${root}/node-1`,
    role: 'assistant',
    blocks: [half],
    source,
    origin,
    turn: 't1',
  } as const;
  apply('claude:default', [{ type: 'node-added', node: { ...node, blocks: [half] } }], 't1');
  apply('loom:recovery', [
    { type: 'status', block: half.block_id, ...cut },
    { type: 'turn-ended', turn: 't1', reason: 'interrupted' },
  ]);
  const line = { id: 'line-1', parent: 'line-0', role: 'assistant', source, blocks: [said('Half of it.')] } as const;
  const place = { agent: 'import:claude-code', source: 'claude-code', purges: 'marked' } as const;
  const decided = decideUpsert(state, line, place);
  assert.ok(decided.ok);
  apply(place.agent, decided.ops);
  const blocks = state.nodes
    .get(answer)
    ?.blocks.map((block) => [block.type === 'text' && block.text, block.status, block.error]);
  assert.deepEqual(blocks, [['Half of it.', 'done', undefined]]);
});
