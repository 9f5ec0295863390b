import { programNoticeKind, stableDeepEqual } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState, Notice, RootState } from '@loom/kernel';
import type { Decision, NodeFields, NodeSeed, RootOp } from '@loom/kernel/logs';
import type { ForeignBlock, ForeignNode } from '../../foreign/foreign.ts';
import { exportedAs, nameNode } from '@loom/kernel/logs';
import { importNote, joinNote, keysOf, missingAbove, withGrown } from '../import-note.ts';
import { nameHeard, passOver } from './heard-live.ts';
import { placeOfNew } from './new-place.ts';
import { completedBlocks } from './cut-words.ts';
import { grownBlocks, keysWithOtherWords } from './other-words.ts';
import type { OtherKeys, Purges } from './other-words.ts';
import { isWithoutCall } from './late-views.ts';
import { NodeNames } from './node-names.ts';
import { loomSource } from '../origins.ts';
import { noteOfAttached } from './windows.ts';

/** A message ready to be put into a root: its blocks can be stored. */
export interface PreparedNode extends Omit<ForeignNode, 'conversation'> {
  readonly blocks: readonly ForeignBlock[];
}

/** The owner and the source of a message. */
export interface UpsertPlace {
  readonly agent: string;
  readonly source: string;
  /** True if it comes with a file that begins below a line of another one: its apparent messages may be parts of that file's messages. */
  readonly isPiece?: boolean;
  /** True if its source rewrites messages while they grow. */
  readonly rewrites?: boolean;
  readonly purges: Purges;
}

export interface UpsertValue {
  node: string;
  isNew: boolean;
  blocks: number;
  /** The deleted message that hides it. */
  hidden_below?: string | undefined;
  /** The merged message that is restored for it. */
  shown_again?: string | undefined;
  /** The keys of existing blocks with a different content. */
  others?: string[] | undefined;
  /** The keys of blocks that differ and were left alone, because the existing ones may have been purged. */
  withheld?: string[] | undefined;
}

/**
 * Puts a message of another program into a root, or adds the parts it has gained since. It touches nothing that users may have changed meanwhile:
 * existing blocks stay as they are, removed ones stay out, and a moved or deleted node is found where it is.
 */
export function decideUpsert(state: RootState, node: PreparedNode, place: UpsertPlace): Decision<RootOp, UpsertValue> {
  const names = NodeNames.of(state, place.source);
  const known = names.find(node.id) ?? partOf(state, node, place);
  const sent = known === undefined && node.sent_as !== undefined ? names.find(node.sent_as) : undefined;
  if (sent !== undefined) return nameSent(names, sent, node, place);
  if (known === undefined)
    return passOver(state, node, place.source) ?? nameHeard(state, node, place.source) ?? addNode(state, node, place);
  if (node.parent !== undefined) names.noteParent(known, node.parent);
  return growNode(state, known, node, place);
}

/** Gives a message that Loom sent to the other program the name that it got there. */
function nameSent(
  names: NodeNames,
  known: NodeState,
  node: PreparedNode,
  { source }: UpsertPlace,
): Decision<RootOp, UpsertValue> {
  names.noteName(known, node.id);
  const named = nameNode(known, source, { id: node.id, keys: node.blocks.map(({ key }) => key) });
  return { ok: true, ops: [named], value: { node: known.id, isNew: false, blocks: 0 } };
}

/** Returns the message of another file that this one is a part of. */
function partOf(state: RootState, { id, role }: PreparedNode, place: UpsertPlace): NodeState | undefined {
  const whole = place.isPiece === true ? NodeNames.of(state, place.source).findLine(id) : undefined;
  return whole?.role === role ? whole : undefined;
}

function addNode(state: RootState, node: PreparedNode, place: UpsertPlace): Decision<RootOp, UpsertValue> {
  const id = state.newNodeId();
  const own = blocksNotElsewhere(state, node, place);
  const { blocks, keys } = withIds(state, place.agent, own);
  const dropped = own === node.blocks ? [] : node.blocks.filter((block) => !own.includes(block));
  const elsewhere = noteElsewhere(state, id, dropped, place);
  const { role, source, tool_call_id, is_error, tool, started_at, ended_at, continues, bookmark } = node;
  const { parent, ops: before, hiddenBelow, shownAgain } = placeOfNew(state, node, place.source);
  const isAtTop = node.above !== undefined && parent === state.id;
  const note = importNote(node.id, keys, isAtTop ? node.above : undefined);
  const notice = noticeOf(node, place);
  const seed: NodeSeed = {
    id,
    parent,
    role,
    blocks,
    source,
    ...(role === 'tool' ? { tool_call_id: tool_call_id ?? '' } : {}),
    ...(is_error === true ? { is_error } : {}),
    ...(tool === undefined ? {} : { tool }),
    ...(continues === true ? { continues } : {}),
    ...(started_at === undefined ? {} : { started_at }),
    ...(ended_at === undefined ? {} : { ended_at }),
    origin: { source: place.source, id: node.id },
    ...(notice === undefined ? {} : { notice }),
    ...(note === undefined ? {} : { note }),
  };
  const exclude = hiddenBlocks(state, seed, node, { keys, source: place.source });
  const set = { ...marksOf(node), ...(exclude.length === 0 ? {} : { exclude }) };
  const ops: RootOp[] = [...before, { type: 'node-added', node: seed }];
  if (Object.keys(set).length > 0) ops.push({ type: 'node-changed', node: id, set });
  if (bookmark !== undefined) ops.push({ type: 'bookmark', node: id, title: bookmark });
  const time = timeOf(node);
  const value: UpsertValue = {
    node: id,
    isNew: true,
    blocks: blocks.length,
    ...(hiddenBelow === undefined ? {} : { hidden_below: hiddenBelow }),
    ...(shownAgain === undefined ? {} : { shown_again: shownAgain }),
    ...told(elsewhere),
  };
  return time === undefined ? { ok: true, ops, value } : { ok: true, ops, value, time };
}

/** Returns the mark of a message that another program wrote in the name of its user; `undefined` if the user said something in it. */
function noticeOf({ role, blocks }: PreparedNode, { source }: UpsertPlace): Notice | undefined {
  if (role !== 'user' || source === loomSource) return undefined;
  const kinds = blocks.map(({ block }) => (block.type === 'text' ? programNoticeKind(block.text) : undefined));
  const [kind] = kinds;
  return kind === undefined || kinds.includes(undefined) ? undefined : { kind };
}

/** Returns the blocks of a new message that no other one holds: a file that begins in the middle of this message may have come first. */
function blocksNotElsewhere(state: RootState, { blocks }: PreparedNode, place: UpsertPlace): readonly ForeignBlock[] {
  const names = NodeNames.of(state, place.source);
  return names.hasMissing || place.isPiece === true
    ? blocks.filter(({ key }) => names.findLine(key) === undefined)
    : blocks;
}

/** Notes that blocks stand in other messages, and returns the keys of those that differ there. */
function noteElsewhere(
  state: RootState,
  whole: string,
  blocks: readonly ForeignBlock[],
  { source, purges }: UpsertPlace,
): OtherKeys[] {
  const names = NodeNames.of(state, source);
  return blocks.flatMap((block) => {
    const there = names.findLine(block.key);
    if (there !== undefined) names.notePart(there, whole);
    return there === undefined ? [] : [keysWithOtherWords(there, [block], keysOf(there, source), purges)];
  });
}

/** Returns the differing keys; empty lists are left out. */
function told(found: readonly OtherKeys[]): Pick<UpsertValue, 'others' | 'withheld'> {
  const others = found.flatMap((keys) => keys.others);
  const withheld = found.flatMap((keys) => keys.withheld);
  return { ...(others.length === 0 ? {} : { others }), ...(withheld.length === 0 ? {} : { withheld }) };
}

function growNode(
  state: RootState,
  known: NodeState,
  node: PreparedNode,
  place: UpsertPlace,
): Decision<RootOp, UpsertValue> {
  const taken = keysOf(known, place.source);
  // A message that was exported from here and is read again keeps users' later changes.
  const isOwn = place.source === loomSource && known.origin?.source !== loomSource;
  // A message that was written for another program keeps its views: the reader's views of its text add nothing.
  const isGiven = exportedAs(known, place.source) !== undefined;
  const isTaken = (key: string): boolean => taken.has(isGiven ? key.replace(/\/view-\d+$/u, '') : key);
  const names = NodeNames.of(state, place.source);
  // Blocks from a file that begins in the middle of this message stand in a separate message.
  const isElsewhere = (key: string): boolean => (names.findLine(key)?.id ?? known.id) !== known.id;
  const completed = isOwn ? [] : completedBlocks(known, node.blocks);
  const isCompleted = (key: string): boolean => completed.some((each) => each.key === key);
  const missing =
    known.deleted === true || isOwn ? [] : node.blocks.filter(({ key }) => !isTaken(key) && !isCompleted(key));
  const added = missing.filter(({ key }) => !isElsewhere(key));
  const { blocks, keys } = withIds(state, place.agent, added);
  const ops: RootOp[] = blocks.map((block, index) => ({
    type: 'block-added',
    node: known.id,
    index: known.blocks.length + index,
    block,
  }));
  for (const { key, before } of completed) keys.set(key, before.block_id ?? '');
  const set = grownFields(known, node, place.source);
  const mayGrow = place.rewrites === true && known.deleted !== true && !isOwn;
  const rest = node.blocks.filter(({ key }) => !isCompleted(key));
  const grown = mayGrow ? grownBlocks(known, rest, taken, place.purges) : [];
  for (const { before, now } of [...completed, ...grown])
    ops.push({ type: 'block-changed', block: { ...now, block_id: before.block_id ?? '', status: 'done' } });
  // A changed block keeps its status.
  for (const { before } of completed) ops.push({ type: 'status', block: before.block_id ?? '', status: 'done' });
  // A person's words came beside those of the program.
  if (known.notice !== undefined && blocks.length > 0 && noticeOf(node, place) === undefined) set.notice = null;
  if (keys.size > 0) {
    set.note = joinNote(known, keys);
    names.noteLines(known.id, keys.keys());
  }
  const newParent = parentThatCame(state, known, node, place.source);
  if (newParent !== undefined) {
    ops.push({ type: 'node-moved', node: known.id, parent: newParent });
    set.note = noteOfAttached(set.note ?? known.note);
  }
  if (grown.length > 0)
    set.note = withGrown(
      set.note ?? known.note,
      grown.map(({ before }) => before),
    );
  if (Object.keys(set).length > 0) ops.push({ type: 'node-changed', node: known.id, set });
  const elsewhere = missing.filter(({ key }) => isElsewhere(key));
  const othersElsewhere = noteElsewhere(state, known.id, elsewhere, place);
  const same = rest.filter(({ key }) => !grown.some((each) => each.key === key));
  const others = isOwn ? [] : [keysWithOtherWords(known, same, taken, place.purges), ...othersElsewhere];
  const value: UpsertValue = {
    node: known.id,
    isNew: false,
    blocks: blocks.length,
    ...told(others),
  };
  const time = timeOf(node);
  return time === undefined ? { ok: true, ops, value } : { ok: true, ops, value, time };
}

/** Returns the place of a message that had become a top, now that a file with its parent has come. If users have moved it, it stays there. */
function parentThatCame(state: RootState, known: NodeState, node: PreparedNode, source: string): string | undefined {
  if (node.parent === undefined || known.parent !== state.id || missingAbove(known) === undefined) return undefined;
  const { parent, ops, hiddenBelow } = placeOfNew(state, node, source);
  // Below a deleted message it would be hidden.
  if (parent === state.id || ops.length > 0 || hiddenBelow !== undefined) return undefined;
  return state.pathTo(parent).some(({ id }) => id === known.id) ? undefined : parent;
}

/**
 * Returns the fields that are known only once a message is complete. A message that Loom wrote and exported knows more than the copy that comes back.
 */
function grownFields(known: NodeState, node: PreparedNode, source: string): NodeFields {
  const set: NodeFields = {};
  if (known.origin?.source !== source || known.origin.id !== node.id) return set;
  // A reader that has not seen the call of a result knows less about it than the existing node.
  // A live turn has said whom it asked, and counts its cost as one.
  const isHeard = known.turn !== undefined && exportedAs(known, source) !== undefined;
  if (!isHeard && !isWithoutCall(node) && !stableDeepEqual(known.source, node.source)) set.source = node.source;
  if (node.tool !== undefined && node.tool !== known.tool) set.tool = node.tool;
  if (node.is_error === true && known.is_error !== true) set.is_error = true;
  if (node.ended_at !== undefined && node.ended_at !== known.ended_at) set.ended_at = node.ended_at;
  return set;
}

/** Returns the marks, which are set once: afterwards they belong to the users. */
function marksOf({ title, tags, context_start, details }: PreparedNode): NodeFields {
  return {
    ...(title === undefined ? {} : { title }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags: [...tags] }),
    ...(context_start === true ? { context_start } : {}),
    ...(details === undefined ? {} : { custom_data: details }),
  };
}

/** The ids here of blocks that are hidden from models: of the message itself, and of those above it. */
function hiddenBlocks(
  state: RootState,
  { parent }: NodeSeed,
  { excluded = [] }: PreparedNode,
  own: { keys: ReadonlyMap<string, string>; source: string },
): string[] {
  if (excluded.length === 0) return [];
  const known = new Map<string, string | undefined>(own.keys);
  for (const above of state.pathTo(parent)) {
    for (const [key, block] of keysOf(above, own.source)) known.set(key, block);
  }
  return excluded.flatMap((key) => known.get(key) ?? []);
}

function withIds(
  state: RootState,
  agent: string,
  blocks: readonly ForeignBlock[],
): { blocks: MessageBlock[]; keys: Map<string, string> } {
  const keys = new Map<string, string>();
  const kept = blocks.map(({ key, block }): MessageBlock => {
    const id = state.newBlockId(agent);
    keys.set(key, id);
    return { ...block, block_id: id, status: block.error === undefined ? 'done' : 'error' };
  });
  return { blocks: kept, keys };
}

/** Returns the time a message was written; `undefined` if its source does not give it, or not in a readable form. */
export function timeOf({
  time: added,
  started_at,
  ended_at,
}: Pick<ForeignNode, 'time' | 'started_at' | 'ended_at'>): number | undefined {
  const time = Date.parse(added ?? started_at ?? ended_at ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** Removes messages, or blocks of them, that the other program has retracted. The children of a removed message move up to the message above it. */
export function decideRetract(
  state: RootState,
  keys: readonly string[],
  place: UpsertPlace,
): Decision<RootOp, { removed: number }> {
  const wanted = new Set(keys);
  const ops: RootOp[] = [];
  for (const node of state.nodes.values()) {
    if (node.deleted === true) continue;
    const taken = keysOf(node, place.source);
    const gone = [...taken].filter(([key]) => wanted.has(key));
    if (gone.length === 0) continue;
    if (gone.length < taken.size) ops.push(...removeBlocks(node, gone));
    else ops.push(...removeNode(state, node));
  }
  return { ok: true, ops, value: { removed: ops.length }, time: state.updated };
}

function removeBlocks(node: NodeState, gone: readonly [string, string | undefined][]): RootOp[] {
  const there = new Set(node.blocks.map(({ block_id: id }) => id));
  return gone.flatMap(([, block]): RootOp[] =>
    block !== undefined && there.has(block) ? [{ type: 'block-removed', block }] : [],
  );
}

function removeNode(state: RootState, node: NodeState): RootOp[] {
  const children = state.children.get(node.id) ?? [];
  return [
    ...children.map((child): RootOp => ({ type: 'node-moved', node: child, parent: node.parent })),
    { type: 'node-removed', node: node.id },
  ];
}
