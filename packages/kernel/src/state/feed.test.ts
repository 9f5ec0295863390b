import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { z } from 'zod';
import type { MessageBlock } from '@loom/blocks';
import { Forest } from '@loom/kernel/logs';
import type { FeedEvent, FeedItem, NodeState, RootState } from '@loom/kernel';
import type { RootLog, RootOp } from '@loom/kernel/logs';
import { createMemoryStore } from '@loom/stores/memory';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { countingIds } from '../testing/world.ts';

/** A client that has never heard of a CRDT: blocks by id, kept up to date by what the feed says. */
class PlainClient {
  readonly blocks = new Map<string, MessageBlock>();

  constructor(nodes: Iterable<NodeState>) {
    for (const node of nodes) this.#take(node);
  }

  apply(item: FeedItem<FeedEvent>): void {
    if (item.type !== 'change') throw new Error('a reset was not expected');
    for (const event of item.events) this.#applyEvent(event);
  }

  #take(node: NodeState): void {
    for (const block of node.blocks) this.blocks.set(block.block_id ?? '', block);
  }

  #applyEvent(event: FeedEvent): void {
    switch (event.type) {
      case 'node-added':
      case 'node-changed':
        return this.#take(event.node);
      case 'block-added':
      case 'block-changed':
        return void this.blocks.set(event.block.block_id ?? '', event.block);
      case 'block-removed':
        return void this.blocks.delete(event.block);
      case 'text-appended':
        return this.#edit(event.block, event.version, (text) => text + event.text);
      case 'text-changed':
        return this.#edit(event.block, event.version, (text) => {
          let result = text;
          for (const { at, delete: count, insert } of [...event.changes].sort((a, b) => b.at - a.at)) {
            result = result.slice(0, at) + insert + result.slice(at + count);
          }
          return result;
        });
      case 'status-changed': {
        const block = this.blocks.get(event.block);
        if (block !== undefined)
          this.blocks.set(event.block, { ...block, status: event.status, version: event.version });
        return;
      }
      default:
        return;
    }
  }

  #edit(id: string, version: number, edit: (text: string) => string): void {
    const block = this.blocks.get(id);
    if (block?.type === 'text') this.blocks.set(id, { ...block, text: edit(block.text), version });
  }
}

type Step = { kind: 'add' | 'append' | 'splice' | 'status' | 'replace'; pick: number; at: number; text: string };
const anySteps = fc.array(
  fc.record({
    kind: fc.constantFrom('add' as const, 'append' as const, 'splice' as const, 'status' as const, 'replace' as const),
    pick: fc.nat(),
    at: fc.nat(),
    text: fc.string({ unit: fc.constantFrom('a', 'b', '\n', '語'), maxLength: 5 }),
  }),
  { minLength: 1, maxLength: 25 },
);

function opFor(state: RootState, step: Step): RootOp {
  const ids = [...state.nodeOfBlock.keys()];
  const id = ids[step.pick % ids.length];
  const block = id === undefined ? undefined : state.block(id);
  if (step.kind === 'add' || id === undefined || block?.type !== 'text') {
    const blocks = [
      { type: 'text' as const, text: step.text, block_id: state.newBlockId('me'), status: 'running' as const },
    ];
    return {
      type: 'node-added',
      node: { id: state.newNodeId(), parent: state.id, role: 'user', blocks, source: { type: 'user' } },
    };
  }
  const at = step.at % (block.text.length + 1);
  switch (step.kind) {
    case 'append':
      return { type: 'text-appended', block: id, field: 'text', text: step.text, unit: 'u' };
    case 'splice':
      return {
        type: 'text',
        block: id,
        splices: [{ at, delete: Math.min(2, block.text.length - at), insert: step.text }],
        unit: 'u',
        client: 2,
      };
    case 'status':
      return { type: 'status', block: id, status: 'done' };
    case 'replace':
      return { type: 'block-changed', block: { type: 'text', text: step.text, block_id: id } };
  }
}

const write = (log: RootLog, id: string, step: Step) =>
  log.append({ agent: 'me', id }, z.null(), (state) => ({ ok: true, ops: [opFor(state, step)], value: null }));
const plain = (blocks: Iterable<MessageBlock>) =>
  [...blocks].map((block) => [block.block_id, block.version, block.status, block.type === 'text' && block.text]);

test('[FE1] a plain client that joins at any moment by subscribe, snapshot, drop and apply ends with the same blocks', async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, fc.nat(), async (steps, moment) => {
      const log = new Forest({ store: createMemoryStore(), clock: new VirtualClock(), ids: countingIds() }).log(
        'root-1',
      );
      const join = moment % steps.length;
      const heard: FeedItem<FeedEvent>[] = [];
      let joined: Promise<{ cursor: { seq: number }; value: NodeState[] }> | undefined;
      const writes: Promise<unknown>[] = [];
      for (const [index, step] of steps.entries()) {
        if (index === join) {
          log.subscribe((item) => heard.push(item));
          joined = log.read((state) => [...state.nodes.values()]);
        }
        writes.push(write(log, `r${index}`, step));
      }
      await Promise.all(writes);
      const snapshot = await joined;
      assert.ok(snapshot);
      const client = new PlainClient(snapshot.value);
      for (const item of heard) if (item.type === 'change' && item.seq > snapshot.cursor.seq) client.apply(item);
      const state = await log.state();
      assert.deepEqual(plain(client.blocks.values()), plain([...state.nodes.values()].flatMap((node) => node.blocks)));
    }),
    { numRuns: 60 },
  );
});

test('[FE2] what a subscriber missed is the same as what it would have heard', async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, fc.nat(), async (steps, moment) => {
      const log = new Forest({ store: createMemoryStore(), clock: new VirtualClock(), ids: countingIds() }).log(
        'root-1',
      );
      const heard: FeedItem<FeedEvent>[] = [];
      await log.state();
      log.subscribe((item) => heard.push(item));
      for (const [index, step] of steps.entries()) await write(log, `r${index}`, step);
      const { epoch, seq } = await log.cursor();
      const from = moment % (seq + 1);
      assert.deepEqual(await log.past.replay({ epoch, seq: from }), heard.slice(from));
    }),
    { numRuns: 40 },
  );
});
