import { fromBase64, isPlainObject, maskBlock, maskText, toBase64, userBlock } from '@loom/blocks';
import type { FileChange, MessageBlock, PlainObject } from '@loom/blocks';
import { maskUpdate } from '@loom/blocks/document';
import type { Change } from '../change.ts';
import { readKept } from '../request.ts';
import { isTreeOp } from '../op.ts';
import type { NodeFields, RootOp } from '../op.ts';
import type { RootState } from '../state/root-state.ts';
import { exactArguments } from '../turn/turn-decisions.ts';

/** The words to remove from a root. */
export interface GoneWords {
  blocks: ReadonlySet<string>;
  /** True if the lines of another program go that are kept as they came, also if none of the blocks is here. */
  losesLines?: boolean;
}

/**
 * Returns the changes of a root with blocks emptied in all their versions: their text is `█` from the first change on, at
 * the same length. Everything else is as it was, so that the changes still fit together. `state` is the result of the
 * changes.
 */
export function purgeChanges(
  changes: readonly Change<RootOp>[],
  state: RootState,
  { blocks, losesLines = false }: GoneWords,
): Change<RootOp>[] {
  const quotations = { ...quotationsOf(changes, state, blocks), losesLines };
  return changes.map((change) => {
    const ops = change.ops.map((op) => purgeOp(maskQuotation(op, quotations), blocks));
    if (ops.every((op, index) => op === change.ops[index])) return change;
    // A kept answer may quote words that are gone, and the digest of a request would confirm a guess at them.
    const emptied = { ...change, request: readKept(change.request).id, ops };
    return 'result' in change ? { ...emptied, result: maskLongTexts(change.result) } : emptied;
  });
}

/**
 * Returns the given blocks, with all that are copies of them or were copied to make them, however often: all of them said
 * the same once. A link is a copy and its original.
 */
export function relativesAmong(links: Iterable<readonly [string, string]>, blocks: ReadonlySet<string>): Set<string> {
  const linked = new Map<string, string[]>();
  const link = (one: string, other: string): void => {
    const others = linked.get(one);
    if (others === undefined) linked.set(one, [other]);
    else others.push(other);
  };
  for (const [copy, source] of links) {
    link(copy, source);
    link(source, copy);
  }
  const found = new Set(blocks);
  // Blocks added during the loop are visited as well.
  for (const block of found) for (const other of linked.get(block) ?? []) found.add(other);
  return found;
}

/**
 * Empties the changes of a root completely: as many, by the same agents at the same times, but all that they say is that the
 * root is deleted. No id that it had is ever given out again.
 */
export function emptyChanges(changes: readonly Change<RootOp>[], state: RootState): Change<RootOp>[] {
  const counters: RootOp = {
    type: 'counters-raised',
    node: highestNumber(state.nodes.keys()),
    blocks: {},
    others: highestNumber(allBlocks(state).flatMap(({ block_id: id }) => id ?? [])),
  };
  return changes.map(({ seq, time, agent, request }, index) => {
    const deleted: RootOp = { type: 'root-changed', deleted: true };
    return { seq, time, agent, request: readKept(request).id, ops: index === 0 ? [counters, deleted] : [deleted] };
  });
}

/** The highest number that ids end with. */
function highestNumber(ids: Iterable<string>): number {
  let highest = 0;
  for (const id of ids) highest = Math.max(highest, Number(/\d+$/.exec(id)?.[0] ?? 0));
  return highest;
}

/** The blocks of a root, those too that were taken out of their nodes. */
export function allBlocks(state: RootState): MessageBlock[] {
  return [...[...state.nodes.values()].flatMap((node) => node.blocks), ...state.retired.values()];
}

function purgeOp(op: RootOp, blocks: ReadonlySet<string>): RootOp {
  const isPurged = (block: MessageBlock): boolean => blocks.has(block.block_id ?? '');
  const purge = (block: MessageBlock): MessageBlock => (isPurged(block) ? maskBlock(block) : block);
  if (op.type === 'message-waiting') {
    return op.blocks.some(isPurged) ? { ...op, blocks: op.blocks.map((block) => userBlock.parse(purge(block))) } : op;
  }
  if (!isTreeOp(op)) return op;
  switch (op.type) {
    case 'node-added':
      return op.node.blocks.some(isPurged) ? { ...op, node: { ...op.node, blocks: op.node.blocks.map(purge) } } : op;
    case 'block-added':
    case 'block-changed':
      return isPurged(op.block) ? { ...op, block: purge(op.block) } : op;
    case 'text-appended':
      return blocks.has(op.block) ? { ...op, text: maskText(op.text) } : op;
    case 'output':
      return blocks.has(op.block) ? maskOutput(op) : op;
    case 'text':
    case 'unit':
      return blocks.has(op.block) ? maskEdit(op) : op;
    case 'status': {
      if (!blocks.has(op.block)) return op;
      const { provider: _provider, prefix: _prefix, parameters, error, ...status } = op;
      return {
        ...status,
        ...(parameters === undefined ? {} : { parameters: {} }),
        // The reason that a block failed may quote it.
        ...(error === undefined ? {} : { error: { ...error, message: maskText(error.message) } }),
      };
    }
    case 'root-changed':
    case 'node-changed':
    case 'node-removed':
    case 'node-restored':
    case 'node-moved':
    case 'node-split':
    case 'node-joined':
    case 'block-removed':
    case 'bookmark':
      return op;
  }
}

function maskOutput({ tail, preview, ...op }: Extract<RootOp, { type: 'output' }>): RootOp {
  return { ...op, tail: maskText(tail), ...(preview === undefined ? {} : { preview: maskText(preview) }) };
}

function maskEdit<Op extends Extract<RootOp, { type: 'text' | 'unit' }>>(op: Op): Op {
  const splices = op.splices.map((splice) => ({ ...splice, insert: maskText(splice.insert) }));
  if (op.update === undefined) return { ...op, splices };
  return { ...op, splices, update: toBase64(maskUpdate(fromBase64(op.update))) };
}

/** The repetitions of removed words in ops that belong to no block. */
interface Quotations {
  /** The arguments of calls. */
  calls: ReadonlySet<string>;
  /** The nodes, of which some hold what a person has answered to a call. */
  nodes: ReadonlySet<string>;
  /** The messages of errors. */
  errors: ReadonlySet<string>;
  /** The paths of changed files, and the blobs of their contents. */
  files: ReadonlySet<string>;
  losesLines?: boolean;
  /** The nodes of the results of calls, which hold what a person was asked about them. */
  asked: ReadonlySet<string>;
}

function quotationsOf(changes: readonly Change<RootOp>[], state: RootState, blocks: ReadonlySet<string>): Quotations {
  // The blocks as they came, as they were replaced, and as they are.
  const logged = changes
    .flatMap(({ ops }) => ops.flatMap(blocksIn))
    .filter((block) => blocks.has(block.block_id ?? ''));
  const gone = [...logged, ...[...blocks].flatMap((id) => state.block(id) ?? state.retired.get(id) ?? [])];
  const ids = new Set(gone.flatMap((block) => (block.type === 'tool-use' ? [block.id] : [])));
  const answering = [...state.nodes.values()].filter(({ tool_call_id: id }) => id !== undefined && ids.has(id));
  return {
    asked: new Set(answering.map(({ id }) => id)),
    calls: new Set(gone.flatMap((block) => (block.type === 'tool-use' ? [exactArguments(block)] : []))),
    nodes: new Set([...blocks].flatMap((id) => state.nodeOfBlock.get(id) ?? [])),
    errors: new Set(gone.flatMap((block) => (block.type === 'error' ? [block.message] : []))),
    files: new Set(gone.flatMap((block) => (block.type === 'file-change' ? block.changes.flatMap(namesOf) : []))),
  };
}

function namesOf({ path, from, before, after }: FileChange): string[] {
  return [path, from, before, after].filter((name) => name !== undefined);
}

function blocksIn(op: RootOp): readonly MessageBlock[] {
  if (op.type === 'node-added') return op.node.blocks;
  return op.type === 'block-added' || op.type === 'block-changed' ? [op.block] : [];
}

function maskQuotation(op: RootOp, { calls, nodes, errors, files, asked, losesLines = false }: Quotations): RootOp {
  const hasLoss = losesLines || nodes.size > 0;
  if (op.type === 'node-added' && hasLoss) {
    const note = purgeNote(op.node.note, nodes.has(op.node.id));
    return note === undefined ? op : { ...op, node: { ...op.node, note } };
  }
  if (op.type === 'node-changed') return { ...op, set: maskFields(op.node, op.set, { nodes, asked, hasLoss }) };
  if (op.type === 'turn-ended' && op.error !== undefined && errors.has(op.error.message)) {
    return { ...op, error: { ...op.error, message: maskText(op.error.message) } };
  }
  if (op.type === 'files-undone') return maskFiles(op, files);
  if (op.type !== 'approval') return op;
  return maskApproval(op, calls.has(op.arguments), nodes.has(op.node));
}

/** Masks files of purged changes: their contents are kept as blobs, which stay as long as an op names them. */
function maskFiles(op: Extract<RootOp, { type: 'files-undone' }>, gone: ReadonlySet<string>): RootOp {
  if (!op.files.some(({ path, blob = '' }) => gone.has(path) || gone.has(blob))) return op;
  const files = op.files.map((file) =>
    gone.has(file.path) || gone.has(file.blob ?? '') ? { path: maskText('path') } : file,
  );
  return { ...op, files };
}

/** Masks an approval: it repeats the call, in its rules too, and an answer is the result of the call. */
function maskApproval(op: Extract<RootOp, { type: 'approval' }>, isCallGone: boolean, isResultGone: boolean): RootOp {
  if (!isCallGone && !isResultGone) return op;
  const { text, answers, rules, arguments_changed: changed, ...rest } = op;
  const said = {
    ...(text === undefined ? {} : { text: maskText(text) }),
    ...(answers === undefined ? {} : { answers: answers.map(() => ({ text: maskText('text') })) }),
  };
  if (isCallGone) return { ...rest, ...said, arguments: maskText(op.arguments) };
  return {
    ...rest,
    ...said,
    ...(rules === undefined ? {} : { rules }),
    ...(changed === undefined ? {} : { arguments_changed: changed }),
  };
}

function maskFields(
  node: string,
  set: NodeFields,
  { nodes, asked, hasLoss }: Pick<Quotations, 'nodes' | 'asked'> & { hasLoss: boolean },
): NodeFields {
  const masked = { ...set };
  const note = set.note === undefined || !hasLoss ? undefined : purgeNote(set.note, nodes.has(node));
  if (note !== undefined) masked.note = note;
  if (set.ask && asked.has(node)) masked.ask = { kind: set.ask.kind, preview: [] };
  return masked;
}

/**
 * Purges the note of a node whose words are gone, because the note may repeat them. The names of other programs for it stay,
 * so that importing does not bring it back. If the lines of other programs are kept as they came, they hold all that was
 * said, so none of the conversation stays. Every node that has lost words is marked, lines or not: the look of a text proves
 * nothing, because people write `█` too. `marked` says that the blocks have their marks; nodes purged by an older version do
 * not get it.
 */
function purgeNote(before: PlainObject | undefined, isGone: boolean): PlainObject | undefined {
  if (!isGone && before?.lines === undefined) return before;
  const { keys, exported, lines, marked } = before ?? {};
  const isMarked = lines !== 'purged' || marked === true;
  const left = isGone
    ? { ...(keys === undefined ? {} : { keys }), ...(exported === undefined ? {} : { exported }) }
    : before;
  return { ...left, lines: 'purged', ...(isMarked ? { marked: true } : {}) };
}

/** Masks texts that are long enough to be a quotation; ids and words stay. */
function maskLongTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longestName ? maskText(value) : value;
  if (Array.isArray(value)) return value.map(maskLongTexts);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskLongTexts(inner)]));
}

const longestName = 200;
