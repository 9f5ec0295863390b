import { z } from 'zod';
import {
  AppendBuffer,
  appendDelay,
  cleanText,
  contentFields,
  messageBlock,
  stableDeepEqual,
  withAppended,
} from '@loom/blocks';
import type { MessageBlock, StreamedField, ToolUseBlock } from '@loom/blocks';
import { keepToolArguments } from '@loom/blocks/legacy';
import { withoutPlainArguments } from '../block-record.ts';
import type { PrefixChain } from '../context/prefix.ts';
import type { SourceInfo, Usage } from '../node-metadata.ts';
import type { NodeSeed, RootOp } from '../op.ts';
import type { ProviderEvent } from '../provider.ts';
import { appendOp } from '../text/text-ops.ts';
import { CallPrefixes } from './call-prefixes.ts';
import type { CallBlock } from './call-prefixes.ts';
import { outsourceLarge } from './large-output.ts';
import { exactArguments } from './turn-decisions.ts';
import type { TurnWriter } from './turn-writer.ts';

type BlockStart = Extract<ProviderEvent, { type: 'block-start' | 'block' }>;

/** A block that the model is writing. */
interface OpenBlock {
  /** What its model has said of it so far; edits by others are not part of that. */
  said: CallBlock;
  role: 'assistant' | 'tool';
  field: StreamedField;
  buffer: AppendBuffer;
  cancelTimer: (() => void) | undefined;
}

/**
 * Turns what a provider says into nodes and blocks. A new message is a new node below the last one; a block is there from
 * its first event on and grows; at its end it gets the hash of what its model had been shown before it.
 */
export class MessageWriter {
  readonly #writer: TurnWriter;
  readonly #source: SourceInfo;
  readonly #prefixes: CallPrefixes;
  readonly #open = new Map<string, OpenBlock>();
  readonly #nodeOfMessage = new Map<string, string>();
  /** The last message that is the model's own, and its node. */
  #last: { message: string; node: string } | undefined;
  /** The node that the next message hangs below. */
  #place: string;
  #usage: Usage | undefined;

  constructor(writer: TurnWriter, place: string, source: SourceInfo, provider: string, chain: PrefixChain) {
    this.#writer = writer;
    this.#place = place;
    this.#source = source;
    this.#prefixes = new CallPrefixes(chain, provider);
  }

  /** Whether nothing was said yet. */
  get isSilent(): boolean {
    return this.#nodeOfMessage.size === 0;
  }

  async start(given: BlockStart): Promise<void> {
    const event = { ...given, block: await this.#outsource(given.block, given.role) };
    const status = event.type === 'block' ? 'done' : 'running';
    const { id } = await this.#addBlock(event, status);
    const said: CallBlock = { id, block: storedForm(event.block), ended: event.type === 'block' };
    this.#prefixes.add(event.message, event, said);
    if (event.type === 'block') {
      this.#writeSoon(this.#prefixes.take());
      return;
    }
    const field = event.block.type === 'tool-use' ? 'arguments' : 'text';
    this.#open.set(event.key, { said, role: event.role, field, buffer: new AppendBuffer(), cancelTimer: undefined });
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

  async end({ key, block }: Extract<ProviderEvent, { type: 'block-end' }>): Promise<void> {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    this.#flush(open, open.buffer.end());
    const whole = block ?? open.said.block;
    const kept = await this.#outsource(whole, open.role);
    const final = kept === whole ? block : kept;
    const ended = finalOps(open.said, final);
    open.said.ended = true;
    this.#writeSoon([...ended, ...this.#prefixes.take()]);
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
    const node = this.#last?.node;
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
      message: this.#last?.message ?? 'error',
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
    open.said.block = withAppended(open.said.block, open.field, cleanText(text));
    const { agent, turn } = this.#writer.scope;
    const { field } = open;
    const { id: block } = open.said;
    this.#writer.writeSoon((state, editor) => [
      appendOp(state, editor, { agent, unit: turn }, { block, field, text }, true),
    ]);
  }

  #outsource(block: MessageBlock, role: 'assistant' | 'tool'): Promise<MessageBlock> {
    return outsourceLarge(block, role, this.#writer.scope.putBlob);
  }

  #writeSoon(ops: RootOp[]): void {
    this.#writer.writeSoon(() => ops);
  }

  async #addBlock(event: BlockStart, status: 'done' | 'running'): Promise<{ id: string; node: string }> {
    await this.#writer.flush();
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
        ...(event.role === 'tool' ? resultFields(event) : {}),
      };
      return { ok: true, ops: [{ type: 'node-added', node }], value: { id, node: node.id } };
    });
    if (known !== undefined) return added;
    this.#place = added.node;
    this.#nodeOfMessage.set(event.message, added.node);
    if (event.role === 'assistant') this.#last = { message: event.message, node: added.node };
    return added;
  }
}

/** How a result of a tool that the provider ran itself ended. */
function resultFields(event: BlockStart): Pick<NodeSeed, 'is_error' | 'tool'> {
  const isError = event.type === 'block' && event.is_error === true;
  return isError ? { is_error: true, tool: 'error' } : { tool: 'result' };
}

/** What the end of a block says beyond the deltas: parameters, provider data, or another content altogether. */
function finalOps(said: CallBlock, final: MessageBlock | undefined): RootOp[] {
  const done: Extract<RootOp, { type: 'status' }> = { type: 'status', block: said.id, status: 'done' };
  const provider = final?.provider === undefined ? {} : { provider: final.provider };
  if (said.block.type === 'tool-use' && isSpelledBy(said.block, final)) {
    const { parameters } = keepToolArguments(exactArguments(said.block));
    said.block = withoutPlainArguments(storedForm({ ...said.block, parameters, ...provider }));
    return [{ ...done, parameters, ...provider }];
  }
  if (final === undefined) return [done];
  const same = stableDeepEqual(contentFields(final), contentFields(said.block));
  said.block = storedForm(same ? { ...said.block, ...provider } : final);
  return same ? [{ ...done, ...provider }] : [{ type: 'block-changed', block: { ...final, block_id: said.id } }, done];
}

/** Whether the end of a call says nothing else of its arguments than its deltas did. */
function isSpelledBy(said: ToolUseBlock, final: MessageBlock | undefined): boolean {
  if (final?.type !== 'tool-use') return true;
  const spelled = exactArguments(said);
  if (final.arguments !== undefined) return final.arguments === spelled;
  return stableDeepEqual(final.parameters, keepToolArguments(spelled).parameters);
}

/** A block as it is read back. */
function storedForm(block: MessageBlock): MessageBlock {
  return messageBlock.parse(block);
}
