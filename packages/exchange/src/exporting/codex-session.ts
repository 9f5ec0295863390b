import { isBlank, isPlainObject } from '@loom/blocks';
import type { ImageBlock, ModelBlock, PlainObject } from '@loom/blocks';
import { isOfProgram } from '@loom/kernel';
import type { NodeState } from '@loom/kernel';
import { writtenMeta, writtenPath } from '../codex/written-session.ts';
import { apiName, CallNames, isSaidAsItIs } from './call-names.ts';
import { derivedHex, derivedUuid } from './derived-id.ts';
import { describeFile, fileUrl } from './file-data.ts';
import type { ExportedOrigin, NativeOptions, NativeSession } from './native-session.ts';
import { ExportNotes } from './note.ts';
import { exportedPath, timeOf } from './source.ts';
import type { ExportSource } from './source.ts';
import { spokenContext, withoutOpenCalls } from './spoken-path.ts';
import type { SpokenBlock, SpokenMessage } from './spoken-path.ts';

/** The source in origins of Codex's messages. */
const codex = 'codex';

/**
 * Returns a branch as a Codex rollout, which `codex resume` continues. Items that came from Codex keep their ids; the ids of others are derived from
 * Loom's, so that exporting twice gives the same file. Messages above a context start are left out: Codex keeps none of them either.
 */
export function codexSession(source: ExportSource, node: string, options: NativeOptions): NativeSession {
  const id = derivedUuid(codex, source.root.id, node);
  const notes = new ExportNotes();
  const named = withoutOpenCalls(spokenContext(exportedPath(source, node)), notes).flatMap((message) => {
    const blocks = message.blocks.filter((spoken, index) => isCodexBlock(spoken, message.blocks, index, notes));
    if (blocks.length === 0 && message.node.role !== 'tool') return [];
    return [nameItems({ ...message, blocks }, source.root.id, options)];
  });
  const prompt = source.root.config.systemPrompt;
  if (prompt !== undefined && prompt !== '') {
    notes.add('prompt-apart', 'The system prompt is not part of the rollout: Codex has its own.');
  }
  const started = named[0] === undefined ? new Date(source.root.created).toISOString() : timeOf(named[0].message.node);
  return {
    id,
    path: writtenPath(id, started),
    command: ['codex', 'resume', id],
    origins: named.map(originOf),
    notes: () => notes.list,
    async *lines() {
      const writer = new RolloutWriter({ source, calls: new CallNames(), notes }, id);
      yield writer.begin(started, options.directory);
      for (const [index, message] of named.entries()) {
        yield* writer.write(message);
        // The usage of an answer is written at its end: this separates two consecutive answers.
        const isBeforeAnswer = named[index + 1]?.message.node.role === 'assistant';
        if (message.message.node.role === 'assistant') yield* writer.endAnswer(message.message.node, isBeforeAnswer);
      }
      yield* writer.end();
    },
  };
}

/** A message and the items it becomes. */
interface NamedMessage {
  readonly message: SpokenMessage;
  readonly items: readonly NamedItem[];
}

interface NamedItem {
  readonly id: string;
  readonly blocks: readonly (SpokenBlock & { readonly key: string })[];
}

/**
 * Returns the items of a message: one for a user message or a result, one for each block of a model's answer; the parts of one thought stay together.
 * An item keeps its name while its parts keep their places in it: they are named by their numbers there, so an item that misses a part is a different
 * item.
 */
function nameItems(message: SpokenMessage, root: string, { keyOf }: NativeOptions): NamedMessage {
  const { node } = message;
  const origin = node.origin?.source === codex ? node.origin.id : undefined;
  const items: SpokenBlock[][] = [];
  for (const spoken of message.blocks) {
    const last = items.at(-1);
    const thought = reasoningId(spoken.block);
    const joins = node.role !== 'assistant' || (thought !== undefined && thought === reasoningId(last?.[0]?.block));
    if (joins && last !== undefined) last.push(spoken);
    else items.push([spoken]);
  }
  const taken = new Map(node.blocks.flatMap((block) => [[keyOf?.(block), block.block_id] as const]));
  let count = 0;
  const named = items.map((blocks): NamedItem => {
    const [first] = blocks;
    const own = first === undefined ? undefined : (keyOf?.(first.of) ?? reasoningId(first.block));
    const known = own ?? (count === 0 ? origin : undefined);
    const isInPlace = ({ block, of }: SpokenBlock, index: number): boolean => {
      const key = keyInItem(known ?? '', index);
      if (!isSaidAsItIs(block)) return false;
      return (keyOf?.(of) ?? key) === key && (!taken.has(key) || taken.get(key) === of.block_id);
    };
    const isKept = known !== undefined && blocks.every(isInPlace);
    const id = isKept ? known : newId(first?.block, node, derivedHex(root, node.id, count));
    count += blocks.length;
    return { id, blocks: blocks.map((block, index) => ({ ...block, key: keyInItem(id, index) })) };
  });
  // A result without any content is an item as well.
  const empty = { id: origin ?? newId(undefined, node, derivedHex(root, node.id, 0)), blocks: [] };
  return { message, items: named.length === 0 ? [empty] : named };
}

function keyInItem(id: string, index: number): string {
  return index === 0 ? id : `${id}#${index}`;
}

/** The API expects an id to show the kind of its item. */
function newId(block: ModelBlock | undefined, { role }: NodeState, hex: string): string {
  const kind = role === 'tool' ? 'fco' : block?.type === 'tool-use' ? 'fc' : block?.type === 'thinking' ? 'rs' : 'msg';
  return `${kind}_${hex.slice(0, 48)}`;
}

function originOf({ message: { node }, items }: NamedMessage): ExportedOrigin {
  return {
    node: node.id,
    origin: { source: codex, id: items[0]?.id ?? '' },
    keys: items.flatMap(({ id, blocks }) =>
      blocks.length === 0
        ? [{ key: id }]
        : blocks.map(({ of, key }) => (of.block_id === undefined ? { key } : { block: of.block_id, key })),
    ),
  };
}

/** Returns true if a block has a form in a rollout. Thoughts are of use only with the part that OpenAI has encrypted. */
function isCodexBlock({ block }: SpokenBlock, all: readonly SpokenBlock[], index: number, notes: ExportNotes): boolean {
  if (block.type === 'text') return !isBlank(block.text);
  if (block.type !== 'thinking') return true;
  const id = reasoningId(block);
  if (id !== undefined && sealOf(all.map((spoken) => spoken.block).filter((one) => reasoningId(one) === id)))
    return true;
  if (index >= 0)
    notes.add('thinking-unsigned', 'A thought has no seal of OpenAI: it is left out, because GPT does not take it.');
  return false;
}

interface CodexScope {
  readonly source: ExportSource;
  readonly calls: CallNames;
  readonly notes: ExportNotes;
}

class RolloutWriter {
  readonly #scope: CodexScope;
  readonly #thread: string;
  #ordinal = 0;
  #turn: { id: string; started: string; last: string | null; isSpoken: boolean } | undefined;
  #time = '';
  readonly #customCalls = new Set<string>();

  constructor(scope: CodexScope, thread: string) {
    this.#scope = scope;
    this.#thread = thread;
  }

  begin(time: string, directory: string): string {
    this.#time = time;
    return this.#line('session_meta', writtenMeta(this.#thread, time, directory));
  }

  async *write({ message, items }: NamedMessage): AsyncGenerator<string> {
    const { node } = message;
    this.#time = timeOf(node);
    const isPrompt = node.role === 'user' && !isOfProgram(node);
    if (this.#turn === undefined || (isPrompt && this.#turn.isSpoken)) {
      yield* this.end();
      yield this.#startTurn(node);
    }
    // A program's message to the model before a prompt belongs to the turn of that prompt.
    if (this.#turn !== undefined && (isPrompt || node.role !== 'user')) this.#turn.isSpoken = true;
    for (const item of items) {
      const payload = await this.#payload(message, item);
      const shown = isPrompt || node.role !== 'user' ? shownItem(payload, item) : undefined;
      const event = shown === undefined ? [] : [this.#itemEvent(shown)];
      // Codex records user messages before it shows them, and model messages after.
      const lines = [{ type: 'response_item', payload }, ...event.map((payload) => ({ type: 'event_msg', payload }))];
      for (const line of node.role === 'user' ? lines : lines.reverse()) yield this.#line(line.type, line.payload);
    }
  }

  *endAnswer({ source }: NodeState, isNeeded: boolean): Generator<string> {
    const usage = source.type === 'model' ? source.usage : undefined;
    if (usage === undefined && !isNeeded) return;
    yield this.#line('token_usage_record', {
      thread_id: this.#thread,
      turn_id: this.#turn?.id ?? '',
      session_id: this.#thread,
      usage: {
        input_tokens: usage?.input_tokens ?? 0,
        cached_input_tokens: usage?.cached_input_tokens ?? 0,
        cache_write_input_tokens: usage?.cache_write_tokens ?? 0,
        output_tokens: usage?.output_tokens ?? 0,
        reasoning_output_tokens: usage?.reasoning_tokens ?? 0,
        total_tokens: (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0),
      },
    });
  }

  *end(): Generator<string> {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn === undefined) return;
    yield this.#event({
      type: 'task_complete',
      turn_id: turn.id,
      last_agent_message: turn.last,
      started_at: seconds(turn.started),
      completed_at: seconds(this.#time),
    });
  }

  #startTurn(node: NodeState): string {
    const id = derivedUuid('turn', this.#scope.source.root.id, node.id);
    this.#turn = { id, started: this.#time, last: null, isSpoken: false };
    return this.#event({
      type: 'task_started',
      turn_id: id,
      started_at: seconds(this.#time),
      collaboration_mode_kind: 'default',
    });
  }

  async #payload(message: SpokenMessage, { id, blocks }: NamedItem): Promise<PlainObject> {
    const { role, tool_call_id = '' } = message.node;
    if (role === 'user') {
      const isProgram = isOfProgram(message.node);
      const content_item_kinds = blocks.map(({ block }) =>
        isProgram ? 'unknown' : block.type === 'image' ? 'user.image' : 'user.text',
      );
      return {
        type: 'message',
        id,
        role,
        content: await this.#inputParts(blocks),
        internal_chat_message_metadata_passthrough: { turn_id: this.#turn?.id ?? '', content_item_kinds },
      };
    }
    if (role === 'tool') {
      const type = this.#customCalls.has(tool_call_id) ? 'custom_tool_call_output' : 'function_call_output';
      return { type, id, call_id: this.#scope.calls.answer(message), output: await this.#output(blocks) };
    }
    const [first] = blocks;
    const block = first?.block ?? { type: 'text', text: '' };
    switch (block.type) {
      case 'text':
        return this.#said(id, block.text);
      case 'thinking':
        return {
          type: 'reasoning',
          id,
          summary: blocks.flatMap(({ block }) =>
            block.type === 'thinking' && block.text !== '' ? [{ type: 'summary_text', text: block.text }] : [],
          ),
          content: null,
          encrypted_content: sealOf(blocks.map((spoken) => spoken.block)),
        };
      case 'tool-use': {
        const call_id = this.#scope.calls.call(block.id);
        const name = apiName(block.name);
        const text = block.arguments ?? JSON.stringify(block.parameters);
        if (ownData(block)['callType'] !== 'custom_tool_call') {
          return { type: 'function_call', id, name, arguments: text, call_id };
        }
        this.#customCalls.add(block.id);
        const input = ownData(block)['input'];
        return { type: 'custom_tool_call', id, call_id, name, input: typeof input === 'string' ? input : text };
      }
      case 'image':
        this.#scope.notes.add(
          'pictures-apart',
          'A picture that a model made is named, not shown: GPT takes some from people only.',
        );
        return this.#said(id, `(${describeFile(block)})`);
    }
  }

  #said(id: string, text: string): PlainObject {
    if (this.#turn !== undefined) this.#turn.last = text;
    return { type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text }] };
  }

  async #inputParts(blocks: readonly SpokenBlock[]): Promise<PlainObject[]> {
    const parts: PlainObject[] = [];
    for (const { block } of blocks) {
      if (block.type === 'text') parts.push({ type: 'input_text', text: block.text });
      else if (block.type === 'image') parts.push(await this.#picture(block));
    }
    return parts;
  }

  /** Returns one text as a string, anything else as parts. */
  async #output(blocks: readonly SpokenBlock[]): Promise<string | PlainObject[]> {
    const [only, second] = blocks;
    if (only === undefined) return '';
    return second === undefined && only.block.type === 'text' ? only.block.text : this.#inputParts(blocks);
  }

  async #picture(block: ImageBlock): Promise<PlainObject> {
    const url = block.media_type.startsWith('image/') ? await fileUrl(block, this.#scope.source) : undefined;
    if (url !== undefined) return { type: 'input_image', image_url: url };
    this.#scope.notes.add(
      'file-unsupported',
      `${describeFile(block)} is written by its name: Codex takes pictures alone, or it is not here any more.`,
    );
    return { type: 'input_text', text: `(${describeFile(block)})` };
  }

  #itemEvent(item: PlainObject): PlainObject {
    const at = Date.parse(this.#time);
    const turn_id = this.#turn?.id ?? '';
    return { type: 'item_completed', thread_id: this.#thread, turn_id, item, started_at_ms: at, completed_at_ms: at };
  }

  #event(payload: PlainObject): string {
    return this.#line('event_msg', payload);
  }

  #line(type: string, payload: PlainObject): string {
    const ordinal = this.#ordinal;
    this.#ordinal += 1;
    return `${JSON.stringify({ timestamp: this.#time, ordinal, type, payload })}\n`;
  }
}

/** Returns the item in the form that Codex shows; it stores everything twice, once for the model and once for people. */
function shownItem({ type, role }: PlainObject, { id, blocks }: NamedItem): PlainObject | undefined {
  const texts = blocks.flatMap(({ block }) => (block.type === 'text' || block.type === 'thinking' ? [block.text] : []));
  if (type === 'reasoning') return { type: 'Reasoning', id, summary_text: texts, raw_content: [] };
  if (type !== 'message') return undefined;
  if (role === 'assistant') return { type: 'AgentMessage', id, content: texts.map((text) => ({ type: 'Text', text })) };
  return { type: 'UserMessage', id, content: texts.map((text) => ({ type: 'text', text, text_elements: [] })) };
}

function seconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

function reasoningId(block: ModelBlock | undefined): string | undefined {
  if (block?.type !== 'thinking') return undefined;
  const { itemId } = ownData(block);
  return typeof itemId === 'string' ? itemId : undefined;
}

function sealOf(blocks: readonly ModelBlock[]): string | undefined {
  const seals = blocks.map((block) => ownData(block)['reasoningEncryptedContent']);
  return seals.filter((seal) => typeof seal === 'string').findLast((seal) => seal !== '');
}

function ownData({ provider }: { provider?: PlainObject }): PlainObject {
  const own = provider?.['openai'];
  return isPlainObject(own) ? own : {};
}
