import type { Shape } from '../conversation/branches.ts';

/**
 * The drawing in a column left of a row: nothing, a line that goes by, a line with a branch that more follow, and the last branch. `active`
 * colors the way to the branch on display.
 */
export interface Guide {
  readonly kind: 'none' | 'line' | 'tee' | 'last';
  readonly active: 'no' | 'above' | 'here';
}

/** A message as a line of the outline. */
export interface OutlineRow {
  readonly id: string;
  /** The columns on its left, at most `mostGuides`: deeper down those of the forks far above are left out. */
  readonly guides: readonly Guide[];
  /** True if it is on the branch on display. */
  readonly isActive: boolean;
  /** `undefined`: there is nothing to fold. */
  readonly isOpen: boolean | undefined;
  /** The number of ways that go on from it. */
  readonly branches: number;
  /** The number of messages folded into it. */
  readonly hidden: number;
  /** The number of tool calls that its turn has made. */
  readonly tools: number;
  /** The number of forks that lead to it, with itself. */
  readonly level: number;
}

export interface OutlineOptions {
  readonly root: string;
  readonly shape: Shape;
  /** The branch that is shown, the first message first. */
  readonly path: readonly string[];
  /** The messages the reader has folded (false) or opened (true). */
  readonly opened: ReadonlyMap<string, boolean>;
  /** Returns true for messages that match: only they are shown, and the branches that lead to them. */
  readonly isMatch?: (id: string) => boolean;
}

/** The number of messages from which branches beside the one on display begin folded. */
const manyMessages = 300;

export const mostGuides = 8;

/** The number of forks below which the branch on display goes straight on, and only those beside it are indented. */
const straightFrom = 4;

const noGuide: Guide = { kind: 'none', active: 'no' };

interface Visit {
  readonly id: string;
  readonly base: readonly Guide[];
  readonly level: number;
  /** Its joint with the line of its branches; `none` if it goes on from the message above. */
  readonly own: Guide;
}

/**
 * Returns the lines of a tree. Lines are indented only where branches part, so that a long conversation stays readable; the work of a turn
 * after its first message is folded into it.
 */
export function outlineRows({ root, shape, path, opened, isMatch }: OutlineOptions): OutlineRow[] {
  const active = new Set(path);
  const counts = shape.forks === 0 && isMatch === undefined ? uncounted : countAll(root, shape, isMatch);
  const straight = new Map<readonly Guide[], readonly Guide[]>();
  const isLarge = shape.nodes.size > manyMessages;
  const rows: OutlineRow[] = [];
  const stack = branch(shape.children.get(root) ?? [], { base: [], level: 1, active, counts });
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { id, base, level, own } = visit;
    const children = shape.children.get(id) ?? [];
    const turn = isMatch === undefined ? turnFrom(shape, id) : { parts: [], tools: 0, end: id };
    const isOpen = opened.get(id) ?? isOpenAtFirst({ id, turn, own, active, tip: path.at(-1), isLarge });
    const isFolded = !isOpen && isMatch === undefined;
    const rest = (counts.below.get(id) ?? 1) - 1;
    const canFold = turn.parts.length > 0 || (own.kind !== 'none' && rest > 0);
    // A folded head of a branch hides all of it; any other folded message only the work of its turn.
    const hidesAll = isFolded && own.kind !== 'none' && !(turn.parts.length > 0 && active.has(id));
    const end = isFolded && !hidesAll ? turn.end : id;
    if (isMatch === undefined || isMatch(id) || own.kind !== 'none') {
      rows.push({
        id,
        guides: own === noGuide ? straightOn(base, straight) : [...base, own],
        isActive: active.has(id),
        isOpen: canFold && isMatch === undefined ? !isFolded : undefined,
        branches: hidesAll ? 0 : (shape.children.get(end) ?? []).length,
        hidden: hidesAll ? rest : 0,
        tools: turn.tools,
        level,
      });
    }
    if (hidesAll) continue;
    const below = own.kind === 'none' ? base : [...base, passing(own)].slice(1 - mostGuides);
    const next = end === id ? children : (shape.children.get(end) ?? []);
    stack.push(...branch(next, { base: below, level: own.kind === 'none' ? level : level + 1, active, counts }));
  }
  return rows;
}

/** The columns of a message that goes on from the one above: the same list for all that stand below the same branches. */
function straightOn(base: readonly Guide[], known: Map<readonly Guide[], readonly Guide[]>): readonly Guide[] {
  const guides = known.get(base) ?? [...base, noGuide];
  known.set(base, guides);
  return guides;
}

interface BranchOptions {
  readonly base: readonly Guide[];
  readonly level: number;
  readonly active: ReadonlySet<string>;
  readonly counts: Counts;
}

/** Returns the messages below one, to be visited from the end of the list on. */
function branch(children: readonly string[], { base, level, active, counts }: BranchOptions): Visit[] {
  const shown = counts === uncounted ? children : children.filter((id) => (counts.below.get(id) ?? 0) > 0);
  if (shown.length <= 1) return shown.map((id) => ({ id, base, level, own: noGuide }));
  if (level > straightFrom) {
    const main = shown.find((id) => active.has(id)) ?? shown.at(-1);
    const sides = shown.filter((id) => id !== main);
    const straight = main === undefined ? [] : [{ id: main, base, level, own: noGuide }];
    return [...straight, ...heads(sides, { base, level, active, counts })];
  }
  return heads(shown, { base, level, active, counts });
}

/** Returns visits of branches, each of which begins a new line. */
function heads(ids: readonly string[], { base, level, active }: BranchOptions): Visit[] {
  const way = ids.findIndex((id) => active.has(id));
  return ids
    .map((id, index): Visit => {
      const kind = index === ids.length - 1 ? 'last' : 'tee';
      return { id, base, level, own: { kind, active: index === way ? 'here' : index < way ? 'above' : 'no' } };
    })
    .toReversed();
}

/** Returns the column of a branch beside the lines below it. */
function passing({ kind, active }: Guide): Guide {
  if (kind === 'last') return noGuide;
  return { kind: 'line', active: active === 'above' ? 'above' : 'no' };
}

interface Turn {
  /** The messages that follow in the same turn without a fork. */
  readonly parts: readonly string[];
  readonly tools: number;
  readonly end: string;
}

function turnFrom({ nodes, children }: Shape, id: string): Turn {
  const first = nodes.get(id);
  const before = nodes.get(first?.parent ?? '');
  const parts: string[] = [];
  let tools = 0;
  let end = id;
  // Messages of other programs say nothing of turns: one begins with the answer to a person.
  const isOther =
    first?.turn === undefined ? before === undefined || before.role === 'user' : before?.turn !== first.turn;
  if (first === undefined || first.role === 'user' || !isOther) return { parts, tools, end };
  for (;;) {
    const [next, other] = children.get(end) ?? [];
    const node = nodes.get(next ?? '');
    if (next === undefined || other !== undefined || node?.turn !== first.turn || node?.role === 'user') break;
    parts.push(next);
    if (node?.role === 'tool') tools += 1;
    end = next;
  }
  return { parts, tools, end };
}

interface OpenCase {
  readonly id: string;
  readonly turn: Turn;
  readonly own: Guide;
  readonly active: ReadonlySet<string>;
  readonly tip: string | undefined;
  readonly isLarge: boolean;
}

/** The last turn of the branch that is shown is open, earlier ones are folded; in a large tree other branches are, too. */
function isOpenAtFirst({ id, turn, own, active, tip, isLarge }: OpenCase): boolean {
  if (turn.parts.length > 0 && active.has(id)) return tip !== undefined && turn.parts.includes(tip);
  if (own.kind !== 'none' && !active.has(id)) return !isLarge;
  return turn.parts.length === 0;
}

interface Counts {
  /** The number of shown messages at or below each one. */
  readonly below: ReadonlyMap<string, number>;
}

/** The counts of a conversation without forks, where nothing is folded that would have to be counted. */
const uncounted: Counts = { below: new Map() };

function countAll(root: string, { nodes, children }: Shape, isMatch: (id: string) => boolean = () => true): Counts {
  const order: string[] = [];
  const open = [...(children.get(root) ?? [])];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    order.push(id);
    for (const child of children.get(id) ?? []) open.push(child);
  }
  const below = new Map<string, number>();
  for (const id of order.toReversed()) {
    const count = (below.get(id) ?? 0) + (isMatch(id) ? 1 : 0);
    below.set(id, count);
    const parent = nodes.get(id)?.parent;
    if (parent !== undefined) below.set(parent, (below.get(parent) ?? 0) + count);
  }
  return { below };
}
