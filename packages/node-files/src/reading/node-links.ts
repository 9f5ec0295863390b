import type { NodeFile, NodeLinks } from './node-file.ts';
import { compareNames } from '../node-order.ts';
import { describeProblem } from '../problem.ts';
import type { NodeFileProblem } from '../problem.ts';

/** A node in its place: the parent is a node that comes before it, or the root. */
export interface LegacyNode extends NodeFile {
  parent: string;
}

/** The claims of a root's files about their tree. */
export interface LinkedFiles {
  /** The folder. */
  root: string;
  nodes: readonly NodeFile[];
  /** The links of files whose message cannot be read. */
  unreadable: readonly NodeLinks[];
  /** The first messages, and the file that lists them; absent if the root is not listed. */
  listed?: { file: string; childIds: readonly string[] };
}

/**
 * Makes one tree of a root's files, parents first and siblings in the order of their parent's list. A parent and its list that agree are trusted. If
 * they differ, a list that names the node counts more than the node's own claim: the first generations wrote the right half of a split with the
 * parent of the whole.
 */
export function linkNodes(files: LinkedFiles): { nodes: LegacyNode[]; problems: NodeFileProblem[] } {
  const { root, nodes, unreadable } = files;
  const all = new Map([...unreadable, ...nodes].map((links) => [links.id, links]));
  const problems: NodeFileProblem[] = [];
  const find = createFinder(root, all);
  const lists = new Map([...all].map(([id, { childIds }]) => [id, childIds.map(find)]));
  if (files.listed !== undefined) lists.set(root, files.listed.childIds.map(find));

  const readable = new Map(nodes.map((node) => [node.id, node]));

  const parents = chooseParents(root, all, lists, find);
  for (const node of nodes) problems.push(...describeParent(root, node, parents.get(node.id) ?? root, find));
  breakCycles(root, all, parents, problems);
  reportLists(files, all, parents, lists, find, problems);

  for (const node of nodes) {
    const parent = parents.get(node.id) ?? root;
    const nearest = nearestReadable(root, parent, parents, readable);
    if (nearest === parent) continue;
    const message = `its parent ${parent} cannot be read; it is shown below ${nearest} until that file is mended`;
    problems.push(describeProblem('parent-unreadable', node.file, message));
    parents.set(node.id, nearest);
  }
  return { nodes: joinHalves(orderNodes(root, readable, parents, lists), lists, find), problems };
}

type Find = (reference: string) => string | undefined;
type Lists = ReadonlyMap<string, readonly (string | undefined)[]>;

/** Returns a function that finds the node of a reference in this root: a bare id, one with the root, or a file's own name for itself. */
function createFinder(root: string, all: ReadonlyMap<string, NodeLinks>): Find {
  const declared = new Map<string, string | undefined>();
  for (const { id, declaredId } of all.values()) {
    // Two files claim the same name, so a reference to it is ambiguous.
    if (declaredId !== undefined) declared.set(declaredId, declared.has(declaredId) ? undefined : id);
  }
  return (reference) => {
    if (reference === root) return root;
    const spellings = [reference, `${root}/${reference}`];
    return spellings.find((id) => all.has(id)) ?? declared.get(reference);
  };
}

function chooseParents(
  root: string,
  all: ReadonlyMap<string, NodeLinks>,
  lists: Lists,
  find: Find,
): Map<string, string> {
  const claims = new Map<string, string[]>();
  for (const [parent, children] of lists) {
    for (const child of new Set(children)) {
      if (child === undefined || child === parent || child === root) continue;
      const claimants = claims.get(child);
      if (claimants === undefined) claims.set(child, [parent]);
      else claimants.push(parent);
    }
  }
  const parents = new Map<string, string>();
  for (const { id, parentId } of all.values()) {
    const claimants = claims.get(id) ?? [];
    const own = ownParent(id, parentId, find);
    parents.set(id, own === undefined || !claimants.includes(own) ? (claimants[0] ?? own ?? root) : own);
  }
  return parents;
}

function ownParent(id: string, parentId: string | undefined, find: Find): string | undefined {
  const found = parentId === undefined ? undefined : find(parentId);
  return found === id ? undefined : found;
}

/** Reports a node that is not at the place its file claims. */
function describeParent(root: string, { id, file, parentId }: NodeFile, parent: string, find: Find): NodeFileProblem[] {
  const own = ownParent(id, parentId, find);
  if (own === parent) return [];
  const word = parentId ?? '(none)';
  if (own === undefined && parent === root) {
    const message = `its parent ${word} is not in ${root}; it is shown as a first message of the root`;
    return [describeProblem('orphan-node', file, message)];
  }
  const message = `says that its parent is ${word}, but ${parent} lists it as its child, and is followed`;
  return [describeProblem('parent-repaired', file, message)];
}

/** Attaches one node of every cycle, the one with the lowest name, to the root. */
function breakCycles(
  root: string,
  all: ReadonlyMap<string, NodeLinks>,
  parents: Map<string, string>,
  problems: NodeFileProblem[],
): void {
  const settled = new Set([root]);
  for (const start of all.keys()) {
    const path = new Set<string>();
    let place = start;
    for (; !settled.has(place) && !path.has(place); place = parents.get(place) ?? root) path.add(place);
    if (!settled.has(place)) {
      const walked = [...path];
      const circle = walked.slice(walked.indexOf(place)).toSorted(compareNames);
      const lowest = circle[0] ?? place;
      parents.set(lowest, root);
      const message = `is above itself (${circle.join(', ')}); it is shown as a first message of the root`;
      problems.push(describeProblem('cycle-broken', all.get(lowest)?.file ?? lowest, message));
    }
    for (const id of path) settled.add(id);
  }
}

/** Reports lists of children that differ from the tree, and listed children that do not exist. */
function reportLists(
  files: LinkedFiles,
  all: ReadonlyMap<string, NodeLinks>,
  parents: ReadonlyMap<string, string>,
  lists: Lists,
  find: Find,
  problems: NodeFileProblem[],
): void {
  const children = groupByParent(files.root, parents.keys(), parents);
  const unread = new Set(files.unreadable.map(({ id }) => id));
  // A list names the visible children. Drafts are not among them.
  const unseen = new Set(
    files.nodes.filter((node) => node.deleted || node.current?.draft === true).map(({ id }) => id),
  );
  const holders = [...all.values(), ...(files.listed === undefined ? [] : [{ id: files.root, ...files.listed }])];
  for (const { id, file, childIds } of holders) {
    const missing = childIds.filter((child) => find(child) === undefined);
    if (missing.length > 0) {
      const message = `lists the children ${missing.join(', ')} of ${id}, which have no file; look for them in a backup`;
      problems.push(describeProblem('child-missing', file, message));
    }
    const listed = new Set(lists.get(id));
    const actual = children.get(id) ?? [];
    const unlisted = actual.filter((child) => !listed.has(child) && !unseen.has(child));
    const foreign = [...listed].filter((child) => child !== undefined && parents.get(child) !== id);
    // An unreadable file has been reported as such, and need not be for its list.
    if (unlisted.length + foreign.length === 0 || unread.has(id)) continue;
    const parts = [
      ...(unlisted.length === 0 ? [] : [`leaves out ${unlisted.join(', ')}`]),
      ...(foreign.length === 0 ? [] : [`names ${foreign.join(', ')}, which hang elsewhere`]),
    ];
    const message = `the list of children of ${id} ${parts.join(' and ')}; the tree is shown as the nodes have it`;
    problems.push(describeProblem('child-list-repaired', file, message));
  }
}

function nearestReadable(
  root: string,
  from: string,
  parents: ReadonlyMap<string, string>,
  readable: ReadonlyMap<string, NodeFile>,
): string {
  let place = from;
  while (place !== root && !readable.has(place)) place = parents.get(place) ?? root;
  return place;
}

function orderNodes(
  root: string,
  readable: ReadonlyMap<string, NodeFile>,
  parents: ReadonlyMap<string, string>,
  lists: Lists,
): LegacyNode[] {
  const children = groupByParent(root, [...readable.keys()].toSorted(compareNames), parents);
  for (const [parent, ids] of children) {
    const places = new Map((lists.get(parent) ?? []).map((id, index) => [id, index]));
    // Sorting is stable: unlisted ids follow, by name.
    ids.sort((a, b) => (places.get(a) ?? places.size) - (places.get(b) ?? places.size));
  }
  const ordered: LegacyNode[] = [];
  const waiting = (children.get(root) ?? []).toReversed();
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = readable.get(id);
    if (node !== undefined) ordered.push({ ...node, parent: parents.get(id) ?? root });
    for (const child of (children.get(id) ?? []).toReversed()) waiting.push(child);
  }
  return ordered;
}

function groupByParent(
  root: string,
  ids: Iterable<string>,
  parents: ReadonlyMap<string, string>,
): Map<string, string[]> {
  return Map.groupBy(ids, (id) => parents.get(id) ?? root);
}

/** Marks right halves of splits: below a left half that names them, or first in the list of one that names none. */
function joinHalves(nodes: readonly LegacyNode[], lists: Lists, find: Find): LegacyNode[] {
  const rightOf = new Map<string, string | undefined>();
  for (const { id, splitSource, isLeftHalf } of nodes) {
    if (splitSource !== undefined) rightOf.set(id, find(splitSource));
    else if (isLeftHalf) rightOf.set(id, lists.get(id)?.[0]);
  }
  const roles = new Map(nodes.map(({ id, message }) => [id, message.role]));
  return nodes.map((node) =>
    rightOf.get(node.parent) === node.id && roles.get(node.parent) === node.message.role
      ? { ...node, continues: true }
      : node,
  );
}
