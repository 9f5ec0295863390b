import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { interruptedText, isBlank, toolUsesOf } from '@loom/blocks';
import type { Message, MessageBlock } from '@loom/blocks';
import { buildContext, costOf } from '@loom/kernel';
import type { NodeState, PrefixHead } from '@loom/kernel';
import { testHash } from '../testing/world.ts';
import { bareBlock } from './context.ts';

const head: PrefixHead = { provider: 'scripted', model: 'one', systemPrompt: 'Be brief.', tools: [] };
const textOf = (blocks: readonly MessageBlock[]) =>
  blocks.map((block) => (block.type === 'text' ? block.text : block.type)).join('|');
const texts = (messages: readonly Message[]) =>
  messages.map((message) => `${message.role}: ${textOf(message.content)}`);
const shown = (...path: NodeState[]) => texts(buildContext(path, head, testHash).messages);

let count = 0;
function node(role: NodeState['role'], content: (string | MessageBlock)[], more: Partial<NodeState> = {}): NodeState {
  count += 1;
  const id = `root-1/node-${count}`;
  const source =
    role === 'assistant'
      ? { type: 'model' as const, provider: 'scripted', model_name: 'one', parameters: {} }
      : { type: 'user' as const };
  const blocks = content.map((block, index): MessageBlock => ({
    status: 'done',
    ...(typeof block === 'string' ? { type: 'text', text: block } : block),
    block_id: `${id}/@x/${index}`,
  }));
  return { id, parent: 'root-1', role, blocks, source, time: 0, touched: 1, ...more };
}
const toolUse = (id: string): MessageBlock => ({ type: 'tool-use', id, name: 'x', parameters: {} });
const result = (id: string, text: string, more: Partial<NodeState> = {}) =>
  node('tool', [text], { tool_call_id: id, ...more });

test('[CX1] adjacent texts of one role are one message, and halves of a split text are one text', () => {
  const left = node('assistant', ['c']);
  assert.deepEqual(
    shown(
      node('user', ['a']),
      node('user', ['b']),
      left,
      node('assistant', ['d'], { continues: true, parent: left.id }),
    ),
    ['user: a|b', 'assistant: cd'],
  );
});

test('[CX1] texts that were cut are joined only where both edges of the cut are visible', () => {
  const left = node('assistant', ['one', 'two ']);
  const right = node('assistant', ['halves', 'three'], { continues: true, parent: left.id });
  const without = (...hidden: (string | undefined)[]) =>
    shown(left, right, node('user', ['?'], { exclude: hidden.filter((id) => id !== undefined) }))[0];
  assert.equal(without(), 'assistant: one|two halves|three');
  assert.equal(without(left.blocks[1]?.block_id), 'assistant: one|halves|three');
  assert.equal(without(right.blocks[0]?.block_id), 'assistant: one|two |three');
});

test('[CX2] every call has exactly one result right behind it: missing ones are interrupted, orphans and repeats are left out', () => {
  const lines = shown(
    node('user', ['go']),
    node('assistant', [toolUse('1'), toolUse('2')]),
    result('2', 'two'),
    result('9', 'orphan'),
    result('2', 'two again'),
    result('1', '', { tool: 'waiting' }),
  );
  assert.deepEqual(lines, ['user: go', 'assistant: tool-use|tool-use', `tool: ${interruptedText}`, 'tool: two']);
});

test('[CX3] the deepest context_start hides what is above it', () => {
  const [a, b, c] = [
    node('user', ['a']),
    node('user', ['b'], { context_start: true }),
    node('user', ['c'], { context_start: true }),
  ];
  assert.deepEqual(shown(a, b), ['user: b']);
  assert.deepEqual(shown(a, b, c), ['user: c']);
});

test('[CX4] an excluded block is hidden, a call takes its result along, and a result without a visible block its call', () => {
  const caller = node('assistant', ['look', toolUse('1')]);
  const answer = result('1', 'found');
  const [, call] = caller.blocks;
  const end = (exclude: (string | undefined)[]) =>
    node('user', ['?'], { exclude: exclude.filter((id) => id !== undefined) });
  assert.deepEqual(shown(caller, answer, end([call?.block_id])), ['assistant: look', 'user: ?']);
  assert.deepEqual(shown(caller, answer, end([answer.blocks[0]?.block_id])), ['assistant: look', 'user: ?']);
  assert.deepEqual(shown(caller, answer, end([caller.blocks[0]?.block_id])), [
    'assistant: tool-use',
    'tool: found',
    'user: ?',
  ]);
});

test('[CX5] white space alone, ephemeral blocks and messages with nothing visible are left out', () => {
  const hint: MessageBlock = { type: 'text', text: 'psst', ephemeral: true };
  assert.deepEqual(
    shown(node('user', ['a']), node('assistant', [' \n']), node('assistant', [hint]), node('user', ['b'])),
    ['user: a|b'],
  );
});

test('[CX6] thinking goes back only to the model that wrote it, and only while what stood before it holds', () => {
  const question = node('user', ['why?']);
  const { chain } = buildContext([question], head, testHash);
  const thinking: MessageBlock = {
    type: 'thinking',
    text: 'hm',
    prefix: chain.value,
    provider: { scripted: { signature: 's' }, other: { x: 1 } },
  };
  const answer = node('assistant', [thinking, 'because']);
  const context = buildContext([question, answer], head, testHash);
  assert.deepEqual(context.messages[1]?.content[0], {
    type: 'thinking',
    text: 'hm',
    provider: { scripted: { signature: 's' } },
  });
  assert.deepEqual(
    texts(buildContext([question, answer], { ...head, model: 'two' }, testHash).messages)[1],
    'assistant: because',
  );
  const edited = { ...question, blocks: [{ type: 'text' as const, text: 'how?' }] };
  const after = buildContext([edited, answer], head, testHash);
  assert.deepEqual(texts(after.messages), ['user: how?', 'assistant: because']);
  assert.deepEqual(after.invalid, [answer.blocks[0]?.block_id]);
  const cost = costOf(answer.id, { path: [question, answer], head }, { path: [edited, answer], head }, testHash);
  assert.deepEqual(cost.invalid_thinking, [answer.blocks[0]?.block_id]);
  assert.ok(cost.tokens_again > 0);
  const same = costOf(answer.id, { path: [question, answer], head }, { path: [question, answer], head }, testHash);
  assert.deepEqual(same, { leaf: answer.id, invalid_thinking: [], tokens_again: 0 });
});

test('[CX23] the signature of a text or call goes back as long as a thought in its place would; else it is left out and reported', () => {
  const question = node('user', ['why?']);
  const { chain } = buildContext([question], head, testHash);
  const provider = { scripted: { thoughtSignature: 's', model: 'one' } };
  const call: MessageBlock = { type: 'tool-use', id: 'c', name: 'f', parameters: {}, prefix: chain.value, provider };
  const answer = node('assistant', [call]);
  const shown = (path: NodeState[], reader = head) => {
    const { messages, leftOut } = buildContext(path, reader, testHash);
    return { provider: messages[1]?.content[0]?.provider, leftOut };
  };
  assert.deepEqual(shown([question, answer]), { provider, leftOut: [] });
  const unsigned = { scripted: { model: 'one' } };
  const leftOut = (why: string) => [{ what: 'signature', why, count: 1 }];
  const edited = { ...question, blocks: [{ type: 'text' as const, text: 'how?' }] };
  assert.deepEqual(shown([edited, answer]), {
    provider: unsigned,
    leftOut: leftOut('What stands before it has changed.'),
  });
  assert.deepEqual(shown([question, answer], { ...head, model: 'two' }), {
    provider: unsigned,
    leftOut: leftOut('Another model wrote it.'),
  });
  const { prefix: _prefix, ...changed } = call;
  assert.deepEqual(shown([question, node('assistant', [changed])]), {
    provider: unsigned,
    leftOut: leftOut('It was edited, or is not complete.'),
  });
  assert.deepEqual(shown([question, answer], { ...head, provider: 'other' }), { provider: undefined, leftOut: [] });
});

/** A conversation as it is generated: every assistant block gets the prefix that it was written after. */
const anyTurns = fc.array(
  fc.record({
    asked: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    thought: fc.option(fc.string({ maxLength: 8 }), { nil: undefined }),
    calls: fc.nat(2),
    said: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 50 },
);
type Turns = typeof anyTurns extends fc.Arbitrary<infer T> ? T : never;

function generate(path: NodeState[], blocks: MessageBlock[]): NodeState {
  const { chain } = buildContext(path, head, testHash);
  const written = node('assistant', blocks);
  const prefixed = written.blocks.map((block): MessageBlock => {
    const generated = { ...block, prefix: chain.value };
    if (block.type === 'text' || block.type === 'thinking' || block.type === 'tool-use') {
      chain.addBlock({ role: 'assistant' }, bareBlock(block, head.provider));
    }
    return generated;
  });
  return { ...written, blocks: prefixed };
}

function converse(turns: Turns): { path: NodeState[]; requests: Message[][] } {
  const path: NodeState[] = [];
  const requests: Message[][] = [];
  for (const [index, { asked, thought, calls, said }] of turns.entries()) {
    path.push(node('user', [asked]));
    requests.push(buildContext(path, head, testHash).messages);
    if (calls > 0) {
      const ids = Array.from({ length: calls }, (_, call) => `call-${index}-${call}`);
      path.push(generate(path, ids.map(toolUse)), ...ids.map((id) => result(id, `r${id}`)));
      requests.push(buildContext(path, head, testHash).messages);
    }
    const thinking: MessageBlock[] = thought === undefined ? [] : [{ type: 'thinking', text: thought }];
    path.push(generate(path, [...thinking, { type: 'text', text: said }]));
  }
  return { path, requests };
}

test('[CX6] a provider may have any name: what all objects inherit is not its data', () => {
  const said = node('assistant', [{ type: 'text', text: 'hi', provider: { scripted: { id: 'x' } } }]);
  for (const provider of ['constructor', 'toString', '__proto__']) {
    const { messages } = buildContext([node('user', ['hello']), said], { ...head, provider }, testHash);
    assert.deepEqual(messages[1]?.content, [{ type: 'text', text: 'hi' }]);
  }
});

test('[CX7] each request begins with the bytes of the one before it, but for a last message that was joined', () => {
  fc.assert(
    fc.property(anyTurns, (turns) => {
      const { requests } = converse(turns);
      for (const [index, next] of requests.slice(1).entries()) {
        const former = requests[index] ?? [];
        const kept = former.slice(0, -1).map((message) => JSON.stringify(message));
        assert.deepEqual(
          next.slice(0, kept.length).map((message) => JSON.stringify(message)),
          kept,
        );
        const last = former.at(-1);
        // Blanks alone say nothing, and every request begins with nothing.
        if (last === undefined) continue;
        const there = next[former.length - 1];
        assert.equal(there?.role, last.role);
        assert.ok(JSON.stringify(there?.content).startsWith(JSON.stringify(last.content).slice(0, -1)));
      }
    }),
    { numRuns: 60, examples: [[[{ asked: ' ', thought: undefined, calls: 1, said: ' ' }]]] },
  );
});

test('[CX8] in an unedited conversation nothing is invalid; after an edit exactly the generated blocks behind it are', () => {
  fc.assert(
    fc.property(anyTurns, fc.nat(), (turns, chosen) => {
      const { path } = converse(turns);
      assert.deepEqual(buildContext(path, head, testHash).invalid, []);
      const place = chosen % path.length;
      const victim = path[place];
      const [first, ...rest] = victim?.blocks ?? [];
      if (victim === undefined || first?.type !== 'text') return;
      const edited = path.with(place, { ...victim, blocks: [{ ...first, text: `${first.text}!` }, ...rest] });
      // A message that says nothing is not shown, so it was not written after anything.
      const behind = path
        .slice(place + 1)
        .filter(({ blocks }) => !blocks.every((block) => block.type === 'text' && isBlank(block.text)))
        .flatMap(({ blocks }) => blocks.filter(({ prefix }) => prefix !== undefined));
      const own = rest.filter(({ prefix }) => prefix !== undefined);
      assert.deepEqual(
        buildContext(edited, head, testHash).invalid,
        [...own, ...behind].map(({ block_id }) => block_id),
      );
    }),
    { numRuns: 60, examples: [[[{ asked: ' ', thought: undefined, calls: 0, said: ' ' }], 0]] },
  );
});

test('[CX9] calls and results are paired in every context, whatever the path', () => {
  const anyNode = fc.oneof(
    fc.constantFrom('a', 'b').map((text) => node('user', [text])),
    fc
      .array(fc.constantFrom('1', '2', '3'), { minLength: 1, maxLength: 3 })
      .map((ids) => node('assistant', ids.map(toolUse))),
    fc.constantFrom('1', '2', '3').map((id) => result(id, id)),
  );
  fc.assert(
    fc.property(fc.array(anyNode), (path) => {
      const { messages } = buildContext(path, head, testHash);
      for (const [index, message] of messages.entries()) {
        const ids = toolUsesOf(message).map(({ id }) => id);
        const answers = messages.slice(index + 1, index + 1 + ids.length);
        assert.deepEqual(
          answers.map((answer) => answer.role === 'tool' && answer.tool_call_id),
          ids,
        );
      }
      const calls = messages.flatMap(toolUsesOf).length;
      assert.equal(messages.filter(({ role }) => role === 'tool').length, calls);
    }),
  );
});

test('[CX22] a block behind what it was behind before is not hashed again, and any other is', () => {
  let hashed = 0;
  const counting = { hex: (text: string) => testHash.hex(text) + String(Math.min(0, (hashed += 1))) };
  const path = [node('user', ['a']), node('assistant', ['b', toolUse('t')]), result('t', 'c')];
  const build = (...nodes: NodeState[]): [string, number] => {
    hashed = 0;
    return [buildContext(nodes, head, counting).chain.value, hashed];
  };
  const [first] = build(...path);
  // The head of the request is always hashed.
  assert.deepEqual(build(...path), [first, 1]);
  assert.equal(build(...path, node('user', ['d']))[1], 2);
  const [edited, again] = build(node('user', ['A']), ...path.slice(1));
  assert.notEqual(edited, first);
  assert.equal(again, 5);
  assert.deepEqual(build(...path), [first, 4]);
  const failed = path.map((one) => (one.role === 'tool' ? { ...one, is_error: true } : one));
  assert.notEqual(build(...failed)[0], first);
});
