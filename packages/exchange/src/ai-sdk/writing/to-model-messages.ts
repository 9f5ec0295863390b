import { blocksShownToModel, interruptedText, isDenied } from '@loom/blocks';
import type {
  AssistantMessage,
  Message,
  MessageBlock,
  ModelBlock,
  ThinkingBlock,
  ToolUseBlock,
  UserMessage,
} from '@loom/blocks';
import { appendAll } from '../append-all.ts';
import { hasMalformedArguments, writeInput } from '../call-input.ts';
import { pairCalls } from './call-pairing.ts';
import type { Answer } from './call-pairing.ts';
import type { SystemDetails } from '../conversation.ts';
import { toFilePart } from './file-writing.ts';
import type { LoadBlob } from './file-writing.ts';
import type {
  AssistantPart,
  FilePart,
  ModelMessage,
  ProviderOptions,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../model-message.ts';
import type { TakeNote } from '../note.ts';
import { optionsField, providerOptionsOf } from '../provider-options.ts';
import { readMark } from '../sdk-mark.ts';
import { writeToolOutput } from './tool-output-writing.ts';
import { splitRounds } from './tool-rounds.ts';
import type { Piece } from './tool-rounds.ts';

export interface ToModelMessagesOptions {
  /** Written as a first message of role `system`. The SDK prefers it as its `instructions` option. */
  systemPrompt?: string;
  systemDetails?: SystemDetails;
  /** The thinking to include: all (the default), none, or the blocks that a function chooses. */
  includeThinking?: boolean | ((block: ThinkingBlock) => boolean);
  /** Fetches blobs; without it every blob is a placeholder text. */
  loadBlob?: LoadBlob;
  /** Called for every part that was left out, moved or made up. */
  onNote?: TakeNote;
}

/**
 * Converts messages to the AI SDK's `ModelMessage[]`, ready for `streamText`: every call is followed by exactly one
 * result, whatever the history lacks. Rejects only if `loadBlob` does.
 */
export async function toModelMessages(
  messages: readonly Message[],
  options: ToModelMessagesOptions = {},
): Promise<ModelMessage[]> {
  const writer = new ModelMessageWriter(options);
  const { answers, orphans } = pairCalls(messages);
  for (const index of orphans) {
    writer.take({
      reason: 'result-orphaned',
      path: `messages[${index}]`,
      message: 'A result without a call was not sent.',
    });
  }
  const written: ModelMessage[] = [];
  if (options.systemPrompt !== undefined) {
    const details = optionsField(options.systemDetails?.providerOptions);
    written.push({ role: 'system', content: options.systemPrompt, ...details });
  }
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') continue;
    appendAll(written, await writer.write(message, `messages[${index}]`, answers.get(index) ?? []));
  }
  return written;
}

interface AnsweredPiece extends Piece {
  answer?: Answer | undefined;
}

class ModelMessageWriter {
  readonly take: TakeNote;
  readonly #loadBlob: LoadBlob | undefined;
  readonly #includesThinking: (block: ThinkingBlock) => boolean;

  constructor({ includeThinking = true, loadBlob, onNote }: ToModelMessagesOptions) {
    this.take = onNote ?? (() => {});
    this.#loadBlob = loadBlob;
    this.#includesThinking = typeof includeThinking === 'function' ? includeThinking : () => includeThinking;
  }

  async write(
    message: UserMessage | AssistantMessage,
    path: string,
    answers: readonly (Answer | undefined)[],
  ): Promise<ModelMessage[]> {
    const blocks = this.#choose(message, path);
    if (blocks.length === 0) {
      this.take({ reason: 'nothing-visible', path, message: 'A message with nothing for a model in it was not sent.' });
      return [];
    }
    const options = optionsField(readMark(message.content[0]).modelMessage?.['providerOptions']);
    if (message.role === 'assistant') return this.#writeRounds(blocks, path, answers, options);
    const content: (TextPart | FilePart)[] = [];
    for (const block of blocks) {
      if (block.type === 'text') content.push(this.#text(block, path));
      else if (block.type === 'image') content.push(await this.#file(block, path));
    }
    return [{ role: 'user', content, ...options }];
  }

  /** The blocks that are sent. */
  #choose(message: Message, path: string): ModelBlock[] {
    const shown = blocksShownToModel(message);
    this.#noteHidden(message, shown, path);
    return shown.filter((block) => {
      if (block.type !== 'thinking' || this.#includesThinking(block)) return true;
      this.take({ reason: 'thinking-omitted', path, message: 'Thinking was not sent.' });
      return false;
    });
  }

  /** Notes each block that is not for models and has no other block standing in for it. */
  #noteHidden(message: Message, shown: readonly ModelBlock[], path: string): void {
    const visible = new Set<MessageBlock>(shown);
    for (const [index, block] of message.content.entries()) {
      if (visible.has(block) || isStructuredView(block.type)) continue;
      const at = `${path}.content[${index}]`;
      this.take({
        reason: 'not-shown',
        path: at,
        message: `A ${block.type} block was not sent: models are not shown it here.`,
      });
    }
  }

  async #writeRounds(
    blocks: readonly ModelBlock[],
    path: string,
    answers: readonly (Answer | undefined)[],
    options: { providerOptions?: ProviderOptions },
  ): Promise<ModelMessage[]> {
    const remaining = answers.values();
    const pieces = blocks.map((block) => {
      if (block.type !== 'tool-use') return { block, waits: false };
      const answer = remaining.next().value;
      return { block, answer, waits: !staysInline(block, answer) };
    });
    const rounds = splitRounds(pieces);
    const written: ModelMessage[] = [];
    for (const [place, round] of rounds.entries()) {
      // The SDK applies a message's options to its end, so of several rounds the last one carries them.
      appendAll(written, await this.#writeRound(round, path, place === rounds.length - 1 ? options : {}));
    }
    return written;
  }

  async #writeRound(
    round: readonly AnsweredPiece[],
    path: string,
    options: { providerOptions?: ProviderOptions },
  ): Promise<ModelMessage[]> {
    const content: AssistantPart[] = [];
    const results: ToolResultPart[] = [];
    let resultOptions: { providerOptions?: ProviderOptions } = {};
    for (const { block, answer, waits } of round) {
      if (block.type !== 'tool-use') {
        content.push(await this.#spoken(block, path));
        continue;
      }
      content.push(this.#call(block, path));
      const result = await this.#result(block, answer, !waits, path);
      if (result !== undefined) (waits ? results : content).push(result);
      const { modelMessage } = readMark(answer?.message.content[0]);
      if (modelMessage !== undefined) resultOptions = optionsField(modelMessage['providerOptions']);
    }
    const spoken: ModelMessage = { role: 'assistant', content, ...options };
    return results.length === 0 ? [spoken] : [spoken, { role: 'tool', content: results, ...resultOptions }];
  }

  async #spoken(block: Exclude<ModelBlock, ToolUseBlock>, path: string): Promise<AssistantPart> {
    switch (block.type) {
      case 'text':
        return this.#text(block, path);
      case 'image':
        return this.#file(block, path);
      case 'thinking':
        return { type: 'reasoning', text: block.text, ...optionsField(providerOptionsOf(block, path, this.take)) };
    }
  }

  #text(block: Extract<ModelBlock, { type: 'text' }>, path: string): TextPart {
    return { type: 'text', text: block.text, ...optionsField(providerOptionsOf(block, path, this.take)) };
  }

  #file(block: Extract<ModelBlock, { type: 'image' }>, path: string): Promise<FilePart | TextPart> {
    return toFilePart(block, path, { loadBlob: this.#loadBlob, take: this.take });
  }

  #call(call: ToolUseBlock, path: string): ToolCallPart {
    const { providerExecuted, approval, input } = readMark(call);
    const note = (reason: 'approval-left-out' | 'arguments-malformed', message: string): void =>
      this.take({ reason, path, message: `Call ${call.id}: ${message}` });
    if (approval !== undefined) note('approval-left-out', 'its approval was not sent.');
    if (input === undefined && hasMalformedArguments(call)) {
      note('arguments-malformed', 'its arguments are no JSON object and were sent as {}.');
    }
    return {
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.name,
      input: writeInput(call),
      ...(providerExecuted === undefined ? {} : { providerExecuted }),
      ...optionsField(providerOptionsOf(call, path, this.take)),
    };
  }

  async #result(
    call: ToolUseBlock,
    answer: Answer | undefined,
    inline: boolean,
    path: string,
  ): Promise<ToolResultPart | undefined> {
    const head = { type: 'tool-result', toolCallId: call.id, toolName: call.name } as const;
    if (answer === undefined) {
      if (inline) {
        this.take({ reason: 'provider-call-unanswered', path, message: `Call ${call.id} was sent without a result.` });
        return undefined;
      }
      this.take({
        reason: 'call-interrupted',
        path,
        message: `Call ${call.id} has no result; it was sent as interrupted.`,
      });
      return { ...head, output: { type: 'error-text', value: interruptedText } };
    }
    const at = `messages[${answer.index}]`;
    if (answer.moved) {
      this.take({
        reason: 'result-moved',
        path: at,
        message: `The result of ${call.id} was sent right after its call.`,
      });
    }
    this.#noteHidden(answer.message, blocksShownToModel(answer.message), at);
    const output = await writeToolOutput(answer.message, inline, at, { loadBlob: this.#loadBlob, take: this.take });
    return { ...head, output, ...optionsField(readMark(answer.message.content[0]).result?.['providerOptions']) };
  }
}

/** A call that the provider ran itself has its result beside it; only a denial comes from outside. */
function staysInline(call: ToolUseBlock, answer: Answer | undefined): boolean {
  return readMark(call).providerExecuted === true && (answer === undefined || !isDenied(answer.message));
}

function isStructuredView(type: string): boolean {
  return type === 'code' || type === 'command' || type === 'file-change' || type === 'todo';
}
