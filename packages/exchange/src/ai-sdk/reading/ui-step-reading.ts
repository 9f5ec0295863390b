import { isNonEmpty, isPlainObject, isToolMessage } from '@loom/blocks';
import type { AssistantBlock, Message, PlainObject, RawBlock, ToolMessage } from '@loom/blocks';
import { appendAll } from '../append-all.ts';
import { LOOM_RESULT, withoutIdentity } from '../loom-parts.ts';
import type { TakeNote } from '../note.ts';
import { addMark } from '../sdk-mark.ts';
import type { SdkMark } from '../sdk-mark.ts';
import { readAssistantPart } from './ui-part-reading.ts';
import { readToolPart } from './ui-tool-reading.ts';

/** Cuts the parts of one UI message into steps: an assistant message each, followed by the results of its calls. */
export class StepReader {
  readonly messages: Message[] = [];
  readonly #take: TakeNote;
  /** The marks that only the first message of the UI message carries. */
  #opening: SdkMark;
  #boundaries = 0;
  #blocks: AssistantBlock[] = [];
  #results: ToolMessage[] = [];
  /** The index of each call's latest result among the results. */
  readonly #places = new Map<string, number>();

  constructor(fields: PlainObject, take: TakeNote) {
    this.#opening = { uiMessage: fields };
    this.#take = take;
  }

  startStep(): void {
    this.#flush();
    this.#boundaries += 1;
  }

  /** Ends the step because another role speaks; returns the mark that its message takes. */
  interrupt(): SdkMark {
    this.#flush();
    return this.#takeMark();
  }

  add(part: unknown, path: string): void {
    const pair = readToolPart(part, path, this.#take);
    const result = loomResultOf(part);
    if (pair) {
      this.#blocks.push(pair.call);
      if (pair.result) this.#pushResult(pair.result);
    } else if (result) {
      this.#addResult(result);
    } else {
      this.#addBlock(readAssistantPart(part, path, this.#take));
    }
  }

  finish(): Message[] {
    this.#flush();
    // Boundaries after the last step have no message to go with, so they become one.
    const boundaries = Array.from({ length: this.#boundaries }, boundaryBlock);
    this.#boundaries = 0;
    appendAll(this.#blocks, boundaries);
    this.#flush();
    return this.messages;
  }

  /** A result that Loom wrote in full replaces the short form in its tool part. */
  #addResult(result: ToolMessage): void {
    const place = this.#places.get(result.tool_call_id);
    if (place === undefined) this.#pushResult(result);
    else this.#results[place] = result;
  }

  #pushResult(result: ToolMessage): void {
    this.#places.set(result.tool_call_id, this.#results.length);
    this.#results.push(result);
  }

  /** Cited pages of an answer come one by one; together they form one block. */
  #addBlock(block: AssistantBlock): void {
    const last = this.#blocks.at(-1);
    const joins = block.type === 'sources' && block.provider === undefined;
    if (joins && last?.type === 'sources' && last.provider === undefined) appendAll(last.sources, block.sources);
    else this.#blocks.push(block);
  }

  #flush(): void {
    if (isNonEmpty(this.#blocks)) {
      const [first, ...others] = this.#blocks;
      this.messages.push({ role: 'assistant', content: [addMark(first, this.#takeMark()), ...others] });
    }
    appendAll(this.messages, this.#results);
    this.#blocks = [];
    this.#results = [];
    this.#places.clear();
  }

  #takeMark(): SdkMark {
    const mark = { ...this.#opening, steps: this.#boundaries };
    this.#opening = {};
    this.#boundaries = 0;
    return mark;
  }
}

function boundaryBlock(): RawBlock {
  return { type: 'raw', source: 'ai-sdk', value: { type: 'step-start' } };
}

function loomResultOf(part: unknown): ToolMessage | undefined {
  const data = isPlainObject(part) && part['type'] === LOOM_RESULT ? part['data'] : undefined;
  return isToolMessage(data) ? { ...data, content: data.content.map(withoutIdentity) } : undefined;
}
