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
import { withoutPlainArguments } from '../../state/block-record.ts';
import { isoTime } from '../../iso-time.ts';
import type { RootOp } from '../../op.ts';
import { appendOp } from '../../forest/editing/text/text-ops.ts';
import { outsourceLarge } from './large-output.ts';
import { exactArguments } from '../turn-decisions.ts';
import type { TurnWriter } from '../turn-writer.ts';

/** A block that a model or a tool is writing, as far as it has said it; edits by others are not part of that. */
export interface SaidBlock {
  readonly id: string;
  /** As it is stored. */
  block: MessageBlock;
  ended: boolean;
}

interface OpenBlock {
  said: SaidBlock;
  role: 'assistant' | 'tool';
  field: StreamedField;
  buffer: AppendBuffer;
  cancelTimer: (() => void) | undefined;
}

/** Blocks that grow, told apart by keys: gathers what is said for a moment, writes it, and ends each with what is known only then. */
export class BlockStream {
  readonly #writer: TurnWriter;
  readonly #open = new Map<string, OpenBlock>();

  constructor(writer: TurnWriter) {
    this.#writer = writer;
    writer.holdBack(() => this.flush());
  }

  /** The keys of the blocks that are open. */
  get keys(): string[] {
    return [...this.#open.keys()];
  }

  open(key: string, said: SaidBlock, role: 'assistant' | 'tool'): void {
    const field = said.block.type === 'tool-use' ? 'arguments' : 'text';
    this.#open.set(key, { said, role, field, buffer: new AppendBuffer(), cancelTimer: undefined });
  }

  append(key: string, field: StreamedField, text: string): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    // A command's two outputs take turns in one buffer.
    if (field !== open.field) this.#write(open, open.buffer.take());
    open.field = field;
    this.#write(open, open.buffer.push(text));
    if (open.buffer.isEmpty || open.cancelTimer !== undefined) return;
    open.cancelTimer = this.#writer.scope.clock.after(appendDelay, () => {
      open.cancelTimer = undefined;
      this.#write(open, open.buffer.take());
    });
  }

  /** The ops that end a block. */
  async end(key: string, block: MessageBlock | undefined): Promise<RootOp[]> {
    const open = this.#open.get(key);
    if (open === undefined) return [];
    this.#open.delete(key);
    this.#write(open, open.buffer.end());
    const whole = block ?? open.said.block;
    const kept = await outsourceLarge(whole, open.role, this.#writer.scope.blobs);
    const ops = finalOps(open.said, kept === whole ? block : kept, isoTime(this.#writer.scope.clock.now()));
    open.said.ended = true;
    return ops;
  }

  /** Forgets a block that is taken back; what it said until then is written. */
  drop(key: string): void {
    const open = this.#open.get(key);
    if (open !== undefined) this.#write(open, open.buffer.end());
    this.#open.delete(key);
  }

  /** Writes whatever is still held back. */
  flush(): void {
    for (const open of this.#open.values()) this.#write(open, open.buffer.end());
  }

  #write(open: OpenBlock, text: string): void {
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
}

/** What the end of a block says beyond the deltas: parameters, provider data, or another content altogether. */
function finalOps(said: SaidBlock, final: MessageBlock | undefined, ended_at: string): RootOp[] {
  const done: Extract<RootOp, { type: 'status' }> = { type: 'status', block: said.id, status: 'done', ended_at };
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
export function storedForm(block: MessageBlock): MessageBlock {
  return messageBlock.parse(block);
}
