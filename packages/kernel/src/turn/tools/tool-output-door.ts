import { z } from 'zod';
import { toolBlock } from '@loom/blocks';
import type { MessageBlock, StreamedField, ToolBlock } from '@loom/blocks';
import type { RootOp } from '../../op.ts';
import type { Tool, ToolOutput } from '../../tool.ts';
import { BlockStream, storedForm } from '../output/block-stream.ts';
import { outsourceLarge } from '../output/large-output.ts';
import { describeMismatch, describeThrown } from '../misbehaviour.ts';
import { ownFields } from '../output/own-fields.ts';
import { isSameBlock, streamedFields } from '../output/streamed-fields.ts';
import { toolAgent } from '../turn-decisions.ts';
import { keepable } from '../output/nesting.ts';
import { TurnStopped } from '../turn-writer.ts';
import type { TurnWriter } from '../turn-writer.ts';

/** The bytes of a call's output that are kept if its tool sets no limit. */
const defaultLimit = 1024 * 1024 * 1024;

/** The most text that a tool may stream in one call, in characters: it grows in the log. */
const largestText = 64 * 1024 * 1024;

/**
 * Streams a tool's output into the node of its result. Everything happens in the order of the calls; output that cannot be
 * kept is noted, and the rest goes on.
 */
export class ToolOutputDoor implements ToolOutput {
  /** The output that could not be kept, in words for the model. */
  readonly problems: string[] = [];
  /** The output that was left out, in words for the model; that is not a mistake. */
  readonly omissions: string[] = [];
  readonly #writer: TurnWriter;
  readonly #node: string;
  readonly #agent: string;
  readonly #stream: BlockStream;
  readonly #begun = new Map<string, MessageBlock>();
  #last: Promise<void> = Promise.resolve();
  #failure: unknown;
  #size = 0;
  #isClosed = false;

  constructor(writer: TurnWriter, node: string, { name, outputLimit = defaultLimit }: Tool) {
    this.#writer = writer;
    this.#node = node;
    this.#agent = toolAgent(name);
    this.#stream = new BlockStream(writer, outputLimit);
  }

  start(key: string, block: ToolBlock): Promise<void> {
    const read = (): MessageBlock | undefined => {
      const parsed = keepable(toolBlock).safeParse(block);
      if (!parsed.success) return this.#complain(`block ${key}: ${describeMismatch(parsed.error)}`);
      if (this.#begun.has(key)) return this.#complain(`block ${key} was started before`);
      return ownFields(parsed.data);
    };
    return this.#inOrder(key, read, async (begun) => {
      this.#begun.set(key, begun);
      await this.#add(key, await outsourceLarge(begun, 'tool', this.#writer.scope.blobs));
    });
  }

  append(key: string, field: StreamedField, text: string): Promise<void> {
    const read = (): string | undefined => {
      const begun = this.#begun.get(key);
      if (begun === undefined || !this.#stream.keys.includes(key)) return this.#complain(`block ${key} is not open`);
      if (!streamedFields(begun).includes(field)) return this.#complain(`a ${begun.type} block streams no ${field}`);
      const words: unknown = text;
      if (typeof words !== 'string') return this.#complain(`what was appended to ${key} is no text`);
      return begun.type === 'command' || this.#fits(words) ? words : undefined;
    };
    return this.#inOrder(key, read, async (words) => {
      await this.#stream.append(key, field, words);
      await this.#writer.keepUp();
    });
  }

  end(key: string, block?: ToolBlock): Promise<void> {
    const read = (): { final: MessageBlock | undefined } | undefined => {
      const begun = this.#begun.get(key);
      if (begun === undefined || !this.#stream.keys.includes(key)) return this.#complain(`block ${key} is not open`);
      const parsed = keepable(toolBlock.optional()).safeParse(block);
      const final = parsed.success && parsed.data !== undefined ? ownFields(parsed.data) : undefined;
      if (!parsed.success) this.#complain(`block ${key}: ${describeMismatch(parsed.error)}`);
      const isSame = final === undefined || isSameBlock(begun, final);
      if (!isSame) this.#complain(`the ${begun.type} block ${key} ends as another one`);
      return { final: isSame ? final : undefined };
    };
    return this.#inOrder(key, read, ({ final }) => this.#end(key, final));
  }

  /** Ends the open blocks; later output of the tool is ignored. Throws if the turn was stopped meanwhile. */
  async close(): Promise<void> {
    const before = this.#last;
    this.#isClosed = true;
    await before;
    if (this.#failure !== undefined) throw this.#failure;
    for (const key of this.#stream.keys) await this.#end(key, undefined);
  }

  /** Reads a tool's output in order, and writes the part that can be kept. Reading a tool's values may throw; that is its mistake. */
  #inOrder<T>(key: unknown, read: () => T | undefined, write: (value: T) => Promise<void>): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#last = this.#workAfter(this.#last, async () => {
      const value = this.#readSafely(key, read);
      if (value !== undefined) await write(value);
    });
    return this.#last;
  }

  #readSafely<T>(key: unknown, read: () => T | undefined): T | undefined {
    if (typeof key !== 'string') return this.#complain('the key of a block is no text');
    try {
      return read();
    } catch (error) {
      return this.#complain(`block ${key} cannot be read: ${describeThrown(error)}`);
    }
  }

  async #workAfter(before: Promise<void>, work: () => Promise<void>): Promise<void> {
    await before;
    if (this.#failure !== undefined) return;
    try {
      await work();
    } catch (error) {
      this.#failure = error;
    }
  }

  #fits(text: string): boolean {
    this.#size += text.length;
    if (this.#size <= largestText) return true;
    if (this.omissions.length === 0) this.omissions.push('it streamed more than 64 MB of text; the rest is left out');
    return false;
  }

  #complain(problem: string): undefined {
    if (!this.problems.includes(problem) && this.problems.length < mostProblems) this.problems.push(problem);
    return undefined;
  }

  async #add(key: string, block: MessageBlock): Promise<void> {
    const id = await this.#writer.write(z.string(), (state) => {
      const node = state.nodes.get(this.#node);
      if (node?.tool !== 'running') throw new TurnStopped('call-taken');
      const added: MessageBlock = { ...block, block_id: state.newBlockId(this.#agent), status: 'running' };
      const op: RootOp = { type: 'block-added', node: node.id, index: node.blocks.length, block: added };
      return { ok: true, ops: [op], value: added.block_id ?? '' };
    });
    this.#stream.open(key, { id, block: storedForm(block), ended: false }, 'tool');
  }

  async #end(key: string, final: MessageBlock | undefined): Promise<void> {
    const ops = await this.#stream.end(key, final);
    this.#writer.writeSoon(() => ops);
    await this.#writer.flush();
  }
}

/** More of them help no reader. */
const mostProblems = 10;
