import { crc32 } from 'node:zlib';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignItem, LineEnd, LineReader } from '../foreign/foreign.ts';
import { readJsonLine } from '../foreign/json-line.ts';
import { Agents } from './agents.ts';
import type { AgentFacts } from './agents.ts';
import { Conversation } from './conversation.ts';
import { isList, objectIn, textIn, textsIn, timeOf } from '../foreign/fields.ts';
import { MessageTree } from './message-tree.ts';
import type { MessageLine } from './message-tree.ts';
import { Outbox } from '../foreign/outbox.ts';
import { Passage } from './passage.ts';
import { calledPrompt, messageLineOf, passedLines, queuedMessage, sideLines } from './transcript-lines.ts';

/** The facts that a file's path gives. Any may be missing. */
export interface TranscriptFacts {
  /** The session, which is the name of the file of a main conversation and of the folder of its sub-agents. */
  readonly session?: string;
  /** Set if the file is that of a sub-agent. */
  readonly agent?: AgentFacts;
}

/** Reads a transcript of Claude Code. */
export interface TranscriptReader extends LineReader {
  /** Reads one record of a transcript that is a JSON document. */
  pushRecord(record: unknown): void;
}

export function createTranscriptReader(facts: TranscriptFacts = {}, tally = new Tally()): TranscriptReader {
  return new Reader(facts, tally);
}

/** The place of a line, and its message. */
interface Entry {
  readonly passage: Passage;
  /** A hash of its message. */
  readonly mark: number;
  /** The least number of its blocks that are emitted. */
  readonly blocks: number;
}

class Reader implements TranscriptReader {
  readonly tally: Tally;
  readonly #facts: TranscriptFacts;
  readonly #outbox = new Outbox();
  readonly #tree: MessageTree;
  readonly #main: Conversation;
  readonly #agents: Agents;
  readonly #entries = new Map<string, Entry>();
  /** Titles of conversations, by the last line of each. */
  readonly #titles = new Map<string, string>();
  /** The last passage of each conversation in the file so far. */
  readonly #ends = new Map<Conversation, Passage>();
  /** The last line of the main conversation, if it is not a message. */
  #passed: string | undefined;
  readonly #noted = new Map<Conversation, number>();
  #unknown: string | undefined;
  #unnamed = 0;
  /** The number of unreadable lines before the last readable one. */
  #reported = 0;
  /** True once the user has said something, or if the first user message stands in another file. */
  #isOpened = false;

  constructor(facts: TranscriptFacts, tally: Tally) {
    this.tally = tally;
    this.#facts = facts;
    this.#main = new Conversation(this.#outbox);
    this.#tree = new MessageTree(this.#outbox, {
      unknown: (kind) => void (this.#unknown ??= `block ${kind}`),
      remark: (text) => this.tally.remark(text),
    });
    this.#agents = new Agents(this.#outbox, this.#tree, facts.agent);
  }

  push(line: string): void {
    const read = readJsonLine(line);
    switch (read.kind) {
      case 'objects':
        this.#unknown = undefined;
        if (read.isGlued) this.tally.remark('A line held several records without a break between them: each was read.');
        for (const object of read.objects) this.#take(object);
        return this.#count();
      case 'value':
        if (isList(read.value) && read.value.some(isPlainObject)) {
          for (const record of read.value) this.pushRecord(record);
          return;
        }
        return this.tally.reported('A line is JSON, but no record of a transcript.');
      case 'blank':
        return this.tally.used();
      case 'deep':
        return this.tally.reported('A line is nested too deep to be read.');
      case 'broken':
        return this.tally.reported(read.isCut ? 'A record is cut off.' : 'A line is not JSON.');
    }
  }

  pushRecord(record: unknown): void {
    this.#unknown = undefined;
    if (!isPlainObject(record)) return this.tally.reported('A line is JSON, but no record of a transcript.');
    this.#take(record);
    this.#count();
  }

  take(): ForeignItem[] {
    return this.#outbox.take();
  }

  end(): void {
    const waiting = [...this.#tree.openCalls()].length;
    if (waiting > 0)
      this.tally.remark(
        `${waiting === 1 ? 'A call has' : `${waiting} calls have`} no result: the session ended before it came.`,
      );
  }

  ends(): readonly LineEnd[] {
    const node = this.#ends.get(this.#main)?.end;
    if (this.#passed === undefined || node === undefined) return [];
    return [{ conversation: this.#main.id, node, line: this.#passed }];
  }

  #count(): void {
    if (this.#unknown === undefined) this.tally.used();
    else this.tally.raw(this.#unknown);
  }

  #take(line: PlainObject): void {
    const type = textIn(line.type) ?? '';
    switch (type) {
      case 'user':
      case 'assistant':
        return this.#takeMessage(line, type);
      case 'summary':
        return this.#takeSummary(line);
      case 'custom-title':
        return this.#setTitle(textIn(line.customTitle), 'given');
      case 'ai-title':
        return this.#setTitle(textIn(line.aiTitle), 'generated');
      default:
        // Lines of unknown kinds may stand in the chain as well.
        if (textIn(line.uuid) !== undefined) this.#pass(line, type);
        if (!passedLines.has(type) && !sideLines.has(type)) this.#unknown ??= type === '' ? 'without a type' : type;
    }
  }

  #setTitle(title: string | undefined, rank: 'given' | 'generated'): void {
    if (title !== undefined) (this.#agents.own ?? this.#main).setTitle(title, rank);
  }

  #takeSummary(line: PlainObject): void {
    const [title, leaf] = [textIn(line.summary), textIn(line.leafUuid)];
    if (title === undefined || leaf === undefined) return;
    const known = this.#entries.get(leaf);
    if (known !== undefined) known.passage.conversation.setTitle(title, 'summary');
    else this.#titles.set(leaf, title);
  }

  #takeMessage(line: PlainObject, type: 'user' | 'assistant'): void {
    if (line.message === undefined) this.#unknown ??= `${type} without a message`;
    const mark = markOf(line.message);
    const placed = this.#place(line, mark);
    if (placed === undefined) return;
    const { uuid, at } = placed;
    if (at.conversation === this.#main) this.#passed = undefined;
    const keep = (passage: Passage): void => this.#keep(uuid, { passage, mark, blocks: blocksOf(line.message) });
    // Such lines show only in the program's own view of the transcript; a summary carries the mark too, and the model continues from it.
    if (line.isVisibleInTranscriptOnly === true && line.isCompactSummary !== true) {
      if (at.conversation === this.#main) this.#passed = uuid;
      return keep(at);
    }
    this.#note(at.conversation, line);
    this.#retract(line.supersedesUuids);
    const message = messageLineOf(line, uuid);
    if (type === 'assistant') return keep(this.#tree.addAnswer(message, at));
    this.#agents.noteResult(line, at);
    if (!this.#isOpened && at.conversation === this.#main) this.#noteOpening(message);
    keep(this.#tree.addUser(message, at));
  }

  /** Titles the conversation with the first user message; for a command, with the text that was typed. */
  #noteOpening({ message, details }: MessageLine): void {
    if (details?.synthetic === true) return;
    this.#isOpened = true;
    const typed = calledPrompt(objectIn(message)?.content);
    if (typed !== undefined) this.#main.setTitle(typed.slice(0, longestOpening), 'opening');
  }

  #pass(line: PlainObject, type: string): void {
    const placed = this.#place(line, 0);
    if (placed === undefined) return;
    const { uuid, at } = placed;
    if (type === 'progress') this.#agents.noteProgress(line, at);
    this.#retract(line.retractedMessageUuids);
    if (at.conversation === this.#main) this.#passed = uuid;
    const queued = type === 'attachment' ? queuedMessage(line, uuid) : undefined;
    this.#keep(uuid, { passage: queued === undefined ? at : this.#tree.addUser(queued, at), mark: 0, blocks: 1 });
  }

  /** Returns the place and the name of a line; `undefined` if it is there already. */
  #place(line: PlainObject, mark: number): { uuid: string; at: Passage } | undefined {
    const given = textIn(line.uuid);
    let uuid = given ?? this.#nameLine(line);
    const known = this.#entries.get(uuid);
    if (known !== undefined) {
      if (known.mark === mark) {
        this.tally.remark('A line that came twice was read once.');
        const message = objectIn(line.message);
        this.#tree.finishAnswer(known.passage, objectIn(message?.usage), message?.stop_reason);
        return undefined;
      }
      this.tally.remark('Different lines have the same id: the later ones got another.');
      for (let count = 2; this.#entries.has(uuid); count += 1) uuid = `${given}~${count}`;
    }
    return { uuid, at: this.#placeOf(line, uuid) };
  }

  #placeOf(line: PlainObject, uuid: string): Passage {
    const parent = textIn(line.parentUuid) ?? textIn(line.logicalParentUuid);
    const conversation = this.#agents.conversationOf(line);
    const above = parent === undefined ? undefined : this.#entries.get(parent)?.passage;
    if (above !== undefined && (conversation === undefined || conversation === above.conversation)) return above;
    if (conversation === undefined && line.isSidechain === true) return this.#agents.beginInline(line, uuid);
    const own = conversation ?? this.#main;
    const lost = parent === undefined ? undefined : this.#lostLine(parent, own);
    if (lost !== undefined) return lost;
    if (parent !== undefined) {
      this.tally.remark(missingAbove);
      this.#isOpened = true;
    }
    // A sub-agent has one path, a compaction comes at the end of the active one, and a record without a parent continues where the one before it
    // ended.
    const isLoose = line.parentUuid === undefined && parent === undefined;
    const goesOn = isLoose || own !== this.#main || line.subtype === 'compact_boundary';
    const end = goesOn ? this.#ends.get(own) : undefined;
    return end ?? new Passage(own, uuid, undefined, parent);
  }

  /** A line right after an unreadable one whose parent is unknown means that unreadable line, which followed the one before. */
  #lostLine(parent: string, own: Conversation): Passage | undefined {
    const end = this.tally.counts.reported > this.#reported ? this.#ends.get(own) : undefined;
    if (end === undefined) return undefined;
    this.tally.remark('A line that cannot be read stood between two messages: the second comes behind the first.');
    this.#entries.set(parent, { passage: end, mark: 0, blocks: 0 });
    return end;
  }

  #keep(uuid: string, entry: Entry): void {
    this.#reported = this.tally.counts.reported;
    this.#entries.set(uuid, entry);
    this.#ends.set(entry.passage.conversation, entry.passage);
    const title = this.#titles.size === 0 ? undefined : this.#titles.get(uuid);
    if (title !== undefined) entry.passage.conversation.setTitle(title, 'summary');
  }

  /** Names a record without an id by its session and its number in it. */
  #nameLine(line: PlainObject): string {
    this.#unnamed += 1;
    return `${textIn(line.sessionId) ?? this.#facts.session ?? 'session'}:${this.#unnamed}`;
  }

  #note(conversation: Conversation, line: PlainObject): void {
    const session = textIn(line.sessionId);
    if (session !== undefined && conversation === this.#main) conversation.addName(session);
    // Lines repeat these facts: after the first few of a conversation nothing is new.
    const count = this.#noted.get(conversation) ?? 0;
    if (count >= mostNoted) return;
    this.#noted.set(conversation, count + 1);
    const details = { version: textIn(line.version), git_branch: textIn(line.gitBranch) };
    conversation.note({ directory: textIn(line.cwd), createdAt: timeOf(line.timestamp), details });
  }

  #retract(uuids: unknown): void {
    for (const uuid of textsIn(uuids)) {
      const entry = this.#entries.get(uuid);
      if (entry === undefined || entry.blocks === 0) continue;
      this.#tree.retract(entry.passage, uuid, entry.blocks);
      this.#entries.set(uuid, { ...entry, blocks: 0 });
    }
  }
}

const missingAbove =
  'A message names one above it that is not in the file: it begins the conversation anew, unless that was imported from another file.';

/** Lists show the beginning of a title. */
const longestOpening = 200;

/** The number of a conversation's lines that are searched for its folder and its version. */
const mostNoted = 20;

/** Returns a hash of a message's text, which tells lines with the same id apart. */
function markOf(message: unknown, before = 0): number {
  if (typeof message === 'string') return crc32(message, before);
  if (isList(message)) return message.reduce<number>((mark, part) => markOf(part, mark), before);
  const object = objectIn(message);
  if (object === undefined) return before;
  return [object.content, object.text, object.thinking, object.id].reduce<number>(
    (mark, part) => markOf(part, mark),
    before,
  );
}

function blocksOf(message: unknown): number {
  const content = objectIn(message)?.content;
  return isList(content) ? Math.max(1, content.length) : 1;
}
