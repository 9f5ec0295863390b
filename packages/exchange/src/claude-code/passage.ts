import type { PlainObject } from '@loom/blocks';
import type { ForeignNode } from '../foreign/foreign.ts';
import type { Conversation } from './conversation.ts';

/** The known facts of a model's message whose lines come one by one. */
export interface Answer {
  readonly id: string;
  /** The provider's id of it: one model call, however often it was written. */
  readonly message: string | undefined;
  /** True if it stands elsewhere already, so that its cost is counted there. */
  readonly isRepeated: boolean;
  readonly place: Pick<ForeignNode, 'parent' | 'above'>;
  model: string;
  startedAt: string | undefined;
  endedAt: string | undefined;
  usage: PlainObject | undefined;
  finish: string | undefined;
  details: PlainObject | undefined;
  /** The number of its blocks that are emitted. */
  blocks: number;
  /** Hashes of its blocks, which identify a block that a program wrote again. */
  readonly marks: Set<string>;
}

/**
 * A message and the results of its calls in a row, as one place: a message below any line of it comes after its end. Parallel calls and their results
 * make branches of lines in a transcript that are not branches of the conversation.
 */
export class Passage {
  readonly conversation: Conversation;
  readonly above: Passage | undefined;
  /** The line above the first message of its chain, which is not in the file. */
  readonly missing: string | undefined;
  /** The line with which its chain begins in the file. */
  readonly top: string;
  /** The emitted nodes, in order. */
  nodes: string[] = [];
  answer: Answer | undefined;
  /** The user's message, with the keys of its blocks. */
  said: { readonly mark: string; readonly keys: readonly string[] } | undefined;
  /** The user messages right below it, by marks. */
  below = new Map<string, Passage>();
  /** The passage that it repeats under other ids: its children go below that one. */
  original: Passage | undefined;
  /** The number of context resets before it. */
  context: number;

  constructor(conversation: Conversation, top: string, above?: Passage, missing?: string) {
    this.conversation = conversation;
    this.top = top;
    this.above = above;
    this.missing = missing ?? above?.missing;
    this.context = above?.context ?? 0;
  }

  /** Returns a place for lines that repeat this passage. */
  repeat(): Passage {
    const copy = new Passage(this.conversation, this.top, this.above, this.missing);
    copy.context = this.context;
    copy.becomeCopyOf(this);
    return copy;
  }

  /** Marks it as a repetition of another passage. */
  becomeCopyOf(other: Passage): void {
    this.nodes = other.nodes;
    this.answer = other.answer;
    this.said = other.said;
    this.below = other.below;
    this.original = other.original ?? other;
  }

  /** The node below which the next one goes; `undefined` at the beginning. */
  get end(): string | undefined {
    return this.nodes.at(-1) ?? this.above?.end;
  }

  /** The place of the next node, in the form that items use. */
  get place(): Pick<ForeignNode, 'parent' | 'above'> {
    const parent = this.end;
    if (parent !== undefined) return { parent };
    return this.missing === undefined ? {} : { above: this.missing };
  }
}
