import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { NodeSeed } from '@loom/kernel/logs';

/**
 * An item that a reader finds in the history of another program, in the order of finding. An item that comes again with the same id is the same one,
 * grown: a reader need not hold anything back until it is complete.
 */
export type ForeignItem =
  | { readonly type: 'conversation'; readonly conversation: ForeignConversation }
  | { readonly type: 'node'; readonly node: ForeignNode }
  /** The other program retracted something it had written. */
  | { readonly type: 'retract'; readonly conversation: string; readonly keys: readonly string[] };

/** A conversation of another program. */
export interface ForeignConversation {
  /** Its name in its source, which never changes while it grows. */
  readonly id: string;
  /** Other names of the same conversation there: copies of it, and the tops of its other branches. */
  readonly aliases?: readonly string[];
  readonly title?: string;
  readonly systemPrompt?: string;
  /** The folder that it worked in. */
  readonly directory?: string;
  /** ISO 8601. */
  readonly created_at?: string;
  /** The call that started it, for the conversation of a sub-agent. */
  readonly parent?: { readonly conversation: string; readonly call: string };
  /** Other details worth keeping: the version of the program, the branch of the repository. */
  readonly details?: PlainObject;
  readonly tags?: readonly string[];
  /** Its config in Loom, if Loom exported it. */
  readonly config?: PlainObject;
}

/** A message of another program, at its place. */
export interface ForeignNode {
  readonly conversation: string;
  /** Its name in its source, which never changes while it grows. */
  readonly id: string;
  /** Another name of it, under which Loom may have sent it there. */
  readonly sent_as?: string;
  /** The message above it; none for the first one of a conversation. */
  readonly parent?: string;
  /** The predecessor, if it is not in the input: the key of a block, or a line that is not a message (`ends`). Another file may hold it. */
  readonly above?: string;
  readonly role: NodeSeed['role'];
  /** In their order. A block whose key came before is not read again: users' changes to it stay. */
  readonly blocks: readonly ForeignBlock[];
  readonly source: NodeSeed['source'];
  readonly tool_call_id?: string;
  readonly is_error?: boolean;
  /** The end of a call, for the node of its result. */
  readonly tool?: Extract<NodeSeed['tool'], 'result' | 'error' | 'denied' | 'interrupted'>;
  /** The time it was added, as ISO 8601, if it differs from both of the next two. */
  readonly time?: string;
  /** ISO 8601. */
  readonly started_at?: string;
  readonly ended_at?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** True if models no longer saw the messages above from here on. */
  readonly context_start?: boolean;
  /** Other details of the message worth keeping, for people and programs. */
  readonly details?: PlainObject;
  /** True if it was cut off from the message above and joins it without a seam. */
  readonly continues?: boolean;
  /** The keys of blocks that are hidden from models here and below; they may belong to messages above. */
  readonly excluded?: readonly string[];
  /** The name of a bookmark at it. */
  readonly bookmark?: string;
  /** True if the other program wrote it for its model alone, such as its instructions: Loom keeps none beside messages of its own. */
  readonly aside?: boolean;
}

/** A block with its name in its source, or a name made of its place there. Unique within its conversation. */
export interface ForeignBlock {
  readonly key: string;
  /** Without ids and status. Images and files may be data URLs, outputs of any length. */
  readonly block: MessageBlock;
}

/** Reads a history that comes in lines. It never throws, whatever they hold. */
export interface LineReader {
  /** One line without its break. */
  push(line: string): void;
  /** Returns all items found since the last call. An incomplete item may come again, grown. */
  take(): ForeignItem[];
  /** Reports that nothing follows the last line for now; more may follow all the same. */
  end(): void;
  /** Lines at the ends of conversations that are not messages, each with the message before it: another file may continue below them. */
  ends?(): readonly LineEnd[];
  readonly tally: Tally;
}

/** A line that is not a message, and the message before it. */
export interface LineEnd {
  readonly conversation: string;
  readonly node: string;
  readonly line: string;
}

/** The outcome of every line (of a document: of every record). `read` is the sum of the others. */
export interface TallyCounts {
  read: number;
  /** Understood. */
  used: number;
  /** Of an unknown kind, or with an unknown part: kept unchanged. */
  raw: number;
  /** Unreadable, and reported. */
  reported: number;
}

/** Counts lines and gathers remarks for people about a file. */
export class Tally {
  readonly counts: TallyCounts = { read: 0, used: 0, raw: 0, reported: 0 };
  /** The number of times each unknown kind came. */
  readonly unknown = new Map<string, number>();
  /** Sentences about repaired, missing and unreadable content; each once, with its count. */
  readonly remarks = new Map<string, number>();

  used(): void {
    this.counts.read += 1;
    this.counts.used += 1;
  }

  raw(kind: string): void {
    this.counts.read += 1;
    this.counts.raw += 1;
    count(this.unknown, kind);
  }

  /** Moves lines that were understood, but whose name was already taken by other content, to those that are kept unchanged. */
  keptBeside(lines: number): void {
    const moved = Math.min(lines, this.counts.used);
    this.counts.used -= moved;
    this.counts.raw += moved;
    if (moved > 0) this.unknown.set(otherWords, (this.unknown.get(otherWords) ?? 0) + moved);
  }

  reported(remark: string): void {
    this.counts.read += 1;
    this.counts.reported += 1;
    this.remark(remark);
  }

  /** Adds a remark that is not about a line. */
  remark(text: string): void {
    count(this.remarks, text);
  }
}

function count(counts: Map<string, number>, key: string): void {
  // Damaged or hostile files may bring a new one with every line.
  if (counts.has(key) || counts.size < mostKinds) counts.set(key, (counts.get(key) ?? 0) + 1);
  else counts.set(others, (counts.get(others) ?? 0) + 1);
}

const mostKinds = 200;
const others = 'others';
const otherWords = 'other words under a name that is taken';
