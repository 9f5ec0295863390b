import { interruptedText } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import { answerNode, keyedBlocks, timesAt, withReport } from '../foreign/answer.ts';
import type { AnsweredCall } from '../foreign/answer.ts';
import { knownFields, objectAt, textAt, timeOf } from '../foreign/fields.ts';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignConversation, ForeignItem, ForeignNode, LineReader } from '../foreign/foreign.ts';
import { firstObjects, readCountedLine } from '../foreign/line-reading.ts';
import { Outbox } from '../foreign/outbox.ts';
import { readGiven, readSpoken, sourceOf } from './pi-content.ts';

/** Returns true if a file is a session of pi, by its first line. */
export function recognizesPi(_name: string, beginning: string): boolean {
  const [first] = firstObjects(beginning);
  return first?.type === 'session' && textAt(first, 'id') !== undefined && textAt(first, 'cwd') !== undefined;
}

/** Reads a session of pi: a tree of entries, or in its first version a list. */
export function createPiReader(): LineReader {
  return new PiReader();
}

/** The fields of a node beside its place and its blocks. */
type Said = Pick<ForeignNode, 'role' | 'source'> & Partial<Pick<ForeignNode, 'details' | 'context_start'>>;

interface Entry {
  readonly id: string;
  readonly parent: string | undefined;
  readonly time: string | undefined;
}

class PiReader implements LineReader {
  readonly tally = new Tally();
  readonly #outbox = new Outbox();
  /** The node at the place of each entry: entries without content share the node of their parent. */
  readonly #nodeOf = new Map<string, string | undefined>();
  readonly #calls = new Map<string, AnsweredCall>();
  #conversation: ForeignConversation | undefined;
  #last: string | undefined;
  #line = 0;

  push(line: string): void {
    this.#line += 1;
    readCountedLine(line, this.tally, (object) => this.#read(object));
  }

  take(): ForeignItem[] {
    return this.#outbox.take();
  }

  end(): void {
    // Lines do not depend on each other, so nothing is held back.
  }

  #read(line: PlainObject): string | undefined {
    const type = textAt(line, 'type') ?? '';
    if (type === 'session') {
      this.#meet(line);
      return undefined;
    }
    const entry = this.#entry(line);
    switch (type) {
      case 'message':
        return this.#message(objectAt(line, 'message') ?? {}, entry);
      case 'compaction':
        this.#note(
          textAt(line, 'summary') ?? '',
          entry,
          { compaction: textAt(line, 'firstKeptEntryId') ?? true },
          true,
        );
        return undefined;
      case 'branch_summary':
        this.#note(textAt(line, 'summary') ?? '', entry, { branch: textAt(line, 'fromId') ?? true }, false);
        return undefined;
      case 'custom_message': {
        const { blocks, unknown } = readGiven(line.content);
        this.#say(entry, blocks, synthetic(knownFields({ custom: textAt(line, 'customType') })));
        return unknown;
      }
      case 'session_info':
        this.#pass(entry);
        this.#describe({ title: textAt(line, 'name') ?? '' });
        return undefined;
      case 'model_change':
      case 'thinking_level_change':
      case 'label':
      case 'custom':
        this.#pass(entry);
        return undefined;
      default:
        this.#pass(entry);
        return type === '' ? 'line without a type' : type;
    }
  }

  /** Reads the first line, which names the session and, for a copy, the original session. Later ones are ignored. */
  #meet(line: PlainObject): void {
    if (this.#conversation !== undefined) return;
    const [directory, created] = [textAt(line, 'cwd'), timeOf(line.timestamp)];
    const details = knownFields({ version: line.version, parent_session: textAt(line, 'parentSession') });
    this.#conversation = {
      id: textAt(line, 'id') ?? `line-${this.#line}`,
      ...(directory === undefined ? {} : { directory }),
      ...(created === undefined ? {} : { created_at: created }),
      ...(details === undefined ? {} : { details }),
    };
    this.#outbox.conversation(this.#conversation);
  }

  #describe(told: Partial<ForeignConversation>): void {
    if (told.title === '') return;
    this.#conversation = { ...this.#opened(), ...told };
    this.#outbox.conversation(this.#conversation);
  }

  #opened(): ForeignConversation {
    if (this.#conversation === undefined) this.#meet({});
    return this.#conversation ?? { id: 'unknown' };
  }

  /** Entries of the first version have no ids: each stands below the one before. */
  #entry(line: PlainObject): Entry {
    const id = textAt(line, 'id');
    const time = timeOf(line.timestamp);
    const name = id === undefined || this.#nodeOf.has(id) ? `${this.#opened().id}#${this.#line}` : id;
    const parent = id === undefined ? this.#last : (textAt(line, 'parentId') ?? undefined);
    // A parent that never came would cut the conversation in two.
    const known = parent === undefined || this.#nodeOf.has(parent) ? parent : this.#last;
    if (known !== parent)
      this.tally.remark('An entry names a parent that is not there; it was put behind the one before.');
    this.#last = name;
    return { id: name, parent: known, time };
  }

  #message(message: PlainObject, entry: Entry): string | undefined {
    const role = textAt(message, 'role') ?? '';
    switch (role) {
      case 'user': {
        const { blocks, unknown } = readGiven(message.content);
        this.#say(entry, blocks, { role: 'user', source: { type: 'user' } });
        return unknown;
      }
      case 'assistant':
        return this.#answer(message, entry);
      case 'toolResult':
        return this.#result(message, entry);
      case 'bashExecution':
        this.#command(message, entry);
        return undefined;
      case 'custom':
      case 'hookMessage': {
        const { blocks, unknown } = readGiven(message.content);
        this.#say(entry, blocks, synthetic(knownFields({ custom: textAt(message, 'customType') })));
        return unknown;
      }
      case 'compactionSummary':
      case 'branchSummary':
        this.#note(textAt(message, 'summary') ?? '', entry, {}, role === 'compactionSummary');
        return undefined;
      default:
        this.#say(entry, [{ type: 'raw', source: 'pi', value: message }], synthetic({}));
        return `message/${role}`;
    }
  }

  #answer(message: PlainObject, entry: Entry): string | undefined {
    const source = sourceOf(message);
    const { blocks, unknown } = readSpoken(message.content, source.provider);
    const error = textAt(message, 'errorMessage');
    const reason = textAt(message, 'stopReason');
    const isCut = reason === 'aborted' || reason === 'error';
    if (error !== undefined) blocks.push({ type: 'error', code: reason ?? 'error', message: error });
    this.#say(entry, blocks, { role: 'assistant', source });
    for (const block of blocks) {
      if (block.type !== 'tool-use') continue;
      const call = { id: block.id, name: block.name, parameters: block.parameters };
      if (isCut) this.#giveUp(call, entry);
      else this.#calls.set(block.id, call);
    }
    return unknown;
  }

  /** Closes a call of an answer that broke off: pi does not run it. */
  #giveUp(call: AnsweredCall, entry: Entry): void {
    const id = `${entry.id}/${call.id}`;
    const node = answerNode(this.#place({ ...entry, id }, this.#nodeOf.get(entry.id)), call, {
      blocks: [{ type: 'text', text: interruptedText }],
      text: undefined,
      native: undefined,
      state: 'interrupted',
    });
    this.#outbox.node(node);
    this.#nodeOf.set(entry.id, id);
  }

  #result(message: PlainObject, entry: Entry): string | undefined {
    const callId = textAt(message, 'toolCallId') ?? entry.id;
    const known = this.#calls.get(callId);
    const call = known ?? { id: callId, name: textAt(message, 'toolName') ?? 'unknown', parameters: {} };
    this.#calls.delete(callId);
    const { blocks, unknown } = readGiven(message.content);
    const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    const { content: _content, ...report } = message;
    const node = answerNode(this.#place(entry), call, {
      blocks: withReport(blocks, 'pi', report),
      text: texts.length === 0 ? undefined : texts.join('\n'),
      native: message,
      state: message.isError === true ? 'error' : 'result',
    });
    this.#outbox.node(node);
    this.#nodeOf.set(entry.id, node.id);
    return unknown;
  }

  /** Reads a command that the user ran, which the model is shown unless it was hidden. */
  #command(message: PlainObject, entry: Entry): void {
    const [command, output] = [textAt(message, 'command') ?? '', textAt(message, 'output') ?? ''];
    const text = `Ran \`${command}\`\n\`\`\`\n${output}\n\`\`\``;
    const { output: _output, role: _role, ...details } = message;
    const block = { type: 'text', text, ...(message.excludeFromContext === true ? { ephemeral: true } : {}) } as const;
    this.#say(entry, [block], synthetic(details));
  }

  #note(text: string, entry: Entry, details: PlainObject, isStart: boolean): void {
    const said = synthetic(details);
    this.#say(entry, text === '' ? [] : [{ type: 'text', text }], isStart ? { ...said, context_start: true } : said);
  }

  #say(entry: Entry, blocks: readonly MessageBlock[], said: Said): void {
    if (blocks.length === 0) return this.#pass(entry);
    this.#outbox.node({ ...this.#place(entry), ...said, blocks: keyedBlocks(entry.id, blocks) });
    this.#nodeOf.set(entry.id, entry.id);
  }

  /** An entry without content stands for its parent. */
  #pass({ id, parent }: Entry): void {
    this.#nodeOf.set(id, parent === undefined ? undefined : this.#nodeOf.get(parent));
  }

  #place(
    { id, parent, time }: Entry,
    above = parent === undefined ? undefined : this.#nodeOf.get(parent),
  ): Pick<ForeignNode, 'conversation' | 'id' | 'parent' | 'started_at' | 'ended_at'> {
    return { conversation: this.#opened().id, id, ...(above === undefined ? {} : { parent: above }), ...timesAt(time) };
  }
}

/** Returns the fields of a message that the program wrote in the user's place. */
function synthetic(details: PlainObject = {}): Said {
  return { role: 'user', source: { type: 'user' }, details: { ...details, synthetic: true } };
}
