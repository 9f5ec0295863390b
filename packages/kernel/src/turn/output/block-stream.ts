import {
  AppendBuffer,
  appendDelay,
  cleanText,
  contentFields,
  messageBlock,
  stableDeepEqual,
  utf8Length,
  withAppended,
  withOutput,
} from '@loom/blocks';
import type { MessageBlock, StreamedField, ToolUseBlock } from '@loom/blocks';
import { keepToolArguments } from '@loom/blocks/legacy';
import { withoutPlainArguments } from '../../state/block-record.ts';
import { isoTime } from '../../iso-time.ts';
import type { RootOp } from '../../op.ts';
import { appendOp } from '../../forest/editing/text/text-ops.ts';
import { outsourceLarge } from './large-output.ts';
import { LongOutputWriter, largestInline } from './long-output.ts';
import type { OutputReport, OutputRoom } from './long-output.ts';
import { changedOutput, inlineOutput, outputFields, spoolName, withField } from './output-spools.ts';
import type { OutputField } from './output-spools.ts';
import { exactArguments } from '../turn-decisions.ts';
import type { TurnWriter } from '../turn-writer.ts';

/** The part of a block that a model or a tool has written so far; edits by others are not part of that. */
export interface SaidBlock {
  readonly id: string;
  /** The block as it is stored. */
  block: MessageBlock;
  ended: boolean;
}

interface OpenBlock {
  said: SaidBlock;
  role: 'assistant' | 'tool';
  field: StreamedField;
  buffer: AppendBuffer;
  cancelTimer: (() => void) | undefined;
  /** The number of bytes of each output that are in the log. */
  inline: Map<OutputField, number>;
  /** The outputs that outgrew it. */
  long: Map<OutputField, LongOutputWriter>;
  sealing: Promise<void> | undefined;
}

/** Blocks that grow, told apart by keys: gathers text for a moment, writes it, and ends each with the facts known only then. */
export class BlockStream {
  readonly #writer: TurnWriter;
  readonly #room: OutputRoom;
  readonly #open = new Map<string, OpenBlock>();

  /** `limit`: the most bytes of output that are kept. */
  constructor(writer: TurnWriter, limit = Infinity) {
    this.#writer = writer;
    this.#room = { left: limit };
    writer.holdBack(() => this.flush());
    writer.sealAtEnd(() => this.#sealAll());
  }

  /** The keys of the blocks that are open. */
  get keys(): string[] {
    return [...this.#open.keys()];
  }

  open(key: string, said: SaidBlock, role: 'assistant' | 'tool'): void {
    const field = said.block.type === 'tool-use' ? 'arguments' : 'text';
    const inline = new Map(outputFields.map((output) => [output, utf8Length(inlineOutput(said.block, output))]));
    const more = { cancelTimer: undefined, long: new Map(), sealing: undefined };
    this.#open.set(key, { said, role, field, buffer: new AppendBuffer(), inline, ...more });
  }

  /** Resolves when there is room for more. */
  async append(key: string, field: StreamedField, text: string): Promise<void> {
    const open = this.#open.get(key);
    if (open === undefined) return;
    if (field === 'stdout' || field === 'stderr') {
      const long = open.long.get(field);
      if (long !== undefined) return long.push(text);
      if (this.#outgrows(open, field, text)) return this.#grow(open, field, text).keepUp();
    }
    // A command's two outputs take turns in one buffer: half a character of one must not begin the other.
    if (field !== open.field) this.#write(open, open.buffer.end());
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
    await this.#seal(open);
    this.#open.delete(key);
    const final = block === undefined ? undefined : withStreamed(block, open.said.block);
    const whole = final ?? open.said.block;
    const kept = await outsourceLarge(whole, open.role, this.#writer.scope.blobs);
    const ops = finalOps(open.said, kept === whole ? final : kept, isoTime(this.#writer.scope.clock.now()));
    open.said.ended = true;
    return ops;
  }

  /** Forgets a block that is taken back; its text until then is written. */
  async drop(key: string): Promise<void> {
    const open = this.#open.get(key);
    if (open !== undefined) await this.#seal(open);
    this.#open.delete(key);
  }

  /** Writes all text that is still held back from the log. */
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

  /** Counts the bytes appended to an output; returns true if it outgrows the log or exceeds the room. */
  #outgrows({ inline }: OpenBlock, field: OutputField, text: string): boolean {
    const before = inline.get(field) ?? 0;
    // Counted as it is kept: characters that no store can hold take more bytes then.
    const more = utf8Length(cleanText(text));
    if (before + more > largestInline || more > this.#room.left) {
      // The long output counts all of it again.
      this.#room.left += before;
      return true;
    }
    inline.set(field, before + more);
    this.#room.left -= more;
    return false;
  }

  /** Moves an output from the log to a spool. */
  #grow(open: OpenBlock, field: OutputField, text: string): LongOutputWriter {
    const { spools, clock, hash, root } = this.#writer.scope;
    const { id } = open.said;
    const held = open.field === field ? open.buffer.drain() : '';
    const long = new LongOutputWriter(
      {
        clock,
        room: this.#room,
        openSpool: () => spools.open(spoolName(root, id, field, hash)),
        report: (report) => this.#report(open, field, report),
        failed: (error) => this.#writer.fail(error),
      },
      inlineOutput(open.said.block, field) + held + text,
    );
    open.long.set(field, long);
    return long;
  }

  #report({ said }: OpenBlock, field: OutputField, report: OutputReport): void {
    said.block = withOutput(said.block, { field, ...report });
    this.#writer.writeSoon((state) => {
      // A block that was taken away meanwhile gets no op.
      if (state.block(said.id)?.type !== 'command') return [];
      return [{ type: 'output', block: said.id, field, ...report }];
    });
  }

  /** Writes the held-back text of a block; outputs that left the log become blobs. */
  #seal(open: OpenBlock): Promise<void> {
    this.#write(open, open.buffer.end());
    open.sealing ??= this.#sealOutputs(open);
    return open.sealing;
  }

  async #sealOutputs({ said, long }: OpenBlock): Promise<void> {
    for (const [field, output] of long) {
      const blob = await output.seal();
      said.block = withField(said.block, field, blob);
      await this.#writer.writeOps((state) => changedOutput(state.block(said.id), field, blob));
      await output.drop();
    }
  }

  async #sealAll(): Promise<void> {
    await Promise.all([...this.#open.values()].map((open) => this.#seal(open)));
  }
}

/** Fills outputs that the end of a command leaves out with the streamed ones. */
function withStreamed(final: MessageBlock, said: MessageBlock): MessageBlock {
  if (final.type !== 'command' || said.type !== 'command') return final;
  const { stdout = final.stdout, stderr = final.stderr } = said;
  return {
    ...(stdout === undefined ? {} : { stdout }),
    ...(stderr === undefined ? {} : { stderr }),
    ...final,
  };
}

/** Returns the ops for what the end of a block adds to the deltas: parameters, provider data, or another content altogether. */
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

/** Returns true if the end of a call gives the same arguments as its deltas did. */
function isSpelledBy(said: ToolUseBlock, final: MessageBlock | undefined): boolean {
  if (final?.type !== 'tool-use') return true;
  const spelled = exactArguments(said);
  if (final.arguments !== undefined) return final.arguments === spelled;
  return stableDeepEqual(final.parameters, keepToolArguments(spelled).parameters);
}

/** Returns a block as it is read back. */
export function storedForm(block: MessageBlock): MessageBlock {
  return messageBlock.parse(block);
}
