import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import type { HideableKind } from '../blocks/kinds/block-kinds.ts';
import type { ToolKind } from '../blocks/tools/tool-kinds.ts';
import { foldRows } from './folded-rows.ts';
import { isSilent, rowsOfNode } from './node-rows.ts';

/** One line of the timeline. Each is drawn separately and watches only what it shows. */
export type Row =
  | { readonly kind: 'header'; readonly key: string; readonly node: string }
  | BlockRow
  | NoticeRow
  | ToolRow
  | ToolsRow
  | HiddenRow
  /** Branches that go on from here beside the one that is shown. */
  | { readonly kind: 'fork'; readonly key: string; readonly node: string; readonly next: string | undefined }
  /** The beginning of another day. */
  | { readonly kind: 'day'; readonly key: string; readonly node: string; readonly time: number }
  /** The start of the context: models do not see the messages above. */
  | { readonly kind: 'context-start'; readonly key: string; readonly node: string }
  /** The end of a turn that has changed files. */
  | { readonly kind: 'turn-end'; readonly key: string; readonly node: string; readonly turn: string }
  /** A message that has not been sent yet. */
  | { readonly kind: 'loading'; readonly key: string; readonly node: string };

export interface BlockRow {
  readonly kind: 'block';
  readonly key: string;
  readonly node: string;
  readonly block: string;
  readonly type: BlockType;
  /** The place of the block in a person's message, whose blocks share one background. */
  readonly said?: 'only' | 'first' | 'middle' | 'last';
  /** The node whose sources the text may cite. */
  readonly cites?: string;
}

/** A text that a program wrote in the name of its user: one line, which opens. */
export interface NoticeRow {
  readonly kind: 'notice';
  readonly key: string;
  readonly node: string;
  /** The block, or the first of those of the message. */
  readonly block: string;
  /** True if a person said something beside it. */
  readonly isPart?: true;
}

/** A call of a tool with the node of its result, if that has come. */
export interface ToolRow {
  readonly kind: 'tool';
  readonly key: string;
  readonly node: string;
  readonly block: string;
  readonly result: string | undefined;
  readonly tool: ToolKind;
  /** For tools of no known kind, calls of one name belong together. */
  readonly name: string;
  readonly isFoldable: boolean;
}

/** Several calls in a row that belong together and ended well. */
export interface ToolsRow {
  readonly kind: 'tools';
  readonly key: string;
  readonly node: string;
  readonly calls: readonly ToolRow[];
}

/** Blocks that the reader does not want to see. */
export interface HiddenRow {
  readonly kind: 'hidden';
  readonly key: string;
  readonly node: string;
  readonly blocks: number;
  readonly kinds: readonly HideableKind[];
}

export type BlockType = MessageBlock['type'];

/** The input of the rows. */
export interface RowSource {
  readonly path: readonly string[];
  /** The root, if a new branch begins there: then the path is empty. */
  readonly start?: string | undefined;
  readonly nodes: ReadonlyMap<string, NodeState>;
  /** Returns true if other branches go on from a node. */
  readonly isFork: (node: string) => boolean;
  /** Returns true if blocks of this kind are shown. */
  readonly isShown: (kind: HideableKind) => boolean;
  /** A block that was looked for: it is shown whatever its kind. */
  readonly wanted?: WantedBlock | undefined;
}

/** A block with the message that it is part of. */
export interface WantedBlock {
  readonly node: string;
  readonly block: string;
}

/** The rows of a node of the path, and the input they were made from. */
interface MadeRows {
  readonly id: string;
  readonly node: NodeState | undefined;
  readonly isFork: boolean;
  /** True if the node has siblings. */
  readonly hasSiblings: boolean;
  /** The last node with sources, and the last that is not a result, up to this one. */
  readonly cited: NodeState | undefined;
  readonly speaker: NodeState | undefined;
  /** The last turn that has changed files. */
  readonly changer: string | undefined;
  readonly rows: readonly Row[];
  /** The index of these rows among those of the branch; known only if nothing above is folded into them. */
  readonly at: number | undefined;
}

/**
 * The rows of a path. Only those from the first node on that has become something else are made again, with what depends on it above; rows of a node
 * that did not change its make-up are the same objects as before.
 */
export class Rows {
  #rows: readonly Row[] = [];
  /** The same with the separator before the first message. */
  #begun: readonly Row[] = [];
  #made: readonly MadeRows[] = [];
  #isShown: RowSource['isShown'] | undefined;
  #wanted: WantedBlock | undefined;
  /** The results on the path by the calls that they answer. */
  readonly #results = new Map<string, string>();
  /** The position on the path at which a call was first made. */
  readonly #calls = new Map<string, number>();

  of(source: RowSource): readonly Row[] {
    const rows = this.#ofPath(source);
    if (source.start === undefined) return rows;
    this.#begun = keepSame(this.#begun, [forkRow(source.start, undefined), ...rows]);
    return this.#begun;
  }

  #ofPath(source: RowSource): readonly Row[] {
    const start = this.#firstToMake(source);
    const above = this.#made.slice(0, start);
    const former = this.#made.slice(start);
    if (start === this.#made.length && start === source.path.length) return this.#rows;
    this.#learn(source, start, former);
    const at = former[0]?.at ?? 0;
    const { made, rows } = this.#make(source, above, { at, former });
    const tail = this.#rows.slice(at);
    const kept = keepSame(tail, rows);
    if (kept !== tail) this.#rows = this.#rows.slice(0, at).concat(kept);
    this.#made = above.concat(made);
    this.#isShown = source.isShown;
    this.#wanted = source.wanted;
    return this.#rows;
  }

  /** The first node of the path whose rows may be others than before, and above which nothing is folded into them. */
  #firstToMake({ path, nodes, isFork, isShown, wanted }: RowSource): number {
    const made = this.#made;
    if (isShown !== this.#isShown || wanted !== this.#wanted) return 0;
    const isSame = (index: number): boolean => {
      const [id = '', known] = [path[index], made[index]];
      if (known?.id !== id || known.node !== nodes.get(id) || known.isFork !== isFork(id)) return false;
      return known.hasSiblings === (known.node !== undefined && isFork(known.node.parent));
    };
    let start = 0;
    while (start < path.length && start < made.length && isSame(start)) start += 1;
    if (start === path.length && start === made.length) return start;
    // A call is drawn with its result, and a fork names the node that follows it.
    let first = start - 1;
    for (const node of [...made.slice(start).map((one) => one.node), ...path.slice(start).map((id) => nodes.get(id))]) {
      const call = node?.tool_call_id === undefined ? undefined : this.#calls.get(node.tool_call_id);
      if (call !== undefined && call < first) first = call;
    }
    while (first > 0 && made[first]?.at === undefined) first -= 1;
    return Math.max(first, 0);
  }

  /** Finds calls and results from a node on, and forgets those that were there. */
  #learn({ path, nodes }: RowSource, start: number, former: readonly MadeRows[]): void {
    for (const { id, node } of former) {
      const call = node?.tool_call_id;
      if (call !== undefined && this.#results.get(call) === id) this.#results.delete(call);
      for (const made of callsIn(node)) if ((this.#calls.get(made) ?? 0) >= start) this.#calls.delete(made);
    }
    for (let index = start; index < path.length; index += 1) {
      const id = path[index] ?? '';
      const node = nodes.get(id);
      const call = node?.tool_call_id;
      if (call !== undefined && !this.#results.has(call)) this.#results.set(call, id);
      for (const made of callsIn(node)) if (!this.#calls.has(made)) this.#calls.set(made, index);
    }
  }

  #make(
    { path, nodes, isFork, isShown, wanted }: RowSource,
    above: readonly MadeRows[],
    { at, former }: { at: number; former: readonly MadeRows[] },
  ): { made: MadeRows[]; rows: Row[] } {
    const before = new Map(former.map(({ id, rows }) => [id, rows]));
    const made: MadeRows[] = [];
    const rows: Row[] = [];
    // The rows that may be folded together, up to the next that nothing is folded into.
    let open: Row[] = [];
    const close = (): void => {
      for (const row of foldRows(open)) rows.push(row);
      open = [];
    };
    let { cited, speaker, changer }: Partial<MadeRows> = above.at(-1) ?? {};
    for (let index = above.length; index < path.length; index += 1) {
      const id = path[index] ?? '';
      const node = nodes.get(id);
      if (node?.blocks.some(({ type }) => type === 'sources') === true) cited = node;
      if (node !== undefined && hasChanges(node)) changer = node.turn;
      const previous = nodes.get(path[index - 1] ?? '');
      const results = this.#results;
      // The switch between messages that stand in one place is part of a header.
      const hasSiblings = node !== undefined && isFork(node.parent);
      const next = nodes.get(path[index + 1] ?? '');
      const hasHeader =
        hasSiblings ||
        (node !== undefined && !goesOn(node, previous, speaker) && !(isSilent(node) && !isGoneOn(node, next)));
      if (node !== undefined && node.role !== 'tool') speaker = node;
      const own = keepSame(before.get(id), [
        ...separators(node, previous),
        ...(node === undefined
          ? [loadingRow(id)]
          : rowsOfNode({ node, hasHeader, isSwitched: hasSiblings, cited, results, nodes, isShown, wanted })),
        ...(node !== undefined && endsTurn(node, next, changer) ? [turnEndRow(node)] : []),
        ...(isFork(id) ? [forkRow(id, path[index + 1])] : []),
      ]);
      const isApart = own[0] !== undefined && own[0].kind !== 'tool' && own[0].kind !== 'hidden';
      if (isApart) close();
      const from = { id, node, isFork: isFork(id), hasSiblings, cited, speaker, changer };
      made.push({ ...from, rows: own, at: isApart ? at + rows.length : undefined });
      for (const row of own) open.push(row);
    }
    close();
    return { made, rows };
  }
}

function callsIn(node: NodeState | undefined): string[] {
  return node?.role === 'assistant'
    ? node.blocks.flatMap((block) => (block.type === 'tool-use' ? [block.id] : []))
    : [];
}

/** Returns the separators before a message. */
function separators(node: NodeState | undefined, before: NodeState | undefined): Row[] {
  if (node === undefined) return [];
  const rows: Row[] = [];
  if (before !== undefined && new Date(before.time).toDateString() !== new Date(node.time).toDateString()) {
    rows.push({ kind: 'day', key: `${node.id} day`, node: node.id, time: node.time });
  }
  if (node.context_start === true) {
    rows.push({ kind: 'context-start', key: `${node.id} context`, node: node.id });
  }
  return rows;
}

function hasChanges({ turn, blocks }: NodeState): boolean {
  return (
    turn !== undefined &&
    blocks.some((block) => block.type === 'file-change' && (block.changes.length > 0 || hasNotes(block.metadata)))
  );
}

/** Returns true if a block says that not all changes are known. */
function hasNotes(metadata: NodeState['blocks'][number]['metadata']): boolean {
  const notes = metadata?.['notes'];
  return Array.isArray(notes) && notes.length > 0;
}

/** Returns true if a node is the last of a turn that has changed files. */
function endsTurn({ turn }: NodeState, next: NodeState | undefined, changer: string | undefined): boolean {
  return turn !== undefined && turn === changer && next?.turn !== turn;
}

function turnEndRow({ id, turn = '' }: NodeState): Row {
  return { kind: 'turn-end', key: `${id} turn end`, node: id, turn };
}

function loadingRow(node: string): Row {
  return { kind: 'loading', key: `${node} loading`, node };
}

function forkRow(node: string, next: string | undefined): Row {
  return { kind: 'fork', key: `${node} fork`, node, next };
}

/** Returns true if the same turn goes on: then no other agent begins to speak. `speaker` wrote the last message above that is not a tool result. */
function goesOn(node: NodeState, before: NodeState | undefined, speaker: NodeState | undefined): boolean {
  const { role, turn, continues } = node;
  if (before === undefined || role === 'user') return continues === true && before?.role === role;
  if (continues === true) return true;
  if (before.role === 'user') return false;
  if (turn !== undefined) return before.turn === turn;
  // Messages of other programs say nothing of turns: one lasts as long as the same model speaks.
  return role === 'assistant' && speaker?.role === role && speaker.turn === undefined && isSameModel(node, speaker);
}

/** Returns true if a message that says nothing itself is gone on with under its header. */
function isGoneOn(node: NodeState, next: NodeState | undefined): boolean {
  return next !== undefined && next.role !== 'user' && goesOn(next, node, node);
}

function isSameModel({ source: one }: NodeState, { source: other }: NodeState): boolean {
  return one.type === 'model' && other.type === 'model'
    ? one.provider === other.provider && one.model_name === other.model_name
    : one.type === other.type;
}

function keepSame(before: readonly Row[] | undefined, now: readonly Row[]): readonly Row[] {
  if (before === undefined) return now;
  const kept = now.map((row, index) => {
    const former = before[index];
    return former !== undefined && isSameRow(former, row) ? former : row;
  });
  return kept.length === before.length && kept.every((row, index) => row === before[index]) ? before : kept;
}

function isSameRow(one: Row, other: Row): boolean {
  if (one === other) return true;
  if (one.kind !== other.kind || one.key !== other.key || one.node !== other.node) return false;
  switch (one.kind) {
    case 'header':
    case 'day':
    case 'context-start':
    case 'loading':
    case 'notice':
      return true;
    case 'turn-end':
      return other.kind === 'turn-end' && one.turn === other.turn;
    case 'block':
      return other.kind === 'block' && one.said === other.said && one.cites === other.cites;
    case 'tool':
      return other.kind === 'tool' && one.result === other.result && one.isFoldable === other.isFoldable;
    case 'tools':
      return (
        other.kind === 'tools' &&
        one.calls.length === other.calls.length &&
        one.calls.every((call, index) => call === other.calls[index])
      );
    case 'hidden':
      return other.kind === 'hidden' && one.blocks === other.blocks && one.kinds.join() === other.kinds.join();
    case 'fork':
      return other.kind === 'fork' && one.next === other.next;
  }
}
