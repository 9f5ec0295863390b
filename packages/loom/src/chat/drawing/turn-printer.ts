import { continuationIn, continuedWords } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { FeedEvent, NodeState, Usage } from '@loom/kernel';
import { shortName } from '../../forest-view/node-line.ts';
import { describeCosts } from '../../models/price-words.ts';
import { decisionWords, renderAsked } from './asked-lines.ts';
import { renderBlock, renderCall, renderResult } from './cards.ts';
import type { ShownBefore } from './cards.ts';
import type { CallBook } from '../call-book.ts';
import type { Column, Line } from './column.ts';
import { RunningOutput } from './running-output.ts';
import { describeTokens, remarksOnAnswer } from './usage-words.ts';

export interface TurnPrinterOptions {
  /** The column of the model's own words. */
  answer: Column;
  /** The column of everything else: thinking, calls, results, remarks. */
  aside: Column;
  calls: CallBook;
  /** Returns the folder that paths are told from. */
  folder?: () => string | undefined;
  /** True if each turn ends with a line that names its last node and its usage. */
  hasSummary?: boolean;
}

/** Shows a turn as it happens. Text appears as it grows, thinking faintly; calls and results are cards. */
export class TurnPrinter {
  readonly #options: TurnPrinterOptions;
  readonly #types = new Map<string, MessageBlock['type']>();
  #open: string | undefined;
  readonly #shownCalls = new Set<string>();
  readonly #shownResults = new Set<string>();
  /** The lines that show a call, by its node. */
  readonly #shownLines = new Map<string, ReadonlySet<string>>();
  #lastNode = '';
  /** The last message of the model in this turn. */
  #answered: NodeState | undefined;
  /** The reason the last answer is shorter than the model would have made it. */
  #cut: string | undefined;
  /** The calls of the turn whose cost is known. */
  #calls: { provider: string; usage: Usage }[] = [];
  #isContinuedTold = false;
  /** The last remarks on an answer: they are not repeated for each that follows. */
  #remarks = '';

  readonly #running = new RunningOutput((lines) => {
    this.#beginCard();
    this.#options.aside.addLines(lines);
  });

  constructor(options: TurnPrinterOptions) {
    this.#options = options;
  }

  /** A line that an agent says which the turn has sent out. */
  tellChild(line: string): void {
    this.remark(`    ⤷ ${line}`);
  }

  hear(event: FeedEvent): void {
    if (event.type === 'node-added') this.#addNode(event.node);
    else if (event.type === 'node-changed') this.#changeNode(event.node);
    else if (event.type === 'block-added' && this.#shownCalls.has(event.node))
      this.#addToResult(event.node, event.block);
    else if (event.type === 'block-added') this.#addBlock(event.block);
    else if (event.type === 'block-removed') this.remark('(What was said last was taken back.)');
    else if (event.type === 'approval') this.#tellDecision(event);
    else if (event.type === 'turn-retrying') this.remark(describeRetry(event));
    else if (event.type === 'text-appended') {
      const isOutput = this.#running.grow(event.block, event.field, event.text);
      if (!isOutput) this.#grow(event.block, event.text);
    } else if (event.type === 'turn-ended') this.#end(event);
  }

  /** One of several answers to the same message begins. */
  announce({ provider, model, answer = '' }: Extract<FeedEvent, { type: 'turn-started' }>): void {
    this.#options.answer.startParagraph();
    this.#options.aside.startParagraph();
    this.remark(`${shortName(answer)}, by ${model === provider ? provider : `${provider}:${model}`}:`);
  }

  #tellDecision(event: Extract<FeedEvent, { type: 'approval' }>): void {
    const words = decisionWords(event);
    if (words !== undefined) this.remark(`  ${words}`);
  }

  /** A remark of Loom itself. */
  remark(text: string): void {
    this.#beginCard();
    this.#options.aside.addLines([{ text, tone: 'faint' }]);
  }

  #addNode(node: NodeState): void {
    if (node.role === 'user') return;
    this.#lastNode = node.id;
    if (node.role === 'assistant') {
      this.#tellContinued(node);
      this.#answered = node;
      for (const block of node.blocks) this.#addBlock(block);
      return;
    }
    this.#changeNode(node);
  }

  /** An agent that does not go on in its own session knows the branch in another way. */
  #tellContinued({ note, source }: NodeState): void {
    const continued = continuationIn(note);
    if (this.#isContinuedTold || continued === undefined || source.type !== 'model') return;
    this.#isContinuedTold = true;
    if (continued.how !== 'own-session') this.remark(`(${source.provider} ${continuedWords(continued)}.)`);
  }

  /** A call is shown as soon as it is known whether a person has to look at it. */
  #showCall(node: NodeState): void {
    const call = this.#options.calls.callOf(node);
    const isKnown = node.tool !== 'waiting' || node.ask !== undefined;
    if (call === undefined || !isKnown || this.#shownCalls.has(node.id)) return;
    this.#shownCalls.add(node.id);
    this.#beginCard();
    const lines =
      node.ask === undefined ? renderCall(call, { folder: this.#options.folder?.() }) : renderAsked(call, node.ask);
    this.#shownLines.set(node.id, new Set(lines.map(({ text }) => text.trimStart())));
    this.#options.aside.addLines(lines);
  }

  #changeNode(node: NodeState): void {
    if (node.role === 'tool') {
      this.#showCall(node);
      if (node.tool === undefined || node.tool === 'waiting' || node.tool === 'running') return;
      // Whatever changes about a call that is over, its card stands.
      if (this.#shownResults.has(node.id)) return;
      this.#shownResults.add(node.id);
      for (const block of node.blocks) this.#running.end(block);
      this.#beginCard();
      const name = this.#options.calls.callOf(node)?.name ?? 'tool';
      this.#options.aside.addLines(
        renderResult(node, name, { outputs: this.#running.shown, ...this.#before(node.id) }),
      );
      return;
    }
    if (node.source.type !== 'model') return;
    this.#tellContinued(node);
    const { provider, usage, finish_reason: reason } = node.source;
    if (reason !== undefined) this.#cut = cuts.get(reason);
    if (usage !== undefined) this.#calls.push({ provider, usage });
    this.#answered = node;
  }

  /** Other blocks of results come with their node's end. */
  #addToResult(node: string, block: MessageBlock): void {
    if (block.type !== 'command' || block.status !== 'running') return;
    this.#running.begin(block, this.#shownLines.get(node)?.has(`$ ${block.command}`));
  }

  #before(node: string): ShownBefore {
    const lines = this.#shownLines.get(node);
    return lines === undefined ? {} : { lines };
  }

  #addBlock(block: MessageBlock): void {
    const id = block.block_id ?? '';
    if (id.includes('/@tool:')) return;
    this.#types.set(id, block.type);
    if (block.type === 'tool-use') return;
    if (block.type === 'text' || block.type === 'thinking') return this.#grow(id, block.text);
    // A block that Loom does not know is not shown with the answer; it is kept with the node.
    if (block.type === 'raw')
      return this.remark(`(${block.source} also sent something that Loom does not know; it is kept.)`);
    const column = block.type === 'error' ? this.#options.aside : this.#options.answer;
    this.#beginCard();
    column.startParagraph();
    column.addLines(renderBlock(block));
  }

  #grow(id: string, text: string): void {
    const type = this.#types.get(id);
    if (text === '' || (type !== 'text' && type !== 'thinking')) return;
    const { answer, aside } = this.#options;
    if (type === 'text') {
      if (this.#open !== id) {
        aside.startLine();
        answer.startParagraph();
      }
      answer.flow(text);
    } else {
      if (this.#open !== id) {
        answer.startLine();
        aside.startParagraph();
        aside.add('Thinking: ', 'faint');
      }
      aside.flow(text, 'faint');
    }
    this.#open = id;
  }

  #end({ reason }: Extract<FeedEvent, { type: 'turn-ended' }>): void {
    const { answer, aside, hasSummary = false } = this.#options;
    const summary = [shortName(this.#lastNode), ...describeUsage(this.#calls)].join(' · ');
    const remark = endings[reason] ?? this.#cut;
    const lines: Line[] = [
      ...this.#newRemarks().map((text) => ({ text: `(${text})`, tone: 'odd' as const })),
      ...(remark === undefined ? [] : [{ text: remark, tone: 'odd' as const }]),
      ...(hasSummary ? [{ text: summary, tone: 'faint' as const }] : []),
    ];
    if (lines.length > 0) {
      this.#beginCard();
      aside.addLines(lines);
    }
    answer.startLine();
    this.#open = undefined;
    this.#cut = undefined;
    this.#calls = [];
    this.#answered = undefined;
  }

  #newRemarks(): string[] {
    const remarks = this.#answered === undefined ? [] : remarksOnAnswer(this.#answered);
    const isNews = remarks.join('\n') !== this.#remarks;
    this.#remarks = remarks.join('\n');
    return isNews ? remarks : [];
  }

  /** Ends any open text, so that something else can follow on a new line. */
  #beginCard(): void {
    const { answer, aside } = this.#options;
    answer.startLine();
    if (this.#open !== undefined) aside.startParagraph();
    this.#open = undefined;
  }
}

function describeUsage(calls: readonly { provider: string; usage: Usage }[]): string[] {
  const tokens = describeTokens(calls.map(({ usage }) => usage));
  return tokens === undefined ? [] : [tokens, describeCosts(calls) ?? []].flat();
}

const endings: Record<Extract<FeedEvent, { type: 'turn-ended' }>['reason'], string | undefined> = {
  done: undefined,
  error: undefined,
  'no-room': undefined,
  limit: undefined,
  aborted: '(stopped; the text so far is kept)',
  interrupted: '(interrupted; the text so far is kept)',
  'max-rounds': '(stopped after the largest number of tool rounds; say "go on" to continue)',
};

const cuts: ReadonlyMap<string, string> = new Map([
  ['length', '(cut off: the limit of output tokens, or the end of the context window, was reached)'],
  ['refusal', '(the provider stopped the answer: it refuses to say more)'],
]);

function describeRetry({ attempt, delay_ms, reason }: Extract<FeedEvent, { type: 'turn-retrying' }>): string {
  const seconds = Math.max(1, Math.round(delay_ms / 1000));
  return `(${reason} Try ${attempt + 1} comes in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.)`;
}
