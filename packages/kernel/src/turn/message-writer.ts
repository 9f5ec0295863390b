import { z } from 'zod';
import { AppendBuffer, appendDelay, contentFields, stableDeepEqual, withAppended } from '@loom/blocks';
import type { AssistantBlock, MessageBlock, PlainObject, StreamedField, ToolBlock } from '@loom/blocks';
import { keepToolArguments } from '@loom/blocks/legacy';
import { bareBlock } from '../context/context.ts';
import type { PrefixChain } from '../context/prefix.ts';
import type { SourceInfo, Usage } from '../node-metadata.ts';
import type { NodeSeed, RootOp } from '../op.ts';
import type { ProviderEvent } from '../provider.ts';
import { appendOp } from '../text/text-ops.ts';
import type { TurnWriter } from './turn-writer.ts';

type BlockStart = Extract<ProviderEvent, { type: 'block-start' | 'block' }>;

/** A block that the model is writing. */
interface OpenBlock {
  id: string;
  node: string;
  /** The block as it will be once everything that was said of it is written. */
  block: AssistantBlock | ToolBlock;
  field: StreamedField;
  buffer: AppendBuffer;
  cancelTimer: (() => void) | undefined;
  ended: boolean;
}

/**
 * Turns what a provider says into nodes and blocks. A new message is a new node below the last one; a block is there from
 * its first event on and grows; at its end it gets the hash of what its model had been shown before it.
 */
export class MessageWriter {
  readonly #writer: TurnWriter;
  readonly #source: SourceInfo;
  readonly #provider: string;
  readonly #chain: PrefixChain;
  readonly #open = new Map<string, OpenBlock>();
  readonly #nodeOfMessage = new Map<string, string>();
  /** The assistant's blocks whose prefix is not known yet, in the order of their node. */
  readonly #unchained: OpenBlock[] = [];
  #place: string;
  #usage: Usage | undefined;

  constructor(writer: TurnWriter, place: string, source: SourceInfo, provider: string, chain: PrefixChain) {
    this.#writer = writer;
    this.#place = place;
    this.#source = source;
    this.#provider = provider;
    this.#chain = chain;
  }

  /** The last node that was written, or the one that the message hangs below. */
  get place(): string {
    return this.#place;
  }

  /** The assistant nodes of this call. */
  get nodes(): string[] {
    return [...this.#nodeOfMessage.values()];
  }

  async start(event: BlockStart): Promise<void> {
    const status = event.type === 'block' ? 'done' : 'running';
    const { id, node } = await this.#addBlock(event, status);
    const open: OpenBlock = {
      id,
      node,
      block: event.block,
      field: event.block.type === 'tool-use' ? 'arguments' : 'text',
      buffer: new AppendBuffer(),
      cancelTimer: undefined,
      ended: event.type === 'block',
    };
    if (event.role === 'assistant') this.#unchained.push(open);
    if (event.type === 'block') this.#writeSoon(this.#chainOps());
    else this.#open.set(event.key, open);
  }

  delta({ key, field, text }: Extract<ProviderEvent, { type: 'block-delta' }>): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    // A command's two outputs take turns in one buffer.
    if (field !== open.field) this.#flush(open, open.buffer.take());
    open.field = field;
    this.#flush(open, open.buffer.push(text));
    if (open.buffer.isEmpty || open.cancelTimer !== undefined) return;
    open.cancelTimer = this.#writer.scope.clock.after(appendDelay, () => {
      open.cancelTimer = undefined;
      this.#flush(open, open.buffer.take());
    });
  }

  end({ key, block: final }: Extract<ProviderEvent, { type: 'block-end' }>): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    this.#flush(open, open.buffer.end());
    open.ended = true;
    this.#writeSoon([...this.#finalOps(open, final), ...this.#chainOps()]);
  }

  usage(usage: Usage): void {
    this.#usage = usage;
  }

  /** Writes whatever is still held back. */
  flush(): void {
    for (const open of this.#open.values()) this.#flush(open, open.buffer.end());
  }

  /** Says of the message how it ended and what it cost; once per call. */
  finish(finishReason: string): void {
    const node = this.nodes.at(-1);
    if (node === undefined || this.#source.type !== 'model') return;
    const source = { ...this.#source, finish_reason: finishReason };
    const set = { source: this.#usage === undefined ? source : { ...source, usage: this.#usage } };
    this.#writeSoon([{ type: 'node-changed', node, set }]);
  }

  /** Adds a block that says what went wrong, in a node of its own if nothing was said yet. */
  async fail(error: { code: string; message: string; detail?: unknown }): Promise<void> {
    this.flush();
    await this.start({
      type: 'block',
      message: [...this.#nodeOfMessage.keys()].at(-1) ?? 'error',
      role: 'assistant',
      block: { type: 'error', ...error },
    });
  }

  #flush(open: OpenBlock, text: string): void {
    if (open.buffer.isEmpty) {
      open.cancelTimer?.();
      open.cancelTimer = undefined;
    }
    if (text === '') return;
    const grown = withAppended(open.block, open.field, text);
    if (grown.type === 'conversation' || grown.type === 'raw') return;
    open.block = grown;
    const { agent, turn } = this.#writer.scope;
    const { id: block, field } = open;
    this.#writer.writeSoon((state, editor) => [
      appendOp(state, editor, { agent, unit: turn }, { block, field, text }, true),
    ]);
  }

  #writeSoon(ops: RootOp[]): void {
    this.#writer.writeSoon(() => ops);
  }

  /** What the end of a block tells beyond the deltas: parameters, provider data, or another content altogether. */
  #finalOps(open: OpenBlock, final: AssistantBlock | ToolBlock | undefined): RootOp[] {
    const done: Extract<RootOp, { type: 'status' }> = { type: 'status', block: open.id, status: 'done' };
    if (open.block.type === 'tool-use') {
      const read = keepToolArguments(open.block.arguments ?? JSON.stringify(open.block.parameters));
      const parameters =
        final?.type === 'tool-use' && final.arguments === undefined ? final.parameters : read.parameters;
      open.block = { ...open.block, parameters };
      return [{ ...done, parameters, ...providerField(final) }];
    }
    if (final === undefined) return [done];
    const same = stableDeepEqual(contentFields(final), contentFields(open.block));
    open.block = { ...final };
    return same
      ? [{ ...done, ...providerField(final) }]
      : [{ type: 'block-changed', block: { ...final, block_id: open.id } }, done];
  }

  /** The prefixes of blocks that are complete and have nothing unfinished before them. */
  #chainOps(): RootOp[] {
    const ops: RootOp[] = [];
    for (let next = this.#unchained[0]; next?.ended === true; next = this.#unchained[0]) {
      this.#unchained.shift();
      const { type } = next.block;
      if (type !== 'text' && type !== 'thinking' && type !== 'tool-use' && type !== 'image') continue;
      ops.push({ type: 'status', block: next.id, status: 'done', prefix: this.#chain.value });
      this.#chain.addBlock({ role: 'assistant' }, bareBlock(next.block, this.#provider));
    }
    return ops;
  }

  async #addBlock(event: BlockStart, status: 'done' | 'running'): Promise<{ id: string; node: string }> {
    await this.#writer.settle();
    const known = this.#nodeOfMessage.get(event.message);
    const { agent, turn } = this.#writer.scope;
    const added = await this.#writer.write(z.strictObject({ id: z.string(), node: z.string() }), (state) => {
      const id = state.newBlockId(agent);
      const block: MessageBlock = { ...event.block, block_id: id, status };
      const holder = known === undefined ? undefined : state.nodes.get(known);
      if (holder !== undefined) {
        const op: RootOp = { type: 'block-added', node: holder.id, index: holder.blocks.length, block };
        return { ok: true, ops: [op], value: { id, node: holder.id } };
      }
      const node: NodeSeed = {
        id: state.newNodeId(),
        parent: this.#place,
        role: event.role,
        blocks: [block],
        source: event.role === 'tool' ? { type: 'tool_result', tool_name: '' } : this.#source,
        turn,
        ...(event.tool_call_id === undefined ? {} : { tool_call_id: event.tool_call_id }),
        ...(event.type === 'block' && event.is_error === true ? { is_error: true } : {}),
        ...(event.role === 'tool' ? { tool: 'result' as const } : {}),
      };
      return { ok: true, ops: [{ type: 'node-added', node }], value: { id, node: node.id } };
    });
    this.#place = added.node;
    this.#nodeOfMessage.set(event.message, added.node);
    return added;
  }
}

function providerField(final: AssistantBlock | ToolBlock | undefined): { provider?: PlainObject } {
  return final?.provider === undefined ? {} : { provider: final.provider };
}
