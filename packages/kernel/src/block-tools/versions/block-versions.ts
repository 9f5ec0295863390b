import { spliceText, withAppended, withText } from '@loom/blocks';
import type { BlockStatus, MessageBlock, TextSplice } from '@loom/blocks';
import type { FeedEvent } from '../../state/feed.ts';
import type { ChangeItem } from '../../log/log-shape.ts';
import { contentOf } from '../../forest/reading/block-place.ts';
import type { RootState } from '../../state/root-state.ts';

/** One version of a block: its author, its changes, and the splices that lead to its text from the one before. */
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
  /** The block as this version left it. Long histories do not keep it: each holds a whole text. */
  block: MessageBlock;
}

/** Follows one block through the changes of its log, and keeps nothing but the block as it is by now. */
export class BlockFollower {
  readonly #id: string;
  #block: MessageBlock | undefined;

  constructor(id: string) {
    this.#id = id;
  }

  /** The version that a change made of the block, if it made one. `state` is the one right after the change. */
  follow({ events, seq, time, agent, turn }: ChangeItem<FeedEvent>, state: RootState): BlockVersion | undefined {
    const known = this.#block;
    const steps = this.#steps(events, state);
    const [first, ...others] = steps;
    const { version = 1, status = 'done' } = this.#block ?? {};
    // A node that was altered is sent with all its blocks, most of which are as they were.
    if (first === undefined || version === known?.version) return undefined;
    const made: BlockVersion = { version, seq, time, agent, what: [first.what], status, ...changeOf(first) };
    if (turn !== undefined) made.turn = turn;
    for (const step of others) extend(made, step, known);
    return made;
  }

  /** Returns the step that each event naming the block made. The last one produced the block that the state holds. */
  #steps(events: readonly FeedEvent[], state: RootState): Step[] {
    const naming = events.filter((event) => names(event, this.#id));
    return naming.flatMap((event, index): Step[] => {
      const before = this.#block;
      const after = index === naming.length - 1 ? state.block(this.#id) : blockAfter(event, this.#id, before);
      this.#block = after ?? before;
      return after === undefined ? [] : [{ event, before, after, what: whatOf(event) }];
    });
  }
}

/** An event with the block before and after it. */
interface Step {
  event: FeedEvent;
  before: MessageBlock | undefined;
  after: MessageBlock;
  what: BlockVersion['what'][number];
}

/** Several ops of one change make one version. */
function extend(made: BlockVersion, step: Step, known: MessageBlock | undefined): void {
  const { before, after, what } = step;
  const { splices, block, update } = changeOf(step);
  made.block = block;
  if (what === 'replaced' && splices.length === 0 && after.status === before?.status) return;
  if (!made.what.includes(what)) made.what.push(what);
  if (update !== undefined) made.update = update;
  if (splices.length > 0) made.splices = made.splices.length === 0 ? splices : replaceAll(known, after);
}

function changeOf({ event, before, after: block }: Step): Pick<BlockVersion, 'splices' | 'block' | 'update'> {
  if (event.type === 'text-changed' || (event.type === 'text-appended' && event.field === 'text')) {
    const splices = event.type === 'text-changed' ? event.changes : [appended(before, event.text)];
    return event.update === undefined ? { splices, block } : { splices, block, update: event.update };
  }
  return { splices: event.type === 'status-changed' ? [] : replaceAll(before, block), block };
}

function names(event: FeedEvent, id: string): boolean {
  switch (event.type) {
    case 'node-added':
    case 'node-changed':
      return event.node.blocks.some(({ block_id }) => block_id === id);
    case 'block-added':
    case 'block-changed':
      return event.block.block_id === id;
    case 'text-appended':
    case 'text-changed':
    case 'status-changed':
      return event.block === id;
    default:
      return false;
  }
}

function whatOf({ type }: FeedEvent): Step['what'] {
  if (type === 'node-added' || type === 'block-added') return 'added';
  if (type === 'status-changed') return 'status';
  return type === 'text-appended' || type === 'text-changed' ? 'text' : 'replaced';
}

function blockAfter(event: FeedEvent, id: string, before: MessageBlock | undefined): MessageBlock | undefined {
  switch (event.type) {
    case 'node-added':
    case 'node-changed':
      return event.node.blocks.find(({ block_id }) => block_id === id);
    case 'block-added':
    case 'block-changed':
      return event.block;
    case 'text-appended':
      return before && withAppended(before, event.field, event.text);
    case 'text-changed':
      return before && withText(before, spliceText(contentOf(before), event.changes));
    case 'status-changed':
      return before && { ...before, status: event.status };
    default:
      return before;
  }
}

function appended(before: MessageBlock | undefined, insert: string): TextSplice {
  return { at: before === undefined ? 0 : contentOf(before).length, delete: 0, insert };
}

function replaceAll(before: MessageBlock | undefined, after: MessageBlock): TextSplice[] {
  const [old, insert] = [before === undefined ? '' : contentOf(before), contentOf(after)];
  return old === insert ? [] : [{ at: 0, delete: old.length, insert }];
}
