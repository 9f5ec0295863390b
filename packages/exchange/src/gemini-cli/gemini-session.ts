import type { MessageBlock, PlainObject, ToolUseBlock } from '@loom/blocks';
import { answerNode, keyedBlocks, timesAt } from '../foreign/answer.ts';
import type { Answer, AnsweredCall } from '../foreign/answer.ts';
import { isList, knownFields, listAt, textAt, timeOf } from '../foreign/fields.ts';
import type { ForeignBlock, ForeignConversation, ForeignNode, Tally } from '../foreign/foreign.ts';
import type { Outbox } from '../foreign/outbox.ts';
import { answerOf, answerOfResponse, readContent, readThoughts, sourceOf } from './gemini-content.ts';

/** The state of a message when it was written out. */
interface Written {
  /** The node above it, and its end: its last result. */
  readonly above: string | undefined;
  below: string | undefined;
  readonly text: string;
}

/** A session of Gemini CLI that grows. A message is held until the next begins, because it is written again whenever it has grown. */
export class GeminiSession {
  readonly #outbox: Outbox;
  readonly #tally: Tally;
  readonly #written = new Map<string, Written>();
  readonly #calls = new Map<string, AnsweredCall>();
  /** Calls whose results are written. */
  readonly #answered = new Set<string>();
  #conversation: ForeignConversation | undefined;
  #held: PlainObject | undefined;
  #tip: string | undefined;
  #isRestarted = false;

  constructor(outbox: Outbox, tally: Tally) {
    this.#outbox = outbox;
    this.#tally = tally;
  }

  /** Notes facts about the session, from its head or later. */
  describe(head: PlainObject): void {
    const before = this.#conversation;
    const id = before?.id ?? textAt(head, 'sessionId');
    if (id === undefined) return;
    const title = textAt(head, 'summary') ?? before?.title;
    const created = before?.created_at ?? timeOf(head.startTime);
    const [directory] = listAt(head, 'directories').filter((folder) => typeof folder === 'string');
    const details = knownFields({ project: textAt(head, 'projectHash'), kind: textAt(head, 'kind') });
    const grown: ForeignConversation = {
      ...before,
      id,
      ...(title === undefined || title === '' ? {} : { title }),
      ...(created === undefined ? {} : { created_at: created }),
      ...(directory === undefined ? {} : { directory }),
      ...(details === undefined ? {} : { details: { ...before?.details, ...details } }),
    };
    if (JSON.stringify(grown) === JSON.stringify(before)) return;
    this.#conversation = grown;
    this.#outbox.conversation(grown);
  }

  /** Reads a message, or a grown version of one. Returns the kind of an unknown part in it. */
  message(message: PlainObject): string | undefined {
    const id = textAt(message, 'id');
    if (id === undefined) return 'message without an id';
    if (this.#held !== undefined && textAt(this.#held, 'id') !== id) this.flush();
    this.#held = message;
    return kindOf(message) === undefined
      ? `message/${textAt(message, 'type') ?? ''}`
      : readContent(contentOf(message)).unknown;
  }

  /** Reads the complete list of messages. If none of the earlier ones is among them, the history was replaced: a new context starts. */
  messages(list: readonly unknown[]): string | undefined {
    this.flush();
    let unknown: string | undefined;
    const messages = list.filter((message): message is PlainObject => textAt(message, 'id') !== undefined);
    const isNew = messages.every((message) => !this.#written.has(textAt(message, 'id') ?? ''));
    this.#isRestarted = isNew && this.#written.size > 0;
    for (const message of messages) unknown ??= this.message(message);
    this.flush();
    return unknown;
  }

  /** Continues the session from before a message. */
  rewindTo(id: string): void {
    this.flush();
    const written = this.#written.get(id);
    if (written !== undefined) this.#tip = written.above;
    else this.#tally.remark('The session was taken back to a message that is not there.');
  }

  /** Writes out the held message, and reports the calls without a result. */
  end(): void {
    this.flush();
    const open = [...this.#calls.keys()].filter((id) => !this.#answered.has(id)).length;
    if (open > 0)
      this.#tally.remark(
        `${open === 1 ? 'A call has' : `${open} calls have`} no result: the session does not tell it.`,
      );
  }

  /** Writes out the held message. */
  flush(): void {
    const message = this.#held;
    this.#held = undefined;
    if (message === undefined) return;
    if (this.#conversation === undefined) this.describe({ sessionId: `message-${textAt(message, 'id') ?? ''}` });
    switch (kindOf(message)) {
      case 'user':
        return this.#user(message);
      case 'model':
        return this.#model(message);
      case 'error':
        return this.#error(message);
      case 'side':
        return undefined;
      case undefined: {
        const { blocks } = readContent(contentOf(message));
        return this.#speak(
          message,
          blocks.length === 0 ? [{ type: 'raw', source: 'gemini-cli', value: message }] : blocks,
        );
      }
    }
  }

  #user(message: PlainObject): void {
    const id = textAt(message, 'id') ?? '';
    const { blocks, responses } = readContent(contentOf(message));
    const written = this.#begin(id, blocks);
    for (const response of responses) this.#respond(response, written, message);
    if (blocks.length === 0) return;
    const text = blocks[0]?.type === 'text' ? blocks[0].text : '';
    this.#node(written, {
      id,
      role: 'user',
      blocks: keyedBlocks(id, blocks),
      source: { type: 'user' },
      ...timesAt(timeOf(message.timestamp)),
      ...(beginnings.test(text) ? { details: { synthetic: true } } : {}),
    });
  }

  #model(message: PlainObject): void {
    const id = textAt(message, 'id') ?? '';
    const { blocks } = readContent(contentOf(message));
    const thoughts = readThoughts(listAt(message, 'thoughts'));
    const calls = listAt(message, 'toolCalls').flatMap((call) => readCall(call) ?? []);
    const keyed: ForeignBlock[] = [
      ...thoughts.map((block, index) => ({ key: `${id}/thought-${index}`, block })),
      ...keyedBlocks(id, blocks),
      ...calls.map(({ block }) => ({ key: `${id}/${block.id}`, block })),
    ];
    const written = this.#begin(id, blocks);
    if (keyed.length > 0) {
      const source = sourceOf(message);
      this.#node(written, { id, role: 'assistant', blocks: keyed, source, ...timesAt(timeOf(message.timestamp)) });
    }
    for (const { block, call } of calls) {
      const known = { id: block.id, name: block.name, parameters: block.parameters };
      this.#calls.set(block.id, known);
      const answer = answerOf(call);
      if (answer !== undefined) this.#answer(written, known, answer, timeOf(call.timestamp ?? message.timestamp));
    }
  }

  /** Writes an error in the program's words; models are not shown it. */
  #error(message: PlainObject): void {
    const { blocks } = readContent(contentOf(message));
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    this.#speak(message, [{ type: 'error', code: 'gemini_cli', message: text }]);
  }

  #speak(message: PlainObject, blocks: MessageBlock[]): void {
    const id = textAt(message, 'id') ?? '';
    const source = sourceOf(message);
    const written = this.#begin(id, []);
    this.#node(written, {
      id,
      role: 'assistant',
      blocks: keyedBlocks(id, blocks),
      source,
      ...timesAt(timeOf(message.timestamp)),
    });
  }

  /** Adds a response, unless the message of the call has given it already. */
  #respond(response: PlainObject, written: Written, message: PlainObject): void {
    const id = textAt(response, 'id');
    if (id === undefined || this.#answered.has(id)) return;
    const call = this.#calls.get(id) ?? { id, name: textAt(response, 'name') ?? 'unknown', parameters: {} };
    this.#answer(written, call, answerOfResponse(response), timeOf(message.timestamp));
  }

  #answer(written: Written, call: AnsweredCall, answer: Answer, time: string | undefined): void {
    if (this.#answered.has(call.id)) return;
    this.#answered.add(call.id);
    const place = {
      conversation: this.#conversation?.id ?? '',
      id: `${call.id}/result`,
      ...parentOf(written.below),
      ...timesAt(time),
    };
    this.#outbox.node(answerNode(place, call, answer));
    this.#moveBelow(written, place.id);
  }

  #begin(id: string, blocks: readonly MessageBlock[]): Written {
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    const before = this.#written.get(id);
    if (before === undefined) {
      const written: Written = { above: this.#tip, below: this.#tip, text };
      this.#written.set(id, written);
      return written;
    }
    if (before.text !== text) this.#tally.remark('A message changed after it was taken in; its first form was kept.');
    return before;
  }

  #node(written: Written, said: Omit<ForeignNode, 'conversation' | 'parent'>): void {
    const start = this.#isRestarted ? { context_start: true } : {};
    this.#isRestarted = false;
    this.#outbox.node({ conversation: this.#conversation?.id ?? '', ...parentOf(written.above), ...said, ...start });
    if (written.below === written.above) this.#moveBelow(written, said.id);
  }

  /** Only a message at the end moves the end: a message that grows later stays where it is. */
  #moveBelow(written: Written, node: string): void {
    if (this.#tip === written.below) this.#tip = node;
    written.below = node;
  }
}

function parentOf(parent: string | undefined): { parent?: string } {
  return parent === undefined ? {} : { parent };
}

function readCall(call: unknown): { block: ToolUseBlock; call: PlainObject }[] | undefined {
  const [id, name] = [textAt(call, 'id') ?? '', textAt(call, 'name') ?? ''];
  if (id.trim() === '' || name.trim() === '' || !isObject(call)) return undefined;
  const parameters = isObject(call.args) ? call.args : {};
  return [{ block: { type: 'tool-use', id, name, parameters }, call }];
}

function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** `parts` in some versions. */
function contentOf(message: PlainObject): unknown {
  return message.content ?? message.parts;
}

/** Returns the speaker of a message. Messages for the screen only are `side`. */
function kindOf({ type }: PlainObject): 'user' | 'model' | 'error' | 'side' | undefined {
  switch (type) {
    case 'user':
      return 'user';
    case 'gemini':
    case 'model':
    case 'assistant':
      return 'model';
    case 'error':
      return 'error';
    case 'info':
    case 'warning':
      return 'side';
    default:
      return undefined;
  }
}

const beginnings = /^\s*(?:<session_context>|<state_snapshot>|This is the Gemini CLI\. We are setting up the context)/;
