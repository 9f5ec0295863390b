import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageBlock } from '@loom/blocks';
import { createStreamReader } from '@loom/exchange/claude-code';
import type { StreamFact } from '@loom/exchange/claude-code';
import type { ProviderEvent } from '@loom/kernel';
import { inspectEvents } from '../testing/event-rules.ts';
import { LiveEvents } from './live-events.ts';
import { capturedRuns, noCaptures } from './testing/captured-runs.ts';
import { heardMessages } from './testing/heard-blocks.ts';

/** The messages that an importer gets from a run: blocks by conversation and role, in their order. */
function imported(
  lines: readonly string[],
): { conversation: string; role: string; blocks: MessageBlock[]; names: string[] }[] {
  const reader = createStreamReader();
  const nodes = new Map<string, { conversation: string; role: string; blocks: Map<string, MessageBlock> }>();
  const children = new Map<string, string>();
  for (const line of lines) reader.push(line);
  reader.end();
  for (const item of reader.take()) {
    if (item.type === 'conversation' && item.conversation.parent !== undefined)
      children.set(item.conversation.id, item.conversation.parent.conversation);
    if (item.type === 'retract')
      for (const { blocks } of nodes.values()) for (const key of item.keys) blocks.delete(key);
    if (item.type !== 'node') continue;
    const { id, role, blocks, conversation } = item.node;
    const known = nodes.get(id) ?? {
      conversation: children.has(conversation) ? conversation : '',
      role,
      blocks: new Map(),
    };
    nodes.set(id, known);
    for (const { key, block } of blocks) known.blocks.set(key, block);
  }
  return [...nodes.values()].map(({ conversation, role, blocks }) => ({
    conversation,
    role,
    blocks: [...blocks.values()],
    names: [...blocks.keys()],
  }));
}

function heard(lines: readonly string[]): { events: ProviderEvent[]; facts: StreamFact[] } {
  const reader = createStreamReader();
  const live = new LiveEvents();
  const facts = lines.flatMap((line) => reader.step(line));
  return { events: [...facts.flatMap((fact) => live.take(fact)), ...live.finish()], facts };
}

test(
  '[CI10] every captured run gives live what its import gives: the same blocks in the same messages, with the same names',
  { skip: noCaptures },
  () => {
    let count = 0;
    let streamed = 0;
    for (const { name, lines } of capturedRuns()) {
      const { events } = heard(lines);
      const { messages, grown } = heardMessages(events);
      const wanted = imported(lines)
        .map((message) => ({ ...message, blocks: message.blocks.filter(({ type }) => type !== 'error') }))
        .filter(({ blocks, role }) => blocks.length > 0 && role !== 'user');
      const got = messages.filter(({ role }) => role !== 'user');
      const plain = ({
        conversation,
        role,
        blocks,
      }: {
        conversation: string;
        role: string;
        blocks: MessageBlock[];
      }) => ({ conversation, role, blocks });
      assert.deepEqual(got.map(plain), wanted.map(plain), name);
      for (const [index, { names }] of wanted.entries())
        for (const key of names) assert.ok(got[index]?.names.includes(key), `${name} ${key}`);
      count += wanted.length;
      // The pieces add up to the block that counts, unless the program has changed its arguments.
      for (const event of events) {
        if (event.type !== 'block-end' || event.block === undefined) continue;
        const whole = grown.get(event.key);
        if (
          whole?.type !== event.block.type ||
          whole.type === 'tool-use' ||
          !('text' in whole) ||
          !('text' in event.block)
        )
          continue;
        assert.equal(whole.text, event.block.text, name);
        streamed += 1;
      }
      // Arguments may end otherwise than they were spelled (PV6, PV7): the program adds defaults to them.
      const said = inspectEvents([{ type: 'call-start' }, ...events, { type: 'call-end', reason: 'stop' }], true);
      assert.deepEqual(
        said.violations.filter(({ rule }) => rule !== 'PV6' && rule !== 'PV7'),
        [],
        name,
      );
    }
    assert.ok(count > 200 && streamed > 50, `${count} messages, ${streamed} streamed blocks`);
  },
);
