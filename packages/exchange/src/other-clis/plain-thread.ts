import type { MessageBlock, PlainObject, ToolBlock, ToolUseBlock } from '@loom/blocks';
import { answerNode, keyedBlocks, timesAt, withReport } from '../foreign/answer.ts';
import type { AnsweredCall } from '../foreign/answer.ts';
import type { ForeignConversation, ForeignNode } from '../foreign/foreign.ts';
import type { Outbox } from '../foreign/outbox.ts';

/** The place of something in its file. */
export interface Spot {
  /** Unique in the conversation, and the same whenever the file is read. */
  readonly key: string;
  readonly time?: string | undefined;
}

type ModelSource = Extract<ForeignNode['source'], { type: 'model' }>;

/** The result of a call. */
interface PlainResult {
  readonly call: string | undefined;
  /** The name of the tool, if no call names it. */
  readonly name?: string | undefined;
  readonly blocks: readonly ToolBlock[];
  readonly isError?: boolean;
  readonly report?: PlainObject | undefined;
}

/** A chain of messages, for programs that keep one path: a model's output until a result or a user message is one message. */
export class PlainThread {
  readonly #outbox: Outbox;
  readonly #program: string;
  readonly #calls = new Map<string, AnsweredCall>();
  #conversation: string | undefined;
  #tip: string | undefined;
  #speaking: { readonly id: string; readonly parent: { parent?: string }; source: ModelSource } | undefined;

  #last: { readonly id: string; readonly parent: { parent?: string }; source: ModelSource } | undefined;

  #pieces: { readonly spot: Spot; words: string } | undefined;
  #facts: ForeignConversation | undefined;
  /** The messages at which lines of the program stand, by the names of the lines. */
  readonly #lines = new Map<string, string | undefined>();
  readonly #agents = new Map<string, PlainThread>();
  #isNewContext = false;
  #thought: string | undefined;

  constructor(outbox: Outbox, program: string) {
    this.#outbox = outbox;
    this.#program = program;
  }

  get isBegun(): boolean {
    return this.#conversation !== undefined;
  }

  /** Adds facts about the conversation to those given before. */
  describe(conversation: Partial<ForeignConversation>): void {
    this.#facts = { id: this.#conversation ?? '', ...this.#facts, ...conversation };
    this.#conversation = this.#facts.id;
    this.#outbox.conversation(this.#facts);
  }

  /** Returns the thread of an agent that a call of this one started. */
  agent(call: string): PlainThread {
    const known = this.#agents.get(call);
    if (known !== undefined) return known;
    const agent = new PlainThread(this.#outbox, this.#program);
    const conversation = this.#conversation ?? '';
    agent.describe({ id: `${conversation}/${call}`, parent: { conversation, call } });
    this.#agents.set(call, agent);
    return agent;
  }

  /** Remembers that a line of the program stands at the last message. */
  noteLine(line: string): void {
    this.#lines.set(line, this.#tip);
  }

  hasLine(line: string): boolean {
    return this.#lines.has(line);
  }

  /** Continues below the message at which a line stands; above all of them for `null`. An unknown line changes nothing. */
  goBelow(line: string | null): void {
    const tip = line === null ? undefined : this.#lines.get(line);
    if (line !== null && !this.#lines.has(line)) return;
    if (tip === this.#tip) return;
    this.endAnswer();
    this.#tip = tip;
  }

  /** Starts a new context: the next user message is the first that models are shown. */
  startContext(): void {
    this.#isNewContext = true;
  }

  /** Holds a thought that came before its message. */
  hold(thought: string): void {
    this.#thought = thought;
  }

  takeThought(): string | undefined {
    const thought = this.#thought;
    this.#thought = undefined;
    return thought;
  }

  /** Adds a piece of a model's text: consecutive pieces form one text. */
  spoken(spot: Spot, words: string): void {
    this.#pieces ??= { spot, words: '' };
    this.#pieces.words += words;
  }

  /** Ends the text that came in pieces. */
  endPieces(): void {
    const pieces = this.#pieces;
    this.#pieces = undefined;
    if (pieces !== undefined && pieces.words !== '') this.answered(pieces.spot, [{ type: 'text', text: pieces.words }]);
  }

  said({ key, time }: Spot, blocks: readonly MessageBlock[], details?: PlainObject): void {
    this.endPieces();
    if (blocks.length === 0) return;
    this.#speaking = undefined;
    const start = this.#isNewContext && this.#tip !== undefined ? { context_start: true } : {};
    this.#isNewContext = false;
    this.#node({
      id: key,
      role: 'user',
      blocks: keyedBlocks(key, blocks),
      source: { type: 'user' },
      ...timesAt(time),
      ...start,
      ...(details === undefined ? {} : { details }),
    });
  }

  answered({ key, time }: Spot, blocks: readonly MessageBlock[], source: Partial<ModelSource> = {}): void {
    this.endPieces();
    for (const block of blocks) if (block.type === 'tool-use') this.#noteCall(block);
    if (blocks.length === 0) return;
    const before = this.#speaking?.source;
    const full: ModelSource = { type: 'model', provider: '', model_name: '', parameters: {}, ...before, ...source };
    this.#speaking ??= { id: key, parent: this.#above(), source: full };
    this.#speaking.source = full;
    this.#last = this.#speaking;
    const { id, parent } = this.#speaking;
    this.#outbox.node({
      conversation: this.#conversation ?? '',
      id,
      ...parent,
      role: 'assistant',
      blocks: keyedBlocks(key, blocks),
      source: full,
      ...(id === key ? timesAt(time) : time === undefined ? {} : { ended_at: time }),
    });
    this.#tip = id;
  }

  /** Adds facts about the last message of a model that come at its end, possibly after the results of its calls: its usage. */
  finishAnswer(source: Partial<ModelSource>): void {
    this.endPieces();
    const last = this.#last;
    if (last === undefined) return;
    last.source = { ...last.source, ...source };
    const { id, parent } = last;
    this.#outbox.node({
      conversation: this.#conversation ?? '',
      id,
      ...parent,
      role: 'assistant',
      blocks: [],
      source: last.source,
    });
  }

  /** Ends the message of a model. */
  endAnswer(): void {
    this.endPieces();
    this.#speaking = undefined;
  }

  result({ key, time }: Spot, { call: id, name = 'unknown', blocks, isError = false, report }: PlainResult): void {
    this.endPieces();
    const known = this.#calls.get(id ?? '') ?? { id: id ?? key, name, parameters: {} };
    this.#speaking = undefined;
    this.#calls.delete(id ?? '');
    const [first] = blocks;
    const text = first?.type === 'text' ? first.text : undefined;
    const shown = blocks.length === 0 ? [{ type: 'text' as const, text: '' }] : blocks;
    const place = { conversation: this.#conversation ?? '', id: key, ...this.#above(), ...timesAt(time) };
    this.#outbox.node(
      answerNode(place, known, {
        blocks: report === undefined ? shown : withReport(shown, this.#program, report),
        text,
        native: report,
        state: isError ? 'error' : 'result',
      }),
    );
    this.#tip = key;
  }

  /** The first call without a result, for programs whose results do not name theirs. */
  get openCall(): string | undefined {
    return this.#calls.keys().next().value;
  }

  get openCalls(): number {
    return this.#calls.size;
  }

  #noteCall({ id, name, parameters }: ToolUseBlock): void {
    this.#calls.set(id, { id, name, parameters });
  }

  #node(node: Omit<ForeignNode, 'conversation' | 'parent'>): void {
    this.#outbox.node({ conversation: this.#conversation ?? '', ...this.#above(), ...node });
    this.#tip = node.id;
  }

  #above(): { parent?: string } {
    return this.#tip === undefined ? {} : { parent: this.#tip };
  }
}
