import assert from 'node:assert/strict';
import { assistantBlock, toolBlock, userBlock } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import { sourceInfo } from '@loom/kernel/logs';
import type { ForeignConversation, ForeignItem, ForeignNode, LineReader } from '../foreign.ts';

/** A node after all items about it: as the importer would have it, without the forest. */
export interface GrownNode extends Omit<ForeignNode, 'blocks'> {
  blocks: { key: string; block: MessageBlock }[];
}

/** Assembles items as the importer does: blocks with a new key go to the end of their node, existing ones stay. */
export class GrownForest {
  readonly conversations = new Map<string, ForeignConversation>();
  readonly nodes = new Map<string, GrownNode>();
  readonly #keys = new Map<string, string>();

  add(items: readonly ForeignItem[]): this {
    for (const item of items) {
      if (item.type === 'conversation') {
        const { conversation } = item;
        this.conversations.set(conversation.id, { ...this.conversations.get(conversation.id), ...conversation });
      } else if (item.type === 'node') this.#addNode(item.node);
      else for (const key of item.keys) this.#retract(item.conversation, key);
    }
    return this;
  }

  /** The nodes of a conversation in the order in which they came. */
  nodesOf(conversation: string): GrownNode[] {
    return [...this.nodes.values()].filter((node) => node.conversation === conversation);
  }

  get blocks(): MessageBlock[] {
    return [...this.nodes.values()].flatMap((node) => node.blocks.map(({ block }) => block));
  }

  /** Everything as one value that can be compared. */
  plain(): unknown {
    return JSON.parse(JSON.stringify({ conversations: [...this.conversations], nodes: [...this.nodes] }));
  }

  #addNode(node: ForeignNode): void {
    const id = `${node.conversation}\n${node.id}`;
    assert.ok(this.conversations.has(node.conversation), `the conversation of ${node.id} comes before it`);
    const parent = node.parent === undefined ? undefined : `${node.conversation}\n${node.parent}`;
    assert.ok(parent === undefined || this.nodes.has(parent), `the parent of ${node.id} comes before it`);
    const before = this.nodes.get(id);
    if (before !== undefined) {
      assert.equal(node.parent, before.parent, `${node.id} keeps its parent`);
      assert.equal(node.role, before.role, `${node.id} keeps its role`);
      assert.equal(node.tool_call_id, before.tool_call_id, `${node.id} keeps its call`);
    }
    const blocks = before?.blocks ?? [];
    for (const { key, block } of node.blocks) {
      const holder = this.#keys.get(`${node.conversation}\n${key}`);
      assert.ok(holder === undefined || holder === id, `the key ${key} is in one node only`);
      if (holder !== undefined) continue;
      this.#keys.set(`${node.conversation}\n${key}`, id);
      blocks.push({ key, block });
    }
    this.nodes.set(id, { ...before, ...node, blocks });
  }

  #retract(conversation: string, key: string): void {
    const node = this.nodes.get(this.#keys.get(`${conversation}\n${key}`) ?? '');
    if (node !== undefined) node.blocks = node.blocks.filter((block) => block.key !== key);
  }
}

/** Reads lines, taking the items after each `every` lines. */
export function readLines(reader: LineReader, lines: readonly string[], every = Infinity): GrownForest {
  const forest = new GrownForest();
  for (const [index, line] of lines.entries()) {
    reader.push(line);
    if ((index + 1) % every === 0) forest.add(reader.take());
  }
  reader.end();
  const { read, used, raw, reported } = reader.tally.counts;
  assert.equal(read, lines.length, 'every line is counted');
  assert.equal(read, used + raw + reported, 'every line has one fate');
  return forest.add(reader.take());
}

/** Asserts that the kernel would accept every block and every source in its place. */
export function assertValid(forest: GrownForest): void {
  for (const node of forest.nodes.values()) {
    const schema = node.role === 'user' ? userBlock : node.role === 'assistant' ? assistantBlock : toolBlock;
    for (const { key, block } of node.blocks) {
      const parsed = schema.safeParse(block);
      assert.ok(parsed.success, `${node.role} ${key}: ${JSON.stringify(block).slice(0, 300)} ${parsed.error?.message}`);
    }
    assert.ok(sourceInfo.safeParse(node.source).success, `${node.id} has a source`);
    assert.ok(node.role !== 'tool' || (node.tool_call_id ?? '').trim() !== '', `${node.id} names its call`);
  }
}

/** Returns the calls that do not have exactly one result. */
export function callsWithoutOneResult(forest: GrownForest): string[] {
  const results = new Map<string, number>();
  for (const node of forest.nodes.values()) {
    const id = `${node.conversation}\n${node.tool_call_id}`;
    if (node.role === 'tool') results.set(id, (results.get(id) ?? 0) + 1);
  }
  return [...forest.nodes.values()].flatMap((node) =>
    node.blocks.flatMap(({ block }) =>
      block.type === 'tool-use' && results.get(`${node.conversation}\n${block.id}`) !== 1 ? [block.id] : [],
    ),
  );
}

/** Each node as its role and the types of its blocks. */
export function outlineOf(forest: GrownForest): string[] {
  return [...forest.nodes.values()].map(({ role, blocks }) =>
    [role, ...blocks.map(({ block }) => block.type)].join(' '),
  );
}
