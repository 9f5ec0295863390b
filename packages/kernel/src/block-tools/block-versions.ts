import { editableText, renderBlockAsText, spliceText, withAppended, withText } from '@loom/blocks';
import type { BlockStatus, MessageBlock, TextSplice } from '@loom/blocks';
import type { FeedEvent } from '../feed.ts';
import type { FeedItem } from '../log.ts';

/** One version of a block: who made it, what it changed, and how to come to its text from the one before. */
export interface BlockVersion {
  version: number;
  seq: number;
  time: number;
  agent: string;
  turn?: string;
  what: ('added' | 'text' | 'status' | 'replaced')[];
  status: BlockStatus;
  /** The text is that of the version before, changed so; a whole other text is one splice. */
  splices: TextSplice[];
  /** For clients that edit along: the update of this version. */
  update?: string;
}

/** The versions of one block, as a feed tells them, each with the text that it left. */
export function versionsOf(items: readonly FeedItem<FeedEvent>[], id: string): (BlockVersion & { text: string })[] {
  const versions: (BlockVersion & { text: string })[] = [];
  let block: MessageBlock | undefined;
  for (const item of items) {
    if (item.type !== 'change') continue;
    for (const event of item.events) {
      const step = stepOf(event, id, block);
      if (step === undefined) continue;
      block = step.block;
      const last = versions.at(-1);
      // Several ops of one change make one version.
      if (last?.version === step.version) extend(last, step, versions.at(-2)?.text ?? '');
      else versions.push({ ...begin(step, item), status: block.status ?? 'done', text: contentOf(block) });
    }
  }
  return versions;
}

function begin(
  { what, version, splices, update }: Step,
  { seq, time, agent, turn }: Extract<FeedItem<FeedEvent>, { type: 'change' }>,
): Omit<BlockVersion, 'status'> {
  return {
    version,
    seq,
    time,
    agent,
    what: [what],
    splices,
    ...(turn === undefined ? {} : { turn }),
    ...(update === undefined ? {} : { update }),
  };
}

function extend(last: BlockVersion & { text: string }, { block, what, splices, update }: Step, before: string): void {
  const text = contentOf(block);
  // A node that was altered is told with all its blocks, most of which are as they were.
  if (what === 'replaced' && text === last.text && block.status === last.status) return;
  if (!last.what.includes(what)) last.what.push(what);
  last.status = block.status ?? 'done';
  if (update !== undefined) last.update = update;
  if (splices.length > 0) last.splices = last.splices.length === 0 ? splices : replaceAll(before, text);
  last.text = text;
}

/** What can be read of a block: its text, or what it looks like as text. */
export function contentOf(block: MessageBlock): string {
  return editableText(block) ?? renderBlockAsText(block);
}

/** What an event made of a block. */
interface Step {
  version: number;
  block: MessageBlock;
  what: BlockVersion['what'][number];
  splices: TextSplice[];
  update?: string;
}

function stepOf(event: FeedEvent, id: string, before: MessageBlock | undefined): Step | undefined {
  switch (event.type) {
    case 'node-added':
    case 'node-changed': {
      const block = event.node.blocks.find(({ block_id }) => block_id === id);
      return block && snapshotStep(block, before, event.type === 'node-added' ? 'added' : 'replaced');
    }
    case 'block-added':
      return event.block.block_id === id ? snapshotStep(event.block, before, 'added') : undefined;
    case 'block-changed':
      return event.block.block_id === id ? snapshotStep(event.block, before, 'replaced') : undefined;
    case 'text-appended': {
      const { version, field, text, update } = event;
      if (event.block !== id || before === undefined) return undefined;
      const grown = withAppended(before, field, text);
      const status = before.status === 'pending' ? 'running' : before.status;
      const block = status === undefined ? grown : { ...grown, status };
      const splices =
        field === 'text'
          ? [{ at: contentOf(before).length, delete: 0, insert: text }]
          : replaceAll(contentOf(before), contentOf(block));
      return { version, block, what: 'text', splices, ...(update === undefined ? {} : { update }) };
    }
    case 'text-changed': {
      if (event.block !== id || before === undefined) return undefined;
      const { version, changes, update } = event;
      const block = withText(before, spliceText(contentOf(before), changes));
      return { version, block, what: 'text', splices: changes, ...(update === undefined ? {} : { update }) };
    }
    case 'status-changed': {
      if (event.block !== id || before === undefined) return undefined;
      return {
        version: event.version,
        block: { ...before, status: event.status },
        what: 'status',
        splices: [],
      };
    }
    default:
      return undefined;
  }
}

function snapshotStep(block: MessageBlock, before: MessageBlock | undefined, what: Step['what']): Step {
  const splices = replaceAll(before === undefined ? '' : contentOf(before), contentOf(block));
  return { version: block.version ?? 1, block, what, splices };
}

function replaceAll(before: string, after: string): TextSplice[] {
  return before === after ? [] : [{ at: 0, delete: before.length, insert: after }];
}
