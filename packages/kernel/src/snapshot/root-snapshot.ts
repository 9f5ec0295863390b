import { isPlainObject } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { RootConfig } from '../op.ts';
import type { NodeState } from '../state/node-state.ts';
import type { ToolDescription } from '../provider.ts';
import { placeOfId } from '../state/tree/id-order.ts';
import { RootState } from '../state/root-state.ts';
import type { ApprovalState, Counters, TurnState, WaitingMessage } from '../state/root-state.ts';
import type { ProjectionPart } from '../store.ts';
import { TextHistory } from '../text/text-history.ts';
import type { TextEntry, TextHistoryDump } from '../text/text-history.ts';
import { chunkSize, isReadFormat, NodeLoader, snapshotFormat, storeNode } from './node-chunk.ts';
import type { StoredNode } from './node-chunk.ts';
import { jsonPart, numberKey, Parts, spanKey } from './parts.ts';
import type { SnapshotDump, Snapshots } from './snapshots.ts';
import { dumpUndo, loadUndo } from './undo-parts.ts';
import type { FirstUndoRest, UndoRest } from './undo-parts.ts';

/**
 * A root's state as parts of a projection, of which only the changed ones are written again. `head` holds the facts about
 * the root, `nodes/…` the tree without its texts, `narrow/…` and `wide/…` the texts, `edits/…` their edits, `undo/…` and
 * `places/…` the records needed to undo changes, `requests/…` the index of requests, and `rest` everything that stays small.
 */
export function rootSnapshots(id: string): Snapshots<RootState> {
  return {
    dump: dumpRoot,
    load: (parts) => loadRoot(id, parts),
    isWhole: (parts) => hasAllNodes(id, new Parts(parts)),
  };
}

interface Head {
  format: number;
  id: string;
  seq: number;
  created: number;
  updated: number;
  config: RootConfig;
  title?: string;
  tags: readonly string[];
  deleted: boolean;
  archived?: boolean;
  project?: string;
  /** The number of nodes, so that a missing part shows. */
  nodes: number;
  requests: number;
}

interface Rest {
  counters: Counters;
  bookmarks: [string, string][];
  turns: TurnState[];
  liveTurns: string[];
  told?: readonly ToolDescription[];
  approvals: [string, ApprovalState][];
  startedTools: string[];
  waiting: [string, WaitingMessage][];
  undoneFiles?: [string, string[]][];
  clients: [number, string][];
  retired: [string, MessageBlock][];
  /** The histories of texts whose blocks are in no node just now. */
  histories: Record<string, TextHistoryDump>;
}

function dumpRoot(state: RootState, base: number): SnapshotDump {
  const edits = dumpEdits(state, base);
  const undo = dumpUndo(state, base);
  const put = [
    ...edits.parts,
    ...nodeParts(state, base, edits.keys),
    jsonPart(`requests/${numberKey(base)}`, state.requests.entriesAfter(base)),
    ...undo.put,
    jsonPart('rest', { ...restOf(state, edits.keys), ...undo.rest } satisfies Rest & UndoRest),
    jsonPart('head', headOf(state)),
  ];
  const obsolete = [...state.obsoleteParts];
  return {
    put,
    drop: [...obsolete, ...undo.drop],
    saved: () => {
      state.obsoleteParts.splice(0, obsolete.length);
      edits.noteSaved();
      undo.noteSaved();
    },
  };
}

/** The parts for edits that no snapshot holds yet, by block. */
function dumpEdits(
  state: RootState,
  base: number,
): { parts: ProjectionPart[]; keys: Map<string, string>; noteSaved: () => void } {
  const edited = [...state.texts].filter(([, { unsaved }]) => unsaved.length > 0);
  const keys = new Map(edited.map(([block]) => [block, `edits/${block}/${spanKey(base, state.seq)}`]));
  const written = edited.map(([block, history]) => {
    const { length } = history.unsaved;
    return { block, history, length, part: jsonPart(keys.get(block) ?? '', history.unsaved) };
  });
  const noteSaved = (): void => {
    for (const { block, history, length, part: saved } of written) {
      history.noteSaved(length, saved.key);
      // Meanwhile the text may have started over.
      if (state.texts.get(block) !== history) state.obsoleteParts.push(saved.key);
    }
  };
  return { parts: written.map(({ part: saved }) => saved), keys, noteSaved };
}

/** The chunks in which something has changed. */
function* nodeParts(state: RootState, base: number, keys: ReadonlyMap<string, string>): Generator<ProjectionPart> {
  const nodes = [...state.nodes.values()];
  for (let start = 0; start < nodes.length; start += chunkSize) {
    const chunk = nodes.slice(start, start + chunkSize).map((node) => ({ node, leaf: leafSeqOf(state, node.id) }));
    if (!chunk.some(({ node, leaf }) => Math.max(node.touched, leaf) > base)) continue;
    const texts = { narrow: '', wide: '' };
    const stored = chunk.map(({ node, leaf }): StoredNode => {
      const ids = node.blocks.flatMap(({ block_id: id }) => id ?? []);
      const histories = dumpHistories(state, ids, keys);
      const kept = storeNode(node, leaf, texts);
      return histories === undefined ? kept : { ...kept, histories };
    });
    const key = numberKey(start / chunkSize);
    yield jsonPart(`nodes/${key}`, stored);
    yield { key: `narrow/${key}`, text: texts.narrow };
    yield { key: `wide/${key}`, text: texts.wide };
  }
}

function leafSeqOf(state: RootState, node: string): number {
  return state.index.linkOf(node)?.leafSeq ?? 0;
}

function dumpHistories(
  state: RootState,
  blocks: readonly string[],
  keys: ReadonlyMap<string, string>,
): Record<string, TextHistoryDump> | undefined {
  const dumps = blocks.flatMap((id): [string, TextHistoryDump][] => {
    const history = state.texts.get(id);
    // One that was only looked at is as good as none.
    if (history === undefined || (history.isUntouched && history.since === 1)) return [];
    return [[id, history.dump(keys.get(id))]];
  });
  return dumps.length === 0 ? undefined : Object.fromEntries(dumps);
}

function restOf(state: RootState, keys: ReadonlyMap<string, string>): Rest {
  const { bookmarks, turns, liveTurns, told, approvals, startedTools, waiting, undoneFiles, clients, retired } = state;
  const homeless = [...state.texts.keys()].filter((block) => !state.nodeOfBlock.has(block));
  return {
    counters: state.counters,
    bookmarks: [...bookmarks],
    turns: [...turns.values()],
    liveTurns: [...liveTurns],
    ...(told === undefined ? {} : { told }),
    approvals: [...approvals],
    startedTools: [...startedTools],
    waiting: [...waiting],
    ...(undoneFiles.size === 0 ? {} : { undoneFiles: Array.from(undoneFiles, ([turn, files]) => [turn, [...files]]) }),
    clients: [...clients],
    retired: [...retired],
    histories: dumpHistories(state, homeless, keys) ?? {},
  };
}

function headOf(state: RootState): Head {
  const { id, seq, created, updated, config, title, tags, deleted, archived, project } = state;
  const counts = { nodes: state.nodes.size, requests: state.requests.size };
  return {
    format: snapshotFormat,
    id,
    seq,
    created,
    updated,
    config,
    tags,
    deleted,
    ...counts,
    ...(title === undefined ? {} : { title }),
    ...(archived ? { archived } : {}),
    ...(project === undefined ? {} : { project }),
  };
}

/** The state that was dumped, or `undefined` if a part is missing or damaged, or of another format. */
function loadRoot(id: string, list: readonly ProjectionPart[]): RootState | undefined {
  const parts = new Parts(list);
  const [head, rest] = [parts.value('head'), parts.value('rest')];
  if (!isHead(head) || !isRest(rest) || head.id !== id) return undefined;
  const state = new RootState(id, true);
  const { seq, created, updated, config, title, tags, deleted, archived = false, project } = head;
  Object.assign(state, { seq, created, updated, config, title, tags, deleted, archived, project });
  loadRest(state, rest);
  const isWhole =
    loadNodes(state, parts) &&
    loadHistories(state, Object.entries(rest.histories), parts) &&
    loadUndo(state, rest, parts);
  for (const key of parts.keys('requests/')) {
    const entries = parts.value(key);
    if (!isNumbers(entries)) return undefined;
    state.requests.load(entries);
  }
  const isComplete = state.nodes.size === head.nodes && state.requests.size === head.requests;
  return isWhole && isComplete ? state : undefined;
}

/** Returns true if every chunk of nodes is there that the head counts. */
function hasAllNodes(id: string, parts: Parts): boolean {
  const head = parts.value('head');
  if (!isHead(head) || head.id !== id || parts.text('rest') === undefined) return false;
  const chunks = Array.from({ length: Math.ceil(head.nodes / chunkSize) }, (_, chunk) => numberKey(chunk));
  return chunks.every((chunk) => chunkKinds.every((kind) => parts.text(`${kind}/${chunk}`) !== undefined));
}

const chunkKinds = ['nodes', 'narrow', 'wide'];

function loadRest(state: RootState, rest: Rest): void {
  state.counters = rest.counters;
  for (const [node, title] of rest.bookmarks) state.bookmarks.set(node, title);
  for (const turn of rest.turns) {
    const { id, node, provider, model, settings, tools, maxRounds, holder, ...others } = turn;
    const manner = state.shared.turnManner({ provider, model, settings, tools, maxRounds, holder });
    state.turns.set(id, { id, node, ...manner, ...others });
  }
  for (const turn of rest.liveTurns) state.liveTurns.add(turn);
  state.told = rest.told;
  for (const [node, approval] of rest.approvals) state.approvals.set(node, approval);
  for (const node of rest.startedTools) state.startedTools.add(node);
  for (const [id, message] of rest.waiting) state.waiting.set(id, message);
  for (const [turn, files] of rest.undoneFiles ?? []) state.undoneFiles.set(turn, new Set(files));
  for (const [client, agent] of rest.clients) state.clients.set(client, agent);
  for (const [block, retired] of rest.retired) state.retired.set(block, retired);
}

function loadNodes(state: RootState, parts: Parts): boolean {
  const links: [NodeState, number][] = [];
  for (const key of parts.keys('nodes/')) {
    const chunk = key.slice('nodes/'.length);
    const [stored, narrow, wide] = [parts.value(key), parts.text(`narrow/${chunk}`), parts.text(`wide/${chunk}`)];
    if (!isStoredNodes(stored) || narrow === undefined || wide === undefined) return false;
    const loader = new NodeLoader({ narrow, wide }, state.shared);
    for (const entry of stored) {
      const node = loader.load(entry);
      state.nodes.set(node.id, node);
      for (const { block_id: block } of node.blocks) if (block !== undefined) state.nodeOfBlock.set(block, node.id);
      links.push([node, entry.leaf]);
      if (entry.histories === undefined) continue;
      if (!loadHistories(state, Object.entries(entry.histories), parts)) return false;
    }
    if (!loader.isDone) return false;
  }
  for (const [node] of links) {
    // One copy of every id, as far as that is easy.
    const parent = state.nodes.get(node.parent)?.id ?? state.id;
    const turn = state.turns.get(node.turn ?? '')?.id;
    Object.assign(node, turn === undefined ? { parent } : { parent, turn });
    if (node.draft === true) continue;
    const siblings = state.children.get(parent);
    if (siblings === undefined) {
      state.children.set(parent, [node.id]);
      continue;
    }
    const place = placeOfId(siblings, node.id);
    if (place === siblings.length) siblings.push(node.id);
    else siblings.splice(place, 0, node.id);
  }
  state.index.load(links);
  loadDecided(state);
  return true;
}

/** Snapshots of older versions have no decisions in their nodes, or only who decided what. */
function loadDecided({ nodes, approvals }: RootState): void {
  for (const [id, { arguments: _exact, by, at, ...said }] of approvals) {
    const node = nodes.get(id);
    if (node === undefined || by === undefined || at === undefined) continue;
    Object.assign(node, { decided: { ...node.decided, ...said, by, at } });
  }
}

function loadHistories(state: RootState, dumps: readonly [string, TextHistoryDump][], parts: Parts): boolean {
  return dumps.every(([block, dump]) => {
    const entries: TextEntry[] = [];
    for (const key of dump.edits ?? []) {
      const part = parts.value(key);
      if (!isEntries(part)) return false;
      entries.push(...part);
    }
    const runs = dump.runs?.map((run) => ({ ...run, agent: state.shared.agent(run.agent) }));
    const id = state.block(block)?.block_id ?? block;
    state.texts.set(id, TextHistory.load(runs === undefined ? dump : { ...dump, runs }, entries));
    return true;
  });
}

// A store hands out what was put: parts of the right format were written by this very code, and are not looked into further.

function isHead(value: unknown): value is Head {
  return isPlainObject(value) && isReadFormat(value['format']);
}

function isRest(value: unknown): value is Rest & (UndoRest | FirstUndoRest) {
  return isPlainObject(value) && isPlainObject(value['undo']);
}

function isStoredNodes(value: unknown): value is StoredNode[] {
  return Array.isArray(value);
}

function isEntries(value: unknown): value is TextEntry[] {
  return Array.isArray(value);
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value);
}
