import { blocksShownToModel, renderBlockAsText } from '@loom/blocks';
import type { MessageBlock, ModelBlock } from '@loom/blocks';
import { messageOf, visibleBlocks } from '@loom/kernel';
import type { NodeState } from '@loom/kernel';
import type { ExportNotes } from './note.ts';

/** A message in the form that a model is shown. */
export interface SpokenMessage {
  readonly node: NodeState;
  readonly blocks: readonly SpokenBlock[];
  /** True if models were not shown the messages above it. */
  readonly isContextStart: boolean;
}

/** A block that a model is shown. */
export interface SpokenBlock {
  readonly block: ModelBlock;
  /** Its origin: itself, or the structured view whose text it is. */
  readonly of: MessageBlock;
}

/**
 * Returns the messages that models were shown on a path: without excluded blocks, results right after the message with their call, one for each.
 * Results without a call are left out. Messages above a context start are included, as they were then.
 */
export function spokenPath(path: readonly NodeState[]): SpokenMessage[] {
  const spoken: SpokenMessage[] = [];
  for (const section of sections(path)) {
    const messages = pair(section);
    for (const [index, message] of messages.entries()) {
      spoken.push({ ...message, isContextStart: index === 0 && spoken.length > 0 });
    }
  }
  return spoken;
}

/** Returns the messages that models are shown at the end of a path. */
export function spokenContext(path: readonly NodeState[]): SpokenMessage[] {
  const spoken = spokenPath(path);
  return spoken.slice(
    Math.max(
      0,
      spoken.findLastIndex(({ isContextStart }) => isContextStart),
    ),
  );
}

/** Returns the ids of a message's calls that have no result after it. */
export function openCalls(messages: readonly SpokenMessage[], index: number): string[] {
  const open = new Set(
    messages[index]?.blocks.flatMap(({ block }) => (block.type === 'tool-use' ? [block.id] : [])) ?? [],
  );
  for (let at = index + 1; messages[at]?.node.role === 'tool'; at += 1)
    open.delete(messages[at]?.node.tool_call_id ?? '');
  return [...open];
}

/** Removes calls without a result: a session with one cannot continue, or continues with a result that exists nowhere else. */
export function withoutOpenCalls(messages: readonly SpokenMessage[], notes: ExportNotes): SpokenMessage[] {
  return messages.flatMap((message, index) => {
    const open = openCalls(messages, index);
    if (open.length === 0) return [message];
    notes.add('call-unanswered', 'A call that never had a result is left out: models refuse a conversation with one.');
    const blocks = message.blocks.filter(({ block }) => block.type !== 'tool-use' || !open.includes(block.id));
    return blocks.length === 0 ? [] : [{ ...message, blocks }];
  });
}

type Part = Omit<SpokenMessage, 'isContextStart'>;

/** Cuts the path at each context start; each part is as visible at its end. */
function sections(path: readonly NodeState[]): Part[][] {
  const starts = path.flatMap((node, index) => (index > 0 && node.context_start === true ? [index] : []));
  return [...starts, path.length].map((end) => visibleBlocks(path.slice(0, end)).flatMap(speak));
}

function speak({ node, blocks }: { node: NodeState; blocks: readonly MessageBlock[] }): Part[] {
  // A pending result does not count.
  if (node.tool === 'waiting' || node.tool === 'running') return [];
  const message = messageOf(node, blocks);
  if (message === undefined) return [];
  const shown = blocksShownToModel(message);
  const own = new Set<unknown>(message.content);
  const spoken: SpokenBlock[] = [];
  for (const of of message.content) {
    const block = shown[spoken.length];
    if (block === undefined) break;
    const isText = block.type === 'text' && !own.has(block) && isView(of) && block.text === renderBlockAsText(of);
    if (block === of || isText) spoken.push({ block, of });
  }
  return spoken.length === 0 && node.role !== 'tool' ? [] : [{ node, blocks: spoken }];
}

function isView({ type }: MessageBlock): boolean {
  return type === 'code' || type === 'command' || type === 'file-change' || type === 'todo';
}

/** Puts results after the messages that asked for them. A tool's output in several messages is one result: models take one for each call. */
function pair(messages: readonly Part[]): Part[] {
  const callers = new Map<string, { message: Part; results: Map<string, Part> }>();
  const paired = messages.flatMap((message) => {
    if (message.node.role === 'tool') {
      const call = message.node.tool_call_id ?? '';
      const results = callers.get(call)?.results;
      const first = results?.get(call);
      results?.set(call, first === undefined ? message : { ...first, blocks: [...first.blocks, ...message.blocks] });
      return [];
    }
    const caller = { message, results: new Map<string, Part>() };
    for (const { block } of message.blocks) if (block.type === 'tool-use') callers.set(block.id, caller);
    return [caller];
  });
  return paired.flatMap(({ message, results }) => [message, ...results.values()]);
}
