import type { PlainObject } from '@loom/blocks';
import type { ForeignNode } from '../foreign/foreign.ts';
import type { Conversation } from './conversation.ts';

/** What is known of a model's message whose lines come one by one. */
export interface Answer {
  readonly id: string;
  /** What the provider calls it: one call of a model, however often it was written. */
  readonly message: string | undefined;
  /** It stands elsewhere already, so that what it cost is counted there. */
  readonly isRepeated: boolean;
  readonly place: Pick<ForeignNode, 'parent' | 'above'>;
  model: string;
  startedAt: string | undefined;
  endedAt: string | undefined;
  usage: PlainObject | undefined;
  finish: string | undefined;
  details: PlainObject | undefined;
  /** How many of its blocks stand. */
  blocks: number;
  /** Marks of its blocks, by which one that a program wrote again is known. */
  readonly marks: Set<string>;
}

/**
 * A message with the results of its calls behind each other, as one place: whatever hangs below any line of it comes behind its end. Parallel
 * calls and their results make branches of lines in a transcript that are none of the conversation.
 */
export class Passage {
  readonly conversation: Conversation;
  readonly above: Passage | undefined;
  /** The line above the first message of its chain, which is not in the file. */
  readonly missing: string | undefined;
  /** The line with which its chain begins in the file. */
  readonly top: string;
  /** The nodes that stand, in order. */
  nodes: string[] = [];
  answer: Answer | undefined;
  /** What a person said, with the keys of its blocks. */
  said: { readonly mark: string; readonly keys: readonly string[] } | undefined;
  /** What people said right below it, by marks. */
  below = new Map<string, Passage>();
  /** The passage that it repeats under other ids: whatever hangs below it comes below that. */
  original: Passage | undefined;
  /** How many times the context had begun anew. */
  context: number;

  constructor(conversation: Conversation, top: string, above?: Passage, missing?: string) {
    this.conversation = conversation;
    this.top = top;
    this.above = above;
    this.missing = missing ?? above?.missing;
    this.context = above?.context ?? 0;
  }

  /** A place for lines that repeat this passage. */
  repeat(): Passage {
    const copy = new Passage(this.conversation, this.top, this.above, this.missing);
    copy.context = this.context;
    copy.becomeCopyOf(this);
    return copy;
  }

  /** It turned out to repeat another passage. */
  becomeCopyOf(other: Passage): void {
    this.nodes = other.nodes;
    this.answer = other.answer;
    this.said = other.said;
    this.below = other.below;
    this.original = other.original ?? other;
  }

  /** The node below which the next one comes; none at the beginning. */
  get end(): string | undefined {
    return this.nodes.at(-1) ?? this.above?.end;
  }

  /** Where the next node comes, as items say it. */
  get place(): Pick<ForeignNode, 'parent' | 'above'> {
    const parent = this.end;
    if (parent !== undefined) return { parent };
    return this.missing === undefined ? {} : { above: this.missing };
  }
}
