import { z } from 'zod';
import type { MessageBlock } from '@loom/blocks';
import type { PrefixChain } from '../context/prefix.ts';
import type { SourceInfo, Usage } from '../node-metadata.ts';
import type { NodeSeed, RootOp } from '../op.ts';
import type { ProviderEvent } from '../provider.ts';
import type { RootState, TurnState } from '../root-state.ts';
import { isoTime } from '../iso-time.ts';
import { BlockStream, storedForm } from './block-stream.ts';
import { CallPrefixes } from './call-prefixes.ts';
import type { CallBlock } from './call-prefixes.ts';
import { outsourceLarge } from './large-output.ts';
import type { TurnWriter } from './turn-writer.ts';

type BlockStart = Extract<ProviderEvent, { type: 'block-start' | 'block' }>;

/**
 * Turns what a provider says into nodes and blocks. A new message is a new node below the last one; a block is there from
 * its first event on and grows; at its end it gets the hash of what its model had been shown before it.
 */
export class MessageWriter {
  readonly #writer: TurnWriter;
  readonly #source: SourceInfo;
  readonly #prefixes: CallPrefixes;
  readonly #stream: BlockStream;
  /** When the model was called. */
  readonly #started: string;
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
    this.#stream = new BlockStream(writer);
    this.#started = isoTime(writer.scope.clock.now());
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
    this.#stream.open(event.key, said, event.role);
  }

  delta({ key, field, text }: Extract<ProviderEvent, { type: 'block-delta' }>): void {
    this.#stream.append(key, field, text);
  }

  async end({ key, block }: Extract<ProviderEvent, { type: 'block-end' }>): Promise<void> {
    const ended = await this.#stream.end(key, block);
    this.#writeSoon([...ended, ...this.#prefixes.take()]);
  }

  usage(usage: Usage): void {
    this.#usage = usage;
  }

  /** Writes whatever is still held back. */
  flush(): void {
    this.#stream.flush();
  }

  /** Says of the message how it ended and what it cost; once per call. */
  finish(finishReason: string): void {
    const node = this.#last?.node;
    if (node === undefined || this.#source.type !== 'model') return;
    const source = { ...this.#source, finish_reason: finishReason };
    const set = {
      source: this.#usage === undefined ? source : { ...source, usage: this.#usage },
      ended_at: isoTime(this.#writer.scope.clock.now()),
    };
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

  #outsource(block: MessageBlock, role: 'assistant' | 'tool'): Promise<MessageBlock> {
    return outsourceLarge(block, role, this.#writer.scope.blobs);
  }

  #writeSoon(ops: RootOp[]): void {
    this.#writer.writeSoon(() => ops);
  }

  async #addBlock(event: BlockStart, status: 'done' | 'running'): Promise<{ id: string; node: string }> {
    await this.#writer.flush();
    const known = this.#nodeOfMessage.get(event.message);
    const { agent, turn } = this.#writer.scope;
    const added = await this.#writer.write(z.strictObject({ id: z.string(), node: z.string() }), (state, running) => {
      const id = state.newBlockId(agent);
      const block: MessageBlock = { ...event.block, block_id: id, status };
      const holder = known === undefined ? undefined : state.nodes.get(known);
      if (holder !== undefined) {
        const op: RootOp = { type: 'block-added', node: holder.id, index: holder.blocks.length, block };
        return { ok: true, ops: [op], value: { id, node: holder.id } };
      }
      const node: NodeSeed = {
        id: firstNode(state, running) ?? state.newNodeId(),
        parent: this.#place,
        role: event.role,
        blocks: [block],
        source: event.role === 'tool' ? { type: 'tool_result', tool_name: '' } : this.#source,
        turn,
        ...(event.role === 'assistant' ? { started_at: this.#started } : {}),
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

/** The node that was named when the turn started, as long as it is not there. */
function firstNode(state: RootState, { answer }: TurnState): string | undefined {
  return answer === undefined || state.nodes.has(answer) ? undefined : answer;
}
