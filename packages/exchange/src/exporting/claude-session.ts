import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { isOfProgram } from '@loom/kernel';
import type { NodeState } from '@loom/kernel';
import { anthropicBlock, anthropicResult, fileAsText, isAnthropicBlock } from './anthropic-content.ts';
import type { AnthropicScope } from './anthropic-content.ts';
import { CallNames, isSaidAsItIs } from './call-names.ts';
import { derivedHex, derivedUuid } from './derived-id.ts';
import type { ExportedOrigin, NativeOptions, NativeSession } from './native-session.ts';
import { ExportNotes } from './note.ts';
import { exportedPath, timeOf } from './source.ts';
import type { ExportSource } from './source.ts';
import { spokenPath, withoutOpenCalls } from './spoken-path.ts';
import type { SpokenBlock, SpokenMessage } from './spoken-path.ts';

/** The source in origins of Claude Code's messages. */
const claudeCode = 'claude-code';

/** The version of Claude Code whose transcripts these resemble. */
const version = '2.1.325';

/**
 * Returns a branch as a transcript of Claude Code, which `claude --resume` continues. Messages that came from there keep their uuids; those of others
 * are derived from Loom's ids, so that exporting twice gives the same file.
 */
export function claudeSession(source: ExportSource, node: string, options: NativeOptions): NativeSession {
  const id = derivedUuid('claude-code', source.root.id, node);
  const notes = new ExportNotes();
  const named = withoutOpenCalls(spokenPath(exportedPath(source, node)), notes).flatMap((message) => {
    const blocks = message.blocks.filter(({ block }) => isAnthropicBlock(block, { notes }));
    if (blocks.length === 0 && message.node.role !== 'tool') return [];
    return [nameLines({ ...message, blocks }, source.root.id, options)];
  });
  const prompt = source.root.config.systemPrompt;
  if (prompt !== undefined && prompt !== '') {
    notes.add('prompt-apart', 'Transcripts have no place for a system prompt: give it with --append-system-prompt.');
  }
  return {
    id,
    path: `projects/${projectFolder(options.directory)}/${id}.jsonl`,
    command: ['claude', '--resume', id],
    origins: named.map(originOf),
    notes: () => notes.list,
    async *lines() {
      const scope = { source, calls: new CallNames(), notes };
      const writer = new TranscriptWriter(scope, id, options.directory);
      for (const message of named) {
        for await (const line of writer.write(message)) yield `${JSON.stringify(line)}\n`;
      }
      for (const line of writer.end()) yield `${JSON.stringify(line)}\n`;
    },
  };
}

/** The folder of a project: its path, with a dash for everything but letters and digits. */
function projectFolder(directory: string): string {
  return directory.replaceAll(/[^A-Za-z0-9]/g, '-');
}

/** A message and the lines it becomes: the blocks and the name of each. */
interface NamedMessage {
  readonly message: SpokenMessage;
  readonly lines: readonly NamedLine[];
}

interface NamedLine {
  readonly uuid: string;
  readonly blocks: readonly (SpokenBlock & { readonly key: string })[];
}

/**
 * Returns the lines of a message: one for each block of a model's answer, one for any other message. A block that came in a line with others goes
 * back there. A line keeps its name while its blocks keep their places in it: blocks are named by their numbers there, so a line that misses a block
 * is a different line.
 */
function nameLines(message: SpokenMessage, root: string, { keyOf }: NativeOptions): NamedMessage {
  const { node } = message;
  const own = node.origin?.source === claudeCode && isUuid(node.origin.id) ? node.origin.id : undefined;
  const lines: { known: string | undefined; blocks: SpokenBlock[] }[] = [];
  for (const [index, spoken] of message.blocks.entries()) {
    const key = keyOf?.(spoken.of);
    const known = (key === undefined ? undefined : lineOfKey(key)) ?? (index === 0 ? own : undefined);
    const last = lines.at(-1);
    const joins = last !== undefined && (node.role !== 'assistant' || (known !== undefined && known === last.known));
    if (joins) last.blocks.push(spoken);
    else lines.push({ known, blocks: [spoken] });
  }
  // A result without any content is a line as well.
  if (lines.length === 0) lines.push({ known: own, blocks: [] });
  const taken = new Map(node.blocks.flatMap((block) => [[keyOf?.(block), block.block_id] as const]));
  let count = 0;
  const named = lines.map(({ known, blocks }) => {
    const isInPlace = ({ block, of }: SpokenBlock, index: number): boolean => {
      const key = keyInLine(known ?? '', index);
      if (!isSaidAsItIs(block)) return false;
      return (keyOf?.(of) ?? key) === key && (!taken.has(key) || taken.get(key) === of.block_id);
    };
    const uuid = known !== undefined && blocks.every(isInPlace) ? known : derivedUuid(root, node.id, count);
    count += blocks.length;
    return { uuid, blocks: blocks.map((block, index) => ({ ...block, key: keyInLine(uuid, index) })) };
  });
  return { message, lines: named };
}

function keyInLine(uuid: string, index: number): string {
  return index === 0 ? uuid : `${uuid}#${index}`;
}

/**
 * A message that came after others in its line is named by its number there, and a line without an id by its session: neither is the name of a line.
 */
function isUuid(name: string): boolean {
  return lineOfKey(name) === name;
}

function lineOfKey(key: string): string | undefined {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(key)?.[0];
}

function originOf({ message: { node }, lines }: NamedMessage): ExportedOrigin {
  return {
    node: node.id,
    origin: { source: claudeCode, id: lines[0]?.uuid ?? '' },
    keys: lines.flatMap(({ uuid, blocks }) =>
      blocks.length === 0
        ? [{ key: uuid }]
        : blocks.map(({ of, key }) => (of.block_id === undefined ? { key } : { block: of.block_id, key })),
    ),
  };
}

class TranscriptWriter {
  readonly #scope: AnthropicScope;
  readonly #session: string;
  readonly #directory: string;
  /** The line above the next one. */
  #parent: string | null = null;
  #prompt = '';
  /** The lines with calls, by the ids of the calls there. */
  readonly #callers = new Map<string, string>();

  constructor(scope: AnthropicScope, session: string, directory: string) {
    this.#scope = scope;
    this.#session = session;
    this.#directory = directory;
  }

  async *write(named: NamedMessage): AsyncGenerator<PlainObject> {
    const { message } = named;
    if (message.isContextStart) yield this.#boundary(message.node);
    switch (message.node.role) {
      case 'user':
        yield* this.#writeUser(named);
        break;
      case 'assistant':
        yield* this.#writeAssistant(named);
        break;
      case 'tool':
        yield* this.#writeResult(named);
        break;
    }
  }

  /** Returns the lines that Claude Code adds after a conversation for its own use: its name, and the line to continue from. */
  end(): PlainObject[] {
    const { title } = this.#scope.source.root;
    const lines: PlainObject[] = [];
    if (title !== undefined) lines.push({ type: 'custom-title', customTitle: title, sessionId: this.#session });
    if (this.#parent !== null) {
      lines.push({
        type: 'last-prompt',
        lastPrompt: this.#prompt.slice(0, 200),
        leafUuid: this.#parent,
        sessionId: this.#session,
      });
    }
    return lines;
  }

  async *#writeUser({ message: { node, isContextStart }, lines }: NamedMessage): AsyncGenerator<PlainObject> {
    for (const { uuid, blocks } of lines) {
      const content: PlainObject[] = [];
      for (const { block } of blocks) content.push(await anthropicBlock(block, this.#scope));
      const [only, second] = content;
      if (only === undefined) continue;
      const isText = second === undefined && only['type'] === 'text';
      const isMeta = isOfProgram(node) && !isContextStart;
      if (typeof only['text'] === 'string' && !isContextStart && !isMeta) this.#prompt = only['text'];
      yield this.#line(uuid, node, {
        promptId: derivedUuid('prompt', uuid),
        type: 'user',
        message: { role: 'user', content: isText ? only['text'] : content },
        ...(isMeta ? { isMeta } : {}),
        ...(isContextStart ? { isCompactSummary: true, isVisibleInTranscriptOnly: true } : {}),
      });
    }
  }

  async *#writeAssistant({ message: { node }, lines }: NamedMessage): AsyncGenerator<PlainObject> {
    const calls = lines.some(({ blocks }) => blocks.some(({ block }) => block.type === 'tool-use'));
    const { model_name: model } = node.source.type === 'model' ? node.source : { model_name: 'unknown' };
    for (const [index, { uuid, blocks }] of lines.entries()) {
      const content: PlainObject[] = [];
      for (const { block } of blocks) {
        if (block.type === 'image') {
          content.push(fileAsText(block));
          this.#scope.notes.add(
            'pictures-apart',
            'A picture that a model made is named, not shown: Claude takes some from people only.',
          );
        } else content.push(await anthropicBlock(block, this.#scope));
        if (block.type === 'tool-use') this.#callers.set(block.id, uuid);
      }
      yield this.#line(uuid, node, {
        type: 'assistant',
        apiBlockIndex: index,
        message: {
          model,
          id: `msg_${derivedHex(this.#scope.source.root.id, node.id).slice(0, 24)}`,
          type: 'message',
          role: 'assistant',
          content,
          stop_reason: calls ? 'tool_use' : 'end_turn',
          stop_sequence: null,
          usage: usageOf(node),
        },
      });
    }
  }

  async *#writeResult({ message, lines }: NamedMessage): AsyncGenerator<PlainObject> {
    const { node } = message;
    const [line] = lines;
    if (line === undefined) return;
    const caller = this.#callers.get(node.tool_call_id ?? '');
    const report = await reportOf(node, this.#scope.source);
    yield this.#line(line.uuid, node, {
      type: 'user',
      message: { role: 'user', content: [await anthropicResult(message, this.#scope)] },
      ...(report === undefined ? {} : { toolUseResult: report }),
      ...(caller === undefined ? {} : { sourceToolAssistantUUID: caller }),
    });
  }

  /** Returns the line from which Claude Code is to read: it passes over everything above. */
  #boundary(node: NodeState): PlainObject {
    const above = this.#parent;
    this.#parent = null;
    return this.#line(derivedUuid('boundary', this.#scope.source.root.id, node.id), node, {
      logicalParentUuid: above,
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      isMeta: false,
      level: 'info',
      compactMetadata: { trigger: 'manual', preTokens: 0 },
    });
  }

  #line(uuid: string, node: NodeState, fields: PlainObject): PlainObject {
    const line = {
      parentUuid: this.#parent,
      isSidechain: false,
      ...fields,
      uuid,
      timestamp: timeOf(node),
      userType: 'external',
      entrypoint: 'cli',
      cwd: this.#directory,
      sessionId: this.#session,
      version,
    };
    this.#parent = uuid;
    return line;
  }
}

/** Returns the report of Claude Code's tool, unchanged: its screen reads it in the tool's own shape. */
async function reportOf({ blocks }: NodeState, source: ExportSource): Promise<unknown> {
  const own = blocks[0]?.provider?.[claudeCode];
  if (!isPlainObject(own)) return undefined;
  // A long report is a blob.
  const bytes = typeof own['blob'] === 'string' ? await source.blob(own['blob']) : undefined;
  const kept: unknown = bytes === undefined ? own : JSON.parse(Buffer.from(bytes).toString());
  return isPlainObject(kept) ? kept['tool_use_result'] : undefined;
}

/** Returns the usage of the call, in Anthropic's terms; zeros if it is unknown, because Claude Code adds these up. */
function usageOf({ source }: NodeState): PlainObject {
  const { usage } = source.type === 'model' ? source : {};
  const cached = usage?.cached_input_tokens ?? 0;
  const written = usage?.cache_write_tokens ?? 0;
  return {
    input_tokens: Math.max(0, (usage?.input_tokens ?? 0) - cached - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: usage?.output_tokens ?? 0,
  };
}
