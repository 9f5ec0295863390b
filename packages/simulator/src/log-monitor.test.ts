import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RootOp } from '@loom/kernel/logs';
import { RootState } from '@loom/kernel';
import { headOfRoot, rootCodec as codec } from '@loom/kernel/logs';
import { LogMonitor } from './log-monitor.ts';
import { checkRequest } from './request-rules.ts';
import { checkUnowned } from './state-rules.ts';
import type { Invariant } from './violation.ts';

const root = 'root-test';

/** Creates a monitor of a log with a turn that has made one call, and collects its reports. */
function openTurn(tool = 'change') {
  const reported: Invariant[] = [];
  const monitor = new LogMonitor(root, (invariant) => void reported.push(invariant));
  let seq = 0;
  const follow = (ops: RootOp[], turn?: string, request = `request-${seq + 1}`, agent = 'agent'): void => {
    seq += 1;
    const change = { seq, time: seq, agent, request, ops };
    monitor.follow({ records: [{ seq, text: codec.encode(turn === undefined ? change : { ...change, turn }) }] });
  };
  follow([{ type: 'root-changed', config: {} }, addNode('node-1', 1)]);
  follow([
    {
      type: 'turn-started',
      turn: 't',
      node: `${root}/node-1`,
      provider: 'fake',
      model: 'model',
      settings: {},
      tools: [],
      max_rounds: 1,
      holder: 'one',
    },
  ]);
  const call = { type: 'tool-use' as const, id: 'c', name: tool, parameters: {}, block_id: `${root}/@m/1` };
  follow([
    {
      type: 'node-added',
      node: {
        id: `${root}/node-2`,
        parent: `${root}/node-1`,
        role: 'assistant',
        blocks: [call],
        source: { type: 'user' },
        turn: 't',
      },
    },
  ]);
  return { monitor, reported, follow, waiting: () => follow([addResult('node-3', 'node-2', tool)]) };
}

test('[SM4] head-true: a head that does not say what its log says, or no longer, is reported', () => {
  const reported: Invariant[] = [];
  const monitor = new LogMonitor(root, (invariant) => void reported.push(invariant));
  const state = new RootState(root);
  const early = headOfRoot(state);
  for (const [index, head] of [early, undefined, 'same' as const].entries()) {
    const [seq, ops] = [index + 1, [{ type: 'root-changed' as const, title: `title ${index}` }]];
    const change = { seq, time: seq, agent: 'agent', request: `${seq}`, ops };
    state.apply(change);
    monitor.follow({ records: [{ seq, text: codec.encode(change) }], head: head ?? headOfRoot(state) });
  }
  assert.deepEqual(reported, ['head-true', 'head-true'], 'one is early, and one is kept too long');
});

test('[SM4] id-once: nodes, blocks, turns and requests that come twice are reported', () => {
  for (const op of [addNode('node-1', 2), addNode('node-9', 1)]) {
    const { reported, follow } = openTurn();
    follow([op]);
    assert.ok(reported.includes('id-once'));
  }
  const { reported, follow } = openTurn();
  follow([{ type: 'bookmark', node: `${root}/node-1`, title: 'a' }], undefined, 'same');
  assert.deepEqual(reported, []);
  follow([{ type: 'bookmark', node: `${root}/node-1`, title: 'b' }], undefined, 'same');
  assert.deepEqual(reported, ['id-once']);
});

test('[SM4] question-kept: an edit in place of what a turn is answering is reported, unless it is the edit of a block', () => {
  for (const [agent, expected] of [
    ['person:bea', ['question-kept']],
    ['person:cid', []],
  ] as const) {
    const { reported, follow } = openTurn();
    follow([addNode('node-8', 8)]);
    const turn = { type: 'turn-started', turn: 'u', provider: 'fake', model: 'model', settings: {} } as const;
    follow([{ ...turn, node: `${root}/node-8`, tools: [], max_rounds: 1, holder: 'one' }]);
    const splices = [{ at: 0, delete: 0, insert: 'other ' }];
    follow(
      [{ type: 'text', block: `${root}/@agent/8`, splices, unit: 'edit-9', client: 5 }],
      undefined,
      undefined,
      agent,
    );
    assert.deepEqual(reported, expected);
  }
});

test('[SM4] fenced: whatever a turn writes after its end is reported', () => {
  const { reported, follow, waiting } = openTurn();
  waiting();
  follow([answer('interrupted'), { type: 'turn-ended', turn: 't', reason: 'aborted' }]);
  assert.deepEqual(reported, []);
  follow([{ type: 'bookmark', node: `${root}/node-1`, title: 'a' }], 't');
  assert.deepEqual(reported, ['fenced']);
});

test('[SM4] prefix-exact: a block that was written after something else than what is read back is reported', () => {
  const { reported, follow, waiting } = openTurn();
  waiting();
  follow([{ type: 'status', block: `${root}/@m/1`, status: 'done', prefix: 'of something else' }]);
  assert.deepEqual(reported, []);
  follow([answer('interrupted'), { type: 'turn-ended', turn: 't', reason: 'aborted' }]);
  assert.deepEqual(reported, ['prefix-exact']);
});

test('[SM4] closed and paired: a turn that ends with an open or unanswered call is reported', () => {
  const open = openTurn();
  open.waiting();
  open.follow([{ type: 'turn-ended', turn: 't', reason: 'done' }]);
  assert.deepEqual(open.reported, ['closed']);
  const unanswered = openTurn();
  unanswered.follow([{ type: 'turn-ended', turn: 't', reason: 'done' }]);
  assert.deepEqual(unanswered.reported, ['paired']);
});

test('[SM4] paired: a second answer, and a message beside the last one, are reported', () => {
  const twice = openTurn();
  twice.waiting();
  twice.follow([answer('result')]);
  twice.follow([answer('interrupted')]);
  assert.deepEqual(twice.reported, ['paired']);
  const beside = openTurn();
  beside.waiting();
  beside.follow([addResult('node-4', 'node-2', 'change')]);
  assert.deepEqual(beside.reported, ['paired']);
});

test('[SM4] tool-once and approved: a start without approval, twice, or unknown to the log is reported', () => {
  const start: RootOp = { type: 'tool-started', turn: 't', node: `${root}/node-3` };
  const unapproved = openTurn();
  unapproved.waiting();
  unapproved.follow([start]);
  assert.deepEqual(unapproved.reported, ['approved']);
  const twice = openTurn('look');
  twice.waiting();
  twice.follow([start]);
  twice.follow([start]);
  assert.deepEqual(twice.reported, ['tool-once']);
  const unknown = openTurn('look');
  unknown.waiting();
  unknown.monitor.checkStart({ id: 'c', name: 'look', parameters: {}, arguments: '{}' });
  assert.deepEqual(unknown.reported, ['tool-once']);
});

test('[SM4] approved: a call that runs with other arguments than the approved ones is reported', () => {
  const { monitor, reported, follow, waiting } = openTurn();
  waiting();
  follow([{ type: 'approval', turn: 't', node: `${root}/node-3`, decision: 'approved', arguments: '{}' }]);
  follow([{ type: 'tool-started', turn: 't', node: `${root}/node-3` }]);
  assert.deepEqual(reported, []);
  monitor.checkStart({ id: 'c', name: 'change', parameters: {}, arguments: '{ }' });
  assert.deepEqual(reported, ['approved']);
});

test('[SM4] message-once: a message that is taken twice, or without its place, is reported', () => {
  const { monitor, reported, follow } = openTurn();
  const block = { type: 'text' as const, text: 'go on', block_id: `${root}/@p/7` };
  follow([{ type: 'message-waiting', id: 'm', turn: 't', kind: 'queue', blocks: [block] }]);
  assert.deepEqual(monitor.waitingMessages, ['m']);
  follow([{ type: 'message-taken', id: 'm' }]);
  assert.deepEqual(reported, ['message-once']);
});

test('[SM4] words-kept: text with a hole is reported', () => {
  const { monitor, reported, follow } = openTurn();
  monitor.hear('one two three');
  const say = (text: string): RootOp => ({
    type: 'text-appended',
    block: `${root}/@agent/1`,
    field: 'text',
    text,
    unit: 't',
  });
  follow([say('one ')]);
  assert.deepEqual(reported, []);
  follow([say('three')]);
  assert.deepEqual(reported, ['words-kept']);
});

test('[SM4] state-equal: a state that is not what the log says is reported', () => {
  const { monitor, reported } = openTurn();
  const live = new RootState(root);
  for (const change of monitor.changes) live.apply(change);
  monitor.checkState(live, 'live');
  assert.deepEqual(reported, []);
  live.title = 'something else';
  monitor.checkState(live, 'live');
  assert.deepEqual(reported, ['state-equal']);
});

test('[SM4] closed: a turn that no process runs is reported unless only a person is missing', () => {
  const { monitor, reported, waiting } = openTurn();
  const check = (): void => {
    const turn = monitor.state.turns.get('t');
    if (turn !== undefined) checkUnowned(monitor.state, turn, (invariant) => void reported.push(invariant));
  };
  check();
  assert.deepEqual(reported, ['closed']);
  waiting();
  check();
  assert.deepEqual(reported, ['closed']);
});

test('[SM4] paired: a request with a stray or a missing result is reported', () => {
  const request = { root, node: root, model: 'm', tools: [], maxTokens: 1, settings: {}, invalid: [], trail: [] };
  const call = {
    role: 'assistant' as const,
    content: [{ type: 'tool-use' as const, id: 'c', name: 'look', parameters: {} }] as const,
  };
  const result = { role: 'tool' as const, tool_call_id: 'c', content: [] };
  const reports = (messages: Parameters<typeof checkRequest>[0]['messages']): Invariant[] => {
    const reported: Invariant[] = [];
    checkRequest({ ...request, messages }, (invariant) => void reported.push(invariant));
    return reported;
  };
  const asked = { ...call, content: [...call.content] satisfies [unknown] };
  assert.deepEqual(reports([asked, result]), []);
  assert.deepEqual(reports([asked]), ['paired']);
  assert.deepEqual(reports([result]), ['paired']);
});

function addNode(id: string, block: number): RootOp {
  return {
    type: 'node-added',
    node: {
      id: `${root}/${id}`,
      parent: root,
      role: 'user',
      blocks: [{ type: 'text', text: '', block_id: `${root}/@agent/${block}` }],
      source: { type: 'user' },
    },
  };
}

function addResult(id: string, parent: string, tool: string): RootOp {
  return {
    type: 'node-added',
    node: {
      id: `${root}/${id}`,
      parent: `${root}/${parent}`,
      role: 'tool',
      blocks: [],
      source: { type: 'tool_result', tool_name: tool },
      tool_call_id: 'c',
      turn: 't',
      tool: 'waiting',
    },
  };
}

function answer(tool: 'result' | 'interrupted'): RootOp {
  return { type: 'node-changed', node: `${root}/node-3`, set: { tool } };
}
